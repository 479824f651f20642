// What a data folder costs beside memory, and how long one takes to open.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import type { Runtime, SandboxSpec } from "vivarium";
import { scoreOn, toProgram } from "../../examples/demo/bin-packing.ts";
import { generateSet, packer } from "../../examples/demo/packing.ts";
import { ours, type Entrant, type Row } from "../row.ts";
import { createRuntime, startRuntime, unwrap } from "../subject.ts";
import { timesAtMost } from "../target.ts";

const memory = "memory";
const cells = { count: 1, spare: 0 } as const;
const created = 20;
const createdMany = 1_000;
const evaluated = 50;
const asked = 100;
const set = generateSet("store", { seed: 1, instances: 5, items: 120 });
const counter = `
  import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "counter", init: () => ({ count: 0 }),
    handleCall: (_, { count }) => ({ reply: count + 1, state: { count: count + 1 } }) });
  export default supervisor({ children: [{ id: "counter", start: Counter }] });`;
let programs = 0;

/** A program that nobody compiled before. */
const fresh = (): SandboxSpec => ({ modules: { main: `export const f = (n) => n + ${programs++};` } });

function temporary(stack: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), "vivarium-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  return join(folder, "run");
}

/** Gets a runtime ready; what it returns takes one sample. */
type Measure = (runtime: Runtime) => Promise<() => Promise<number>>;

/** The same measurement on a runtime with a data folder and on one without. */
async function sideBySide(stack: AsyncDisposableStack, measure: Measure): Promise<readonly Entrant[]> {
  const data = temporary(stack);
  const folder = await measure(await startRuntime(stack, { cells, data }));
  const plain = await measure(await startRuntime(stack, { cells }));
  return [
    { name: ours, sample: folder },
    { name: memory, sample: plain },
  ];
}

async function timed(count: number, act: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return (performance.now() - startedMs) / count;
}

async function creating(runtime: Runtime): Promise<() => Promise<number>> {
  return async () => {
    const ids: string[] = [];
    const ms = await timed(created, async () => {
      for (let n = 0; n < created; n++) ids.push((await runtime.create(fresh())).id);
    });
    await runtime.batch.destroy(ids);
    return ms;
  };
}

async function createMany(runtime: Runtime, specs: readonly SandboxSpec[]): Promise<readonly string[]> {
  const results = await runtime.batch.create(specs);
  return results.map((result) => {
    if (result.ok) return result.sandboxId;
    throw result.error;
  });
}

async function creatingMany(runtime: Runtime): Promise<() => Promise<number>> {
  return async () => {
    let ids: readonly string[] = [];
    const ms = await timed(createdMany, async () => {
      ids = await createMany(runtime, Array.from({ length: createdMany }, fresh));
    });
    await runtime.batch.destroy(ids);
    return ms;
  };
}

async function evaluating(runtime: Runtime): Promise<() => Promise<number>> {
  return async () => {
    const rules = Array.from(
      { length: evaluated },
      () => `(${programs++ / 1_000} - Math.min(item + room, 7))`,
    );
    const specs = rules.map((rule) => ({ modules: { packer, candidate: toProgram(rule) } }));
    const ids = await createMany(runtime, specs);
    const ms = await timed(evaluated, async () => {
      const results = await runtime.batch.evaluate(ids, scoreOn(set));
      const failed = results.find(({ ok }) => !ok);
      if (failed?.ok === false)
        throw new Error(`Cannot measure as all must have a score: ${failed.error.message}`);
    });
    await runtime.batch.destroy(ids);
    return ms;
  };
}

async function asking(runtime: Runtime): Promise<() => Promise<number>> {
  const spec = { modules: { main: counter }, supervisor: "main", checkpoint: "message" } as const;
  const sandbox = await runtime.create(spec);
  const ask = async (): Promise<void> => {
    for (let n = 0; n < asked; n++) unwrap(await sandbox.ask("counter", "next"));
  };
  await ask();
  return async () => (await timed(asked, ask)) * 1_000;
}

/** A folder with so many sandboxes, each with a program of its own, closed. */
async function fill(data: string, count: number): Promise<void> {
  await using runtime = await createRuntime({ data, cells });
  for (let left = count; left > 0; left -= createdMany)
    await createMany(runtime, Array.from({ length: Math.min(left, createdMany) }, fresh));
}

function openingRow(count: number): Row {
  return {
    name: `open ${count.toLocaleString("en")}`,
    about: `createRuntime() on a data folder with ${count} sandboxes, each with a program of its own, until all can be called`,
    unit: "ms",
    rounds: 5,
    ...(count > 1_000 ? { isLarge: true } : {}),
    targets: [],
    prepare: async (stack) => {
      const data = temporary(stack);
      await fill(data, count);
      const open = async (): Promise<number> => {
        const startedMs = performance.now();
        await using runtime = await createRuntime({ data, cells });
        const ms = performance.now() - startedMs;
        if ((await runtime.list()).length !== count) throw new Error("Cannot measure as all must be there");
        return ms;
      };
      return [{ name: ours, sample: open }];
    },
  };
}

type CostRow = Pick<Row, "name" | "about" | "unit" | "rounds"> & {
  readonly atMost: number;
  readonly measure: Measure;
};

function costRow({ atMost, measure, name, about, ...row }: CostRow): Row {
  return {
    ...row,
    name: `data: ${name}`,
    about: `${about}, with a data folder and without`,
    targets: [timesAtMost("aim", atMost, memory)],
    prepare: (stack) => sideBySide(stack, measure),
  };
}

export const storeRows: readonly Row[] = [
  costRow({
    name: "create",
    about: "one sandbox with a program of its own after the other",
    unit: "ms",
    rounds: 30,
    atMost: 1.15,
    measure: creating,
  }),
  costRow({
    name: "create 1,000",
    about: "each of a batch of 1,000 sandboxes with programs of their own",
    unit: "ms",
    rounds: 8,
    atMost: 1.15,
    measure: creatingMany,
  }),
  costRow({
    name: "evaluate",
    about: "each of a batch of 50 evaluations of packing rules",
    unit: "ms",
    rounds: 20,
    atMost: 1.15,
    measure: evaluating,
  }),
  costRow({
    name: "ask",
    about: 'one ask after the other of a server with `checkpoint: "message"`',
    unit: "µs",
    rounds: 30,
    atMost: 1.5,
    measure: asking,
  }),
  ...[100, 1_000, 10_000].map(openingRow),
];
