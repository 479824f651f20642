// What dies and why: evaluations by how they ended and kills by their reasons, with what each word means.
import { evaluationFailureKinds } from "../../../../src/model/fitness.ts";

export interface Death {
  readonly kind: string;
  readonly count: number;
  /** Of all that were counted. */
  readonly share: number;
  readonly meaning: string;
}

const killReasons: Readonly<Record<string, string>> = {
  timeout: "It did not finish by its deadline.",
  cpu: "It used up its processor time.",
  fuel: "It used up its loop turns and function entries.",
  processes: "It started more processes than it may have.",
  queue: "A process of it had more messages waiting than it may have.",
  memory: "It used more memory than it may have.",
  output: "It wrote or returned more than it may.",
  crashed: "It brought down its cell.",
};

/** The word for evaluations that gave a score. */
export const scoredKind = "ok";

/** `ok` first, then the most frequent failure first. */
export function outcomeRows(totals: ReadonlyMap<string, number>): readonly Death[] {
  const meaning = (kind: string): string =>
    kind === scoredKind
      ? "It was evaluated and has a score."
      : (known(evaluationFailureKinds, kind) ?? "A kind of failure that this page does not know.");
  return rowsOf(totals, meaning).toSorted(
    (one, other) => Number(other.kind === scoredKind) - Number(one.kind === scoredKind),
  );
}

export function killRows(totals: ReadonlyMap<string, number>): readonly Death[] {
  return rowsOf(totals, (reason) => known(killReasons, reason) ?? "A reason that this page does not know.");
}

/** The most frequent first. */
function rowsOf(totals: ReadonlyMap<string, number>, meaning: (kind: string) => string): readonly Death[] {
  const sum = [...totals.values()].reduce((one, other) => one + other, 0);
  return [...totals]
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => ({ kind, count, share: count / sum, meaning: meaning(kind) }))
    .sort((one, other) => other.count - one.count || (one.kind < other.kind ? -1 : 1));
}

function known(meanings: Readonly<Record<string, string>>, kind: string): string | undefined {
  return Object.hasOwn(meanings, kind) ? meanings[kind] : undefined;
}
