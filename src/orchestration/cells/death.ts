// Pure: a cell died with operations in it. Who is at fault, who begins again, and who cannot.
import type { Death, Suspect } from "../../execution/cell.ts";

/** What is known of one operation that the dead cell had. */
export interface OperationFacts {
  readonly op: number;
  readonly key: number;
  /** It is the load, which is over before anything else of its sandbox begins. */
  readonly isLoad: boolean;
  readonly isMainLane: boolean;
  /** Repeating it cannot be told from running it once. */
  readonly isRepeatable: boolean;
  /** Cells that died under it before. */
  readonly deaths: number;
}

/** What becomes of one operation of a cell that died. */
export type Decision =
  /** It had not begun, or may be repeated. */
  | { readonly do: "again" }
  /** It may be repeated, but is under suspicion: nobody else in its cell. */
  | { readonly do: "alone" }
  | {
      readonly do: "end";
      readonly kind: "timeout" | "memory" | "crashed" | "cell-lost";
      readonly isGuilty: boolean;
    };

/** Cells also die of accidents, several in a row: alone is slow, and giving up is the end. */
const deathsBeforeAlone = 4;
const deathsMax = 10;

export function decide(facts: OperationFacts, death: Death): Decision {
  const guilty = guiltyOf(death);
  if (guilty !== undefined && guilty.key === facts.key && hasBegun(facts, death)) {
    // What was inside is another operation: the load went well, and only its answer was lost.
    if (facts.isLoad && guilty.op > facts.op) return facts.deaths >= deathsMax ? lost : { do: "again" };
    return { do: "end", kind: kindOf(death), isGuilty: true };
  }
  if (!hasBegun(facts, death)) return facts.deaths >= deathsMax ? lost : { do: "again" };
  if (!facts.isRepeatable || facts.deaths >= deathsMax) return lost;
  const isSuspect = suspectsOf(death).some(({ op }) => op === facts.op);
  return isSuspect || facts.deaths >= deathsBeforeAlone ? { do: "alone" } : { do: "again" };
}

const lost: Decision = { do: "end", kind: "cell-lost", isGuilty: false };

/**
 * A slice is a courtesy to the neighbours and no deadline: who could not be cut at its end has not had its time, and is
 * under suspicion at most.
 */
export function asSliceOverrun(death: Death, isSlice: (op: number) => boolean): Death {
  const isSliceOver = death.cause === "deadline" && death.culprit !== undefined && isSlice(death.culprit.op);
  return isSliceOver ? { ...death, cause: "slice" } : death;
}

/** The sandbox at fault, where it is certain. */
export function guiltyOf(death: Death): Suspect | undefined {
  if (death.cause === "slice") return undefined;
  if (death.culprit !== undefined) return death.culprit;
  // Whose memory it is, the watchdog knows or nobody does: it may be what one that is gone has left behind.
  if (death.cause === "memory") return undefined;
  return isSomebodysFault(death) && death.inside.length === 1 ? death.inside[0] : undefined;
}

/** Sandboxes that may be at fault, where it is not certain which. */
export function suspectsOf(death: Death): readonly Suspect[] {
  if (death.cause === "slice") return death.culprit === undefined ? [] : [death.culprit];
  return guiltyOf(death) === undefined && isSomebodysFault(death) ? death.inside : [];
}

// A cell that was stopped or killed from outside, or ended because we wanted it, blames nobody inside.
function isSomebodysFault(death: Death): boolean {
  if (death.cause === "exit") return !death.detail.startsWith("SIGKILL");
  return (
    death.cause === "deadline" ||
    death.cause === "memory" ||
    death.cause === "threads" ||
    death.cause === "frozen" ||
    death.cause === "poisoned" ||
    death.cause === "protocol"
  );
}

function kindOf(death: Death): "timeout" | "memory" | "crashed" {
  if (death.cause === "deadline") return "timeout";
  return death.cause === "memory" ? "memory" : "crashed";
}

// On the main lane operations begin in the order in which they were sent, and while one is inside nothing that was sent
// after it begins on any lane.
function hasBegun(facts: OperationFacts, death: Death): boolean {
  if (facts.op <= death.lastBegun) return true;
  return !facts.isMainLane && !death.inside.some(({ op }) => op === death.lastBegun);
}
