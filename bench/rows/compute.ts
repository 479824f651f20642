// Work inside a sandbox against the same work in plain Node and in QuickJS.
import { kernels, twoKernel } from "../kernels.ts";
import { timed } from "../measure.ts";
import { startPeer } from "../peers/child.ts";
import { loadQuickjs } from "../peers/quickjs.ts";
import { ours, type Row } from "../row.ts";
import { startRuntime, unwrap } from "../subject.ts";
import { fasterThan } from "../target.ts";

const warmUpRuns = 15;
const quickjsEvery = 15;
const peer = "plain Node";
const targets = [fasterThan("floor", 0.95, peer), fasterThan("aim", 1, peer)];

const kernelRows: readonly Row[] = Object.entries(kernels).map(([name, source]) => ({
  name: `compute: ${name}`,
  about: "the same kernel, warm; the sandbox's time includes the call itself",
  unit: "ms",
  rounds: 30,
  targets,
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const sandbox = await runtime.create({ modules: { main: source } });
    const call = async (): Promise<unknown> => unwrap(await sandbox.call("main.kernel"));
    const node = stack.use(startPeer("plain-node.ts"));
    await node.ask("load", source);
    const quickjs = await loadQuickjs(stack, source);
    for (let run = 0; run < warmUpRuns; run++) {
      await call();
      await node.ask("run");
    }
    return [
      { name: ours, operations: 1, sample: () => timed(call) },
      { name: peer, operations: 1, sample: () => node.ask("run") },
      { name: "QuickJS", every: quickjsEvery, sample: () => Promise.resolve(quickjs()) },
    ];
  },
}));

const twoModules: Row = {
  name: "compute: two modules",
  about:
    "a kernel that calls functions and makes objects of another module's, warm; plain Node: as two modules, too",
  unit: "ms",
  rounds: 30,
  targets,
  async prepare(stack) {
    const runtime = await startRuntime(stack);
    const sandbox = await runtime.create({ modules: { main: twoKernel.main, lib: twoKernel.lib } });
    const call = async (): Promise<unknown> => unwrap(await sandbox.call("main.kernel"));
    const node = stack.use(startPeer("plain-node.ts"));
    const address = `data:text/javascript,${encodeURIComponent(twoKernel.lib)}`;
    await node.ask("load", twoKernel.main.replace("./lib", address));
    for (let run = 0; run < warmUpRuns; run++) {
      await call();
      await node.ask("run");
    }
    return [
      { name: ours, operations: 1, sample: () => timed(call) },
      { name: peer, operations: 1, sample: () => node.ask("run") },
    ];
  },
};

export const computeRows: readonly Row[] = [...kernelRows, twoModules];
