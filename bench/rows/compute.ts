// Work inside a sandbox against the same work in plain Node and in QuickJS.
import type { Sandbox } from "vivarium";
import { kernels, twoKernel } from "../kernels.ts";
import { timed } from "../measure.ts";
import { startPeer } from "../peers/child.ts";
import { loadQuickjs } from "../peers/quickjs.ts";
import { ours, type Row } from "../row.ts";
import { callTimes, double, doubling, startRuntime, unwrap } from "../subject.ts";
import { fasterThan } from "../target.ts";

const warmUpRuns = 15;
// The way of a call, too: in a runtime that has done little else its code is interpreted, and takes a part of a millisecond.
const warmUpCalls = 3_000;
const quickjsEvery = 15;
const peer = "plain Node";
const targets = [fasterThan("floor", 0.95, peer), fasterThan("aim", 1, peer)];

/** Without the way of the call. */
const inside = `${ours}, inside the isolate`;
const aboutWarm =
  "the kernel and the way of a call are warm; the sandbox's time includes the call itself, and is also given without it";

async function warmUp(
  sandbox: Sandbox,
  runs: Readonly<Record<"own" | "plain", () => Promise<unknown>>>,
): Promise<void> {
  await callTimes(warmUpCalls, () => double(sandbox));
  for (let run = 0; run < warmUpRuns; run++) {
    await runs.own();
    await runs.plain();
  }
}

async function insideMs(sandbox: Sandbox): Promise<number> {
  const outcome = await sandbox.call("main.kernel");
  unwrap(outcome);
  return outcome.usage.cpuMs;
}

const kernelRows: readonly Row[] = Object.entries(kernels).map(([name, source]) => ({
  name: `compute: ${name}`,
  about: `the same kernel; ${aboutWarm}`,
  unit: "ms",
  rounds: 30,
  targets,
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const sandbox = await runtime.create({ modules: { main: source + doubling } });
    const call = async (): Promise<unknown> => unwrap(await sandbox.call("main.kernel"));
    const node = stack.use(startPeer("plain-node.ts"));
    await node.ask("load", source);
    const quickjs = await loadQuickjs(stack, source);
    await warmUp(sandbox, { own: call, plain: () => node.ask("run") });
    return [
      { name: ours, operations: 1, sample: () => timed(call) },
      { name: peer, operations: 1, sample: () => node.ask("run") },
      { name: inside, sample: () => insideMs(sandbox) },
      { name: "QuickJS", every: quickjsEvery, sample: () => Promise.resolve(quickjs()) },
    ];
  },
}));

const twoModules: Row = {
  name: "compute: two modules",
  about:
    "a kernel that calls functions and makes objects of another module's, as warm; plain Node: as two modules, too",
  unit: "ms",
  rounds: 30,
  targets,
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const sandbox = await runtime.create({
      modules: { main: twoKernel.main + doubling, lib: twoKernel.lib },
    });
    const call = async (): Promise<unknown> => unwrap(await sandbox.call("main.kernel"));
    const node = stack.use(startPeer("plain-node.ts"));
    const address = `data:text/javascript,${encodeURIComponent(twoKernel.lib)}`;
    await node.ask("load", twoKernel.main.replace("./lib", address));
    await warmUp(sandbox, { own: call, plain: () => node.ask("run") });
    return [
      { name: ours, operations: 1, sample: () => timed(call) },
      { name: peer, operations: 1, sample: () => node.ask("run") },
      { name: inside, sample: () => insideMs(sandbox) },
    ];
  },
};

export const computeRows: readonly Row[] = [...kernelRows, twoModules];
