// Work inside a sandbox against the same work in plain Node and in QuickJS.
import { unwrap } from "vivarium";
import { kernels } from "../kernels.ts";
import { timed } from "../measure.ts";
import { startPeer } from "../peers/child.ts";
import { loadQuickjs } from "../peers/quickjs.ts";
import { ours, type Row } from "../row.ts";
import { startRuntime } from "../subject.ts";
import { fasterThan } from "../target.ts";

const warmUpRuns = 15;
const quickjsEvery = 15;

export const computeRows: readonly Row[] = Object.entries(kernels).map(([name, source]) => ({
  name: `compute: ${name}`,
  about: "the same kernel, warm; the sandbox's time includes the call itself",
  unit: "ms",
  rounds: 30,
  targets: [fasterThan("aim", 0.95, "plain Node")],
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
      { name: ours, sample: () => timed(call) },
      { name: "plain Node", sample: () => node.ask("run") },
      { name: "QuickJS", every: quickjsEvery, sample: () => Promise.resolve(quickjs()) },
    ];
  },
}));
