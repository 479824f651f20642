// The inner loop of an evolution: new programs are loaded, evaluated and destroyed.
import type { BatchEvaluation, Runtime, SandboxSpec } from "vivarium";
import { scoreOn, toProgram } from "../../examples/demo/bin-packing.ts";
import { excessOf, generateSet, packer, packerArgs } from "../../examples/demo/packing.ts";
import { runScript } from "../peers/piscina-task.ts";
import { startPiscina } from "../peers/piscina.ts";
import { runProcesses } from "../peers/processes.ts";
import { ours, type Row } from "../row.ts";
import { createAll, dense, startRuntime, takesDense } from "../subject.ts";
import { timesAtLeast } from "../target.ts";

const size = 100;
export const unsafe = "piscina, unsafe";
/** Processes are slow, so fewer of them are measured. */
const processes = 8;
const set = generateSet("bench", { seed: 1, instances: 20, items: 120 });
const args = packerArgs(set);
const limits = { memoryBytes: 16 * 2 ** 20, fuel: 5_000_000 } as const;
let programs = 0;

/** Different rules for packing bins. */
export function litter(count: number): readonly string[] {
  return Array.from(
    { length: count },
    () => `((76 + ${programs++ / 1_000}) - Math.min(item + room, rest * 5))`,
  );
}

/** The same as a script without types or modules, which returns the function that packs. */
function toScript(expression: string): string {
  const body = packer.replaceAll(/^import .*$|^export /gm, "").replaceAll(/: number(?:\[\])*/g, "");
  return `${body}\nfunction priority(item, room) { const rest = room - item; return ${expression}; }\nreturn pack;`;
}

export async function perSecond(
  act: (expressions: readonly string[]) => Promise<void>,
  count = size,
): Promise<number> {
  const expressions = litter(count);
  const startedMs = performance.now();
  await act(expressions);
  return (count / (performance.now() - startedMs)) * 1_000;
}

// Packings are checked and counted here, for all entrants.
function check(packings: unknown): void {
  if (excessOf(set, packings) === undefined) throw new Error("Cannot measure as all must pack: one does not");
}

export interface Ways {
  readonly whileThere?: () => Promise<void>;
  /** What all sandboxes have beside their programs. */
  readonly like?: Partial<SandboxSpec>;
}

/** As one batch that makes its sandboxes; with `whileThere`, or in a build without such batches, all are there at once. */
export async function inSandboxes(
  runtime: Runtime,
  expressions: readonly string[],
  { whileThere, like = {} }: Ways = {},
): Promise<void> {
  const specs = expressions.map((expression) => ({
    modules: { packer, candidate: toProgram(expression) },
    limits,
    ...like,
  }));
  if (whileThere === undefined && (await takesSpecs(runtime, specs[0])))
    return checkScores(await runtime.batch.evaluate(specs, scoreOn(set)));
  const ids = await createAll(runtime, specs);
  checkScores(await runtime.batch.evaluate(ids, scoreOn(set)));
  await whileThere?.();
  await runtime.batch.destroy(ids);
}

const known = new WeakMap<Runtime, boolean>();

// An older build, which this one is compared with, takes ids only.
async function takesSpecs(runtime: Runtime, spec: SandboxSpec | undefined): Promise<boolean> {
  if (spec === undefined) return false;
  const does = known.get(runtime) ?? (await runtime.batch.evaluate([spec], () => 1))[0]?.ok === true;
  known.set(runtime, does);
  return does;
}

function checkScores(results: readonly BatchEvaluation[]): void {
  const failed = results.find(({ ok }) => !ok);
  if (failed?.ok === false)
    throw new Error(`Cannot measure as all must have a score: ${failed.error.message}`);
}

/** Piscina's threads, which make a function of each script and call it. */
export function startThreads(stack: AsyncDisposableStack): (expressions: readonly string[]) => Promise<void> {
  const pool = startPiscina(stack, 1, "runScript");
  return async (expressions) => {
    const runs = expressions.map((expression) => pool.run({ script: toScript(expression), args }));
    for (const packings of await Promise.all(runs)) check(packings);
  };
}

async function inProcesses(expressions: readonly string[]): Promise<void> {
  const shown = args.map((arg) => JSON.stringify(arg)).join();
  const all = expressions.map(
    (expression) => `console.log(JSON.stringify((() => {${toScript(expression)}})()(${shown})))`,
  );
  for (const printed of await runProcesses(all)) check(JSON.parse(printed));
}

// No isolation at all: the reference for its cost.
async function inThisProcess(expressions: readonly string[]): Promise<void> {
  for (const expression of expressions) check(runScript({ script: toScript(expression), args }));
}

export const evaluateRows: readonly Row[] = [
  {
    name: "evaluate 100 new programs",
    about:
      "create, evaluate and destroy 100 rules for packing 2,400 items, with fuel; the others run the same rules, uncounted: a process for each, piscina's threads, new Function",
    unit: "runs/s",
    rounds: 10,
    targets: [
      timesAtLeast("floor", 0.7, unsafe),
      timesAtLeast("aim", 1, unsafe),
      timesAtLeast("floor", 15, "process per candidate"),
      timesAtLeast("aim", 30, "process per candidate"),
    ],
    async prepare(stack) {
      const runtime = await startRuntime(stack);
      const inThreads = startThreads(stack);
      const ourWay = (expressions: readonly string[]): Promise<void> => inSandboxes(runtime, expressions);
      const densely = (expressions: readonly string[]): Promise<void> =>
        inSandboxes(runtime, expressions, { like: dense });
      const ourDense = { name: `${ours}, dense`, operations: size, sample: () => perSecond(densely) };
      await perSecond(ourWay);
      await perSecond(inThreads);
      return [
        { name: ours, operations: size, sample: () => perSecond(ourWay) },
        ...((await takesDense(runtime)) ? [ourDense] : []),
        { name: "process per candidate", every: 5, sample: () => perSecond(inProcesses, processes) },
        { name: unsafe, operations: size, sample: () => perSecond(inThreads) },
        {
          name: "new Function in this process, unsafe",
          operations: size,
          sample: () => perSecond(inThisProcess),
        },
      ];
    },
  },
];
