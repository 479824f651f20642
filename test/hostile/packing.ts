// First Fit and Best Fit in sandboxes, one program in ten of them hostile: `node test/hostile/packing.ts FILE…` prints what
// files of the OR-Library give, and how the hostile ones ended.
import { readFileSync } from "node:fs";
import { classics, scoreOn, toProgram } from "../../examples/demo/bin-packing.ts";
import { hostileNames, poison } from "../../examples/demo/hostile.ts";
import { packer, readSet, type PackingSet } from "../../examples/demo/packing.ts";
import { createRuntime, type Runtime } from "vivarium";

const count = 100;
const hostileEvery = 10;
const limits = { memoryBytes: 32 * 2 ** 20, fuel: 100_000_000, timeoutMs: 60_000 };

export interface Packed {
  /** Every score that there was, once each, by heuristic: one where nothing moves them. */
  readonly scores: Readonly<Record<string, readonly number[]>>;
  /** How the hostile ones ended, once each way. */
  readonly fates: Readonly<Record<string, readonly string[]>>;
}

/** Evaluates a hundred programs in one batch: both heuristics in turn, and every tenth of them poisoned. */
export async function packAmongHostiles(runtime: Runtime, set: PackingSet): Promise<Packed> {
  const names = Object.keys(classics);
  const scores = new Map<string, Set<number>>();
  const fates = new Map<string, Set<string>>();
  const programs = Array.from({ length: count }, (_, index) => {
    const name = names[index % names.length] as string;
    const program = toProgram(classics[name] as string);
    const poisonName = hostileNames[Math.floor(index / hostileEvery) % hostileNames.length] ?? "crash";
    return index % hostileEvery === 0
      ? { hostile: poisonName, candidate: poison(program, poisonName) }
      : { name, candidate: program };
  });
  const created = await runtime.batch.create(
    programs.map(({ candidate }) => ({ modules: { candidate, packer }, limits })),
  );
  const ids = created.map(({ sandboxId }) => sandboxId);
  for await (const result of runtime.batch.evaluate(ids, scoreOn(set))) {
    const { hostile, name = "" } = programs[result.index] ?? {};
    if (hostile !== undefined) note(fates, hostile, result.ok ? "ok" : result.error.kind);
    else note(scores, name, result.ok ? result.score : Number.NaN);
  }
  await runtime.batch.destroy(ids);
  return { scores: asLists(scores), fates: asLists(fates) };
}

function note<T>(into: Map<string, Set<T>>, key: string, value: T): void {
  const seen = into.get(key) ?? new Set();
  into.set(key, seen.add(value));
}

function asLists<T>(map: ReadonlyMap<string, ReadonlySet<T>>): Record<string, readonly T[]> {
  return Object.fromEntries([...map].map(([key, values]) => [key, [...values]]));
}

if (import.meta.main) {
  await using runtime = await createRuntime();
  for (const path of process.argv.slice(2)) {
    const { scores, fates } = await packAmongHostiles(runtime, readSet(path, readFileSync(path, "utf8")));
    for (const [name, values] of Object.entries(scores))
      console.log(`${path}: ${name} ${values.map((value) => value.toFixed(2)).join(", ")} % excess`);
    for (const [name, ends] of Object.entries(fates)) console.log(`${path}: ${name}: ${ends.join(", ")}`);
  }
}
