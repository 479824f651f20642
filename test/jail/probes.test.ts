// A cell whose guest has escaped tries, with machine code, whatever one would try. Without the jail each of it is done;
// in the jail none is; and each layer that should stop it does so alone. As root and as an ordinary user.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { suite, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { jailLayerNames } from "../../src/jail/layers.ts";
import { openKernel } from "../../src/std/kernel.ts";
import { apiProbes } from "./api-probes.ts";
import { fileProbes } from "./file-probes.ts";
import type { Cost, Matrix } from "./matrix.ts";
import { networkProbes } from "./network-probes.ts";
import type { Probe } from "./probe.ts";
import { processProbes } from "./process-probes.ts";

const probes: readonly Probe[] = [...fileProbes, ...networkProbes, ...processProbes, ...apiProbes];
const program = fileURLToPath(new URL("matrix.ts", import.meta.url));
const someone = { uid: 54_321, gid: 54_321 };
const MiB = 2 ** 20;
/** What a kernel may lack, or a container forbid, so that there is nothing to stop. */
const optional = new Set([
  "load a module",
  "load a BPF program",
  "count events of the processor",
  "handle page faults",
  "open an io_uring",
  "keys of the kernel",
  "add a key",
  "open by handle",
  "send raw packets",
  "a mount namespace",
  "mount",
  "reboot",
]);

const isRoot = process.getuid?.() === 0;
suite("an escaped guest", { timeout: 900_000 }, () => {
  test("as root reaches nothing", async (t) => {
    if (!isRoot) return t.skip("it needs root");
    await tryAll(t, {});
  });

  test("as an ordinary user reaches nothing", async (t) => {
    const closed = isRoot ? closedFolder() : undefined;
    if (closed !== undefined) return t.skip(`it needs folders that others may enter: chmod o+x ${closed}`);
    await tryAll(t, isRoot ? someone : {});
  });
});

/** The first folder above the program that others may not enter. */
function closedFolder(): string | undefined {
  const parts = program.split("/").slice(1, -1);
  const folders = parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
  return folders.find((folder) => (statSync(folder).mode & 0o001) === 0);
}

async function tryAll(t: TestContext, user: { uid?: number; gid?: number }): Promise<void> {
  if (openKernel() === undefined) return t.skip("it needs Linux on arm64 or x64, and Node 26");
  const matrix = await runAs(user);
  const { plan, control, jailed, alone } = matrix;
  assert.deepEqual(jailed.layers, plan.layers, "all that was planned holds");
  const who = matrix.uid === 0 ? "root" : `user ${matrix.uid}`;
  const lines: string[] = [];
  for (const { id, by, isForRoot } of probes) {
    const without = control.findings[id];
    const isPossible = without === "open";
    const mustBePossible = !optional.has(id) && (isForRoot !== true || matrix.uid === 0);
    assert.ok(isPossible || !mustBePossible, `${id}: without a jail it was ${without}`);
    const within = jailed.findings[id] ?? "open";
    assert.match(within, /^stopped: /, `${id}: as ${who} it was possible in the jail`);
    const stoppers = jailLayerNames.filter((layer) => alone[layer]?.findings[id]?.startsWith("stopped"));
    if (isPossible)
      for (const layer of by)
        if (plan.layers.includes(layer))
          assert.ok(stoppers.includes(layer), `${id}: ${layer} did not stop it`);
    const named = isPossible ? stoppers.join(", ") : `(not possible here without it either: ${without})`;
    lines.push(`${id.padEnd(42)} ${within.slice("stopped: ".length).padEnd(18)} ${named}`);
  }
  console.log([`As ${who}, ${probes.length} probes, stopped by:`, ...lines, costLine(matrix)].join("\n"));
}

async function runAs(user: { uid?: number; gid?: number }): Promise<Matrix> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
  const options = { ...user, env, cwd: "/", maxBuffer: 16 * MiB };
  const { stdout } = await promisify(execFile)(process.execPath, [program], options);
  return JSON.parse(stdout) as Matrix;
}

function costLine({ costs }: Matrix): string {
  const median = (of: (cost: Cost) => number, which: "with" | "without"): number =>
    costs.map((cost) => of(cost[which])).sort((a, b) => a - b)[costs.length >> 1] as number;
  const show = (which: "with" | "without"): string => {
    const mib = median(({ rssBytes }) => rssBytes, which) / MiB;
    return `${median(({ startMs }) => startMs, which).toFixed(0)} ms, ${mib.toFixed(1)} MiB`;
  };
  return `A cell starts in ${show("without")} without the jail and ${show("with")} with it (medians of ${costs.length}).`;
}
