// Plants bugs into copies of the sources, one at a time, and runs the simulation on each: npm run simulate:planted. A bug is
// found by a seed that fails with it and does not fail without it.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { planOf } from "./plan.ts";
import { misfitOf, plantInto, plants, type Plant } from "./plants.ts";
import { simulate } from "./simulate.ts";
import type { Finding } from "./worker.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    jobs: { type: "string", default: String(availableParallelism()) },
    /** Only those whose name has this in it. */
    only: { type: "string", default: "" },
  },
});
const root = fileURLToPath(new URL("../..", import.meta.url));
const failuresMax = 40;
let missed = 0;

for (const [index, plant] of plants.entries()) {
  if (!plant.name.includes(values.only)) continue;
  const startedMs = performance.now();
  const found = await findIn(plant);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  const how =
    typeof found === "string" ? found : `seed ${found.seed}, ${found.rule}: ${found.what.slice(0, 160)}`;
  if (typeof found === "string") missed++;
  console.log(`${index + 1}. ${plant.name}\n   ${how} (${seconds} s)`);
}
console.log(missed === 0 ? "all planted bugs were found" : `${missed} planted bugs were not found`);
process.exit(missed === 0 ? 0 : 1);

/** The seed that finds the bug, or why there is none. */
async function findIn(plant: Plant): Promise<Finding | string> {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-planted-"));
  try {
    for (const name of ["src", "test/simulation", "package.json"])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const misfit = misfitOf(plant, folder);
    if (misfit !== undefined) return `cannot be planted: ${misfit}`;
    plantInto(folder, plant);
    for (const finding of await findingsIn(folder, plant.ignored ?? "")) {
      const { violations } = await simulate(planOf(finding.seed));
      if (violations.length === 0) return finding;
    }
    return `not found within ${values.seeds} seeds`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findingsIn(folder: string, ignored: string): Promise<readonly Finding[]> {
  const program = join(folder, "test/simulation/main.ts");
  const amount = ["--seeds", values.seeds, "--jobs", values.jobs, "--failures", String(failuresMax)];
  const args = [...amount, "--ignore", ignored, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { maxBuffer: 2 ** 26 });
  return (JSON.parse(stdout) as Finding[]).toSorted((a, b) => a.seed - b.seed);
}
