// How long `vivarium --help` takes beside the least that Node can do, `node -e 0`: medians of runs that take turns, so that
// whatever else the machine does hits both. `node tools/start-time.ts` after a build; exits with 1 where it takes too long.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const runs = 21;
const ratioMax = 1.5;
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));

export interface StartTimes {
  readonly nodeMs: number;
  readonly helpMs: number;
  readonly ratio: number;
}

export function measureStart(): StartTimes {
  const times = { node: [] as number[], help: [] as number[] };
  for (let run = 0; run <= runs; run++) {
    const [node, help] = [timeOf(["-e", "0"]), timeOf([main, "--help"])];
    // The first of each only brings the files into memory.
    if (run === 0) continue;
    times.node.push(node);
    times.help.push(help);
  }
  const [nodeMs, helpMs] = [median(times.node), median(times.help)];
  return { nodeMs, helpMs, ratio: helpMs / nodeMs };
}

function timeOf(args: readonly string[]): number {
  const beforeMs = performance.now();
  const { status, error } = spawnSync(process.execPath, args, { stdio: "ignore" });
  if (status !== 0)
    throw new Error(`node ${args.join(" ")} must end with 0: got ${status}`, { cause: error });
  return performance.now() - beforeMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { nodeMs, helpMs, ratio } = measureStart();
  console.log(
    `node -e 0: ${nodeMs.toFixed(1)} ms, vivarium --help: ${helpMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (at most ${ratioMax})`,
  );
  process.exitCode = ratio <= ratioMax ? 0 : 1;
}
