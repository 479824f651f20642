// The inner loop of an evolution: programs nobody has seen before are loaded, evaluated and gone again.
import { scoreOn, toProgram } from "../../src/cli/demo/bin-packing.ts";
import { generateSet, packer } from "../../src/cli/demo/packing.ts";
import { processesPerSecond } from "../peers/processes.ts";
import { ours, type Row } from "../row.ts";
import { startRuntime } from "../subject.ts";
import { timesAtLeast } from "../target.ts";

const size = 100;
const set = generateSet("bench", { seed: 1, instances: 20, items: 120 });
const limits = { memoryBytes: 16 * 2 ** 20, fuel: 5_000_000 } as const;
let programs = 0;

/** A hundred rules for packing bins, none like another. */
function litter(): readonly string[] {
  return Array.from(
    { length: size },
    () => `((76 + ${programs++ / 1_000}) - Math.min(item + room, rest * 5))`,
  );
}

async function perSecond(act: (expressions: readonly string[]) => Promise<unknown>): Promise<number> {
  const expressions = litter();
  const startedMs = performance.now();
  await act(expressions);
  return (size / (performance.now() - startedMs)) * 1_000;
}

// No walls at all: what any kind of isolation is paid against.
async function inThisProcess(expressions: readonly string[]): Promise<void> {
  const body = packer.replaceAll(/^import .*$|^export /gm, "").replaceAll(/: number(?:\[\])*/g, "");
  for (const expression of expressions) {
    const code = `${body}\nfunction priority(item, room) { const rest = room - item; return ${expression}; }\nreturn pack;`;
    // oxlint-disable-next-line typescript/no-implied-eval -- the unsafe way is what is measured here
    const pack = (new Function(code) as () => (...args: unknown[]) => unknown)();
    pack(set.instances, set.capacity, 20);
  }
}

export const evaluateRows: readonly Row[] = [
  {
    name: "evaluate 100 new programs",
    about:
      "create, evaluate and destroy 100 rules for packing 2,400 items, with fuel; process: only its start, with nothing to do",
    unit: "runs/s",
    rounds: 10,
    targets: [timesAtLeast("aim", 5, "process per candidate")],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const evaluateAll = async (expressions: readonly string[]): Promise<void> => {
        const created = await runtime.batch.create(
          expressions.map((expression) => ({
            modules: { packer, candidate: toProgram(expression) },
            limits,
          })),
        );
        const ids = created.map((result) => {
          if (result.ok) return result.id;
          throw result.error;
        });
        const results = await runtime.batch.evaluate(ids, scoreOn([set]));
        const failed = results.find(({ ok }) => !ok);
        if (failed?.ok === false)
          throw new Error(`Cannot measure as all must have a score: ${failed.error.message}`);
        await runtime.batch.destroy(ids);
      };
      await evaluateAll(litter());
      return [
        { name: ours, sample: () => perSecond(evaluateAll) },
        { name: "process per candidate", every: 5, sample: () => processesPerSecond(8) },
        { name: "new Function in this process, unsafe", sample: () => perSecond(inThisProcess) },
      ];
    },
  },
];
