// Batches that make their sandboxes: of each one that is not kept nothing may be left.
import type { BatchSpec, Kept } from "../../src/api/types/batch.ts";
import type { Candidate } from "../../src/api/types/fitness.ts";
import { born, wishFor, withoutSignal } from "./births.ts";
import type { Caller } from "./caller.ts";

/** What a batch of a few candidates may take beyond its deadline: the store has to answer for each that is kept. */
const keepMs = 70_000;

interface Made {
  readonly index: number;
  readonly sandboxId: string;
  readonly ok: boolean;
}

/** Evaluates or calls new candidates, some of them under ids that others use, and keeps some of those. */
export async function generation(caller: Caller): Promise<void> {
  const { dice, world, company } = caller;
  const share = dice.pick([0.5, 1]);
  const ids = Array.from({ length: dice.between(1, 5) }, () =>
    dice.chance(share) ? caller.id() : `g${caller.next()}`,
  );
  const wishes = ids.map((id) => wishFor(caller, id));
  const claims = ids.map((id, index) => world.ledger.claim(id, wishes[index]?.tag ?? ""));
  // It is born and may be gone before anybody knows of it.
  const touches = ids.map((id) => ["create", "destroy"].map((kind) => company.touches.begin(id, kind)));
  const specs: BatchSpec[] = wishes.map(({ spec }, index) => ({
    ...withoutSignal(spec),
    id: ids[index] ?? "",
  }));
  const asked = new Map<number, number>();
  const ended = await world.attempt(`generation ${ids.join(" ")}`, 20_000 + keepMs, () =>
    start(caller, specs, asked),
  );
  for (const touch of touches.flat()) company.touches.end(touch);
  for (const [index, claim] of claims.entries()) {
    const isKept = ended.as === "value" && ended.value[index]?.kept === true;
    if (isKept) world.ledger.hold(ids[index] ?? "", claim, 1);
    else world.ledger.doubt(claim);
  }
  if (ended.as !== "value") return;
  for (const [index, count] of asked)
    if (count > 1) world.ledger.blame("twice", `keep was asked ${count} times about item ${index}`);
  for (const [index, { kept }] of ended.value.entries()) {
    const [touch] = touches[index] ?? [];
    if (kept && touch !== undefined) born(caller, wishes[index] as NonNullable<(typeof wishes)[0]>, touch);
  }
}

function start(
  caller: Caller,
  specs: readonly BatchSpec[],
  asked: Map<number, number>,
): PromiseLike<readonly (Made & Kept)[]> | undefined {
  const { dice, runtime, world } = caller;
  const token = caller.token("score");
  world.ledger.mayRepeat(token);
  const bounds = {
    concurrency: dice.pick([1, 2, 64]),
    deadlineMs: dice.pick([30, 500, 5_000, 20_000]),
    ...caller.signal(),
  };
  const chosen = dice.pick([0, 0.5, 1]);
  const keep = ({ index, sandboxId }: { readonly index: number; readonly sandboxId: string }): boolean => {
    asked.set(index, (asked.get(index) ?? 0) + 1);
    return isShared(sandboxId) && dice.chance(chosen);
  };
  if (dice.chance(0.3))
    return runtime?.batch.call(specs, "main.score", { args: [token], repeatable: true, keep, ...bounds });
  const score = async (candidate: Candidate): Promise<number> => {
    const outcome = await candidate.call<number>("main.score", { args: [token], timeoutMs: 500 });
    return outcome.ok ? outcome.value : 0;
  };
  const mayKeepAny = specs.every(({ id = "" }) => isShared(id));
  const rule = dice.chance(0.5) || !mayKeepAny ? { keep } : { keep: dice.between(0, 3) };
  return runtime?.batch.evaluate(specs, score, { ...rule, ...bounds });
}

// Sandboxes of ids that no other caller uses must all be gone at the end.
function isShared(id: string): boolean {
  return /^s\d+$/.test(id);
}
