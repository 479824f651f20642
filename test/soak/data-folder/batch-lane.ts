// A lane of batches: sandboxes that live for some batches only, evaluated by tests, and scripts without a sandbox of their own.
import { Dice } from "../../fuzz/dice.ts";
import { Unfinished, type Shared } from "./account.ts";
import { patient } from "./sandbox-lane.ts";

const batchSize = 10;

/** Creates, calls, reloads, evaluates and destroys until the run is over. */
export async function workInBatches(shared: Shared, seed: number): Promise<void> {
  const dice = new Dice(seed);
  const { account, isOver } = shared;
  while (!isOver()) {
    await account.attempt("batch", () => oneRound(shared, dice));
    await account.attempt("once", () => runOnce(shared));
    await account.attempt("read", () => readAll(shared));
  }
}

const codeOf = (factor: number): string =>
  `export const times = (n) => { console.log("seen", n); return n * ${factor}; };`;

async function oneRound({ runtime, account }: Shared, dice: Dice): Promise<void> {
  const factor = dice.below(50);
  const number = account.next();
  const ids = Array.from({ length: batchSize }, (_, at) => `batch${number}-${at}`);
  try {
    const specs = ids.map((id) => ({ id, modules: { main: codeOf(factor) }, limits: patient }));
    for (const result of await runtime.batch.create(specs)) account.operations += wellDone(result);
    const calls = runtime.batch.call<number>(ids, "main.times", { args: [3], repeatable: true });
    for (const result of await calls) {
      account.operations += wellDone(result);
      if (result.ok && result.value !== factor * 3) account.fault(`a batch answered ${result.value}`);
    }
    const reloads = runtime.batch.hotReload(ids, { main: codeOf(factor + 1) });
    for (const result of await reloads) account.operations += wellDone(result);
    await evaluate({ runtime, account }, ids, factor + 1);
  } finally {
    for (const result of await runtime.batch.destroy(ids)) account.operations += wellDone(result);
  }
}

async function evaluate(
  { runtime, account }: Pick<Shared, "runtime" | "account">,
  ids: readonly string[],
  factor: number,
): Promise<void> {
  const tests = [
    { name: "two", call: "main.times", args: [2], expected: factor * 2 },
    { name: "three", call: "main.times", args: [3], expected: factor * 3, hidden: true },
    { name: "wrong", call: "main.times", args: [1], expected: -1, points: 2 },
  ] as const;
  for (const result of await runtime.batch.evaluate(ids, { tests })) {
    account.operations += wellDone(result);
    if (result.ok && result.score !== 0.5) account.fault(`tests gave ${result.score}`);
  }
}

async function runOnce({ runtime, account }: Shared): Promise<void> {
  const number = account.next();
  const outcome = await runtime.once<number>(`export default () => ${number};`, {
    limits: patient,
    repeatable: true,
  });
  wellDone(outcome);
  if (outcome.ok && outcome.value !== number) account.fault(`once answered ${outcome.value}`);
}

async function readAll({ runtime }: Shared): Promise<void> {
  await runtime.list();
  await runtime.journal.entries({ limit: 100 });
  await runtime.audit.query();
  const { status, store } = await runtime.health();
  if (store.state !== "ok") throw new Unfinished(status, store.reason ?? "the store is degraded");
}

interface Result {
  readonly ok: boolean;
  readonly error?: { readonly message: string; readonly kind?: string; readonly code?: string };
}

/** 1; throws where it failed. */
function wellDone(result: Result): 1 {
  if (result.ok) return 1;
  const { kind, code, message } = result.error ?? { message: "no error" };
  throw new Unfinished(kind ?? code ?? "untyped", message);
}
