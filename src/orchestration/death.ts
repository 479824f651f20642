// Pure: a cell died with operations in it. Who is at fault, who begins again, and who cannot.
import type { Death, Suspect } from "../execution/cell.ts";

/** What is known of one operation that the dead cell had. */
export interface OperationFacts {
  readonly op: number;
  readonly key: number;
  readonly isMainLane: boolean;
  /** It had only a slice of its time. */
  readonly isSlice: boolean;
  /** Repeating it cannot be told from running it once. */
  readonly isRepeatable: boolean;
  /** Cells that died under it before. */
  readonly deaths: number;
}

export type Sentence =
  /** It had not begun, or may be repeated. */
  | { readonly do: "again" }
  /** It may be repeated, but is under suspicion: nobody else in its cell. */
  | { readonly do: "alone" }
  | {
      readonly do: "end";
      readonly kind: "timeout" | "memory" | "crashed" | "cell-lost";
      readonly isGuilty: boolean;
    };

const deathsBeforeAlone = 2;
const deathsMax = 5;

export function judge(facts: OperationFacts, death: Death): Sentence {
  const guilty = guiltyOf(death);
  if (isSliceOver(facts, death)) return facts.deaths >= deathsMax ? lost : { do: "alone" };
  if (guilty !== undefined && guilty.key === facts.key && hasBegun(facts, death)) {
    return { do: "end", kind: kindOf(death), isGuilty: true };
  }
  if (!hasBegun(facts, death)) return facts.deaths >= deathsMax ? lost : { do: "again" };
  if (!facts.isRepeatable || facts.deaths >= deathsMax) return lost;
  const isSuspect = guilty === undefined && isSomebodysFault(death) && isInside(facts, death);
  return isSuspect || facts.deaths >= deathsBeforeAlone ? { do: "alone" } : { do: "again" };
}

const lost: Sentence = { do: "end", kind: "cell-lost", isGuilty: false };

/**
 * It could not be interrupted at the end of its slice, long before its deadline. That is no crime, as a slice is our idea
 * and not its limit; but it had better be alone when it begins anew.
 */
export function isSliceOver(facts: Pick<OperationFacts, "op" | "isSlice">, death: Death): boolean {
  return facts.isSlice && death.cause === "deadline" && death.culprit?.op === facts.op;
}

/** The sandbox at fault, where it is certain. */
export function guiltyOf(death: Death): Suspect | undefined {
  if (death.culprit !== undefined) return death.culprit;
  return isSomebodysFault(death) && death.inside.length === 1 ? death.inside[0] : undefined;
}

/** Sandboxes that may be at fault, where it is not certain which. */
export function suspectsOf(death: Death): readonly Suspect[] {
  return guiltyOf(death) === undefined && isSomebodysFault(death) ? death.inside : [];
}

// A cell that was stopped or killed from outside, or ended because we wanted it, accuses nobody inside.
function isSomebodysFault(death: Death): boolean {
  if (death.cause === "exit") return !death.detail.startsWith("SIGKILL");
  return (
    death.cause === "deadline" ||
    death.cause === "memory" ||
    death.cause === "frozen" ||
    death.cause === "poisoned" ||
    death.cause === "protocol"
  );
}

function kindOf(death: Death): "timeout" | "memory" | "crashed" {
  if (death.cause === "deadline") return "timeout";
  return death.cause === "memory" ? "memory" : "crashed";
}

// On the main lane operations begin in the order in which they were sent.
function hasBegun(facts: OperationFacts, death: Death): boolean {
  return !facts.isMainLane || facts.op <= death.lastBegun;
}

function isInside(facts: OperationFacts, death: Death): boolean {
  return death.inside.some((suspect) => suspect.op === facts.op);
}
