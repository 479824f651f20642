// Pure: a cell died with tickets in it. Which sandbox is at fault, which tickets begin again, and which end.
import type { Death, Suspect } from "../../execution/cell.ts";

/** What is known of one ticket that the dead cell had. */
export interface TicketFacts {
  readonly op: number;
  readonly key: number;
  /** It is the load, which ends before anything else of its sandbox begins. */
  readonly isLoad: boolean;
  readonly isMainLane: boolean;
  /** Repeating it makes no difference to running it once. */
  readonly isRepeatable: boolean;
  /** Cells that died under it before. */
  readonly deaths: number;
}

/** What becomes of one ticket of a cell that died. */
export type Decision =
  /** It had not begun, or may be repeated. */
  | { readonly do: "again" }
  /** It may be repeated, but may be at fault: in a cell without other sandboxes. */
  | { readonly do: "alone" }
  | {
      readonly do: "end";
      readonly kind: "timeout" | "memory" | "crashed" | "cell-lost";
      readonly isGuilty: boolean;
    };

// Cells also die by accident, several in a row.
/** After more deaths than this, a ticket is retried in a cell without other sandboxes. */
const deathsBeforeAlone = 4;
/** After this many deaths it ends as `cell-lost`. */
const deathsMax = 10;

export function decide(facts: TicketFacts, death: Death): Decision {
  const guilty = guiltyOf(death);
  if (guilty !== undefined && guilty.key === facts.key && hasBegun(facts, death)) {
    // Another ticket was inside: the load had succeeded, and only its answer was lost.
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
 * The end of a slice is not the run's deadline: a run that could not be cut there has not used up its time, and its sandbox is
 * at most a suspect.
 */
export function asSliceOverrun(death: Death, isSlice: (op: number) => boolean): Death {
  const isSliceOver = death.cause === "deadline" && death.culprit !== undefined && isSlice(death.culprit.op);
  return isSliceOver ? { ...death, cause: "slice" } : death;
}

/** The sandbox at fault, where it is certain. */
export function guiltyOf(death: Death): Suspect | undefined {
  if (death.cause === "slice") return undefined;
  if (death.culprit !== undefined) return death.culprit;
  // Only the watchdog can know whose memory it is: it may have been left by a sandbox that is gone.
  if (death.cause === "memory") return undefined;
  return isSomebodysFault(death) && death.inside.length === 1 ? death.inside[0] : undefined;
}

/** Sandboxes that may be at fault, where it is not certain which. */
export function suspectsOf(death: Death): readonly Suspect[] {
  if (death.cause === "slice") return death.culprit === undefined ? [] : [death.culprit];
  return guiltyOf(death) === undefined && isSomebodysFault(death) ? death.inside : [];
}

// For a cell that was stopped or killed from outside, or ended by us, no sandbox is at fault.
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

// On the main lane tickets begin in the order in which they were sent, and while one is inside nothing that was sent
// after it begins on any lane.
function hasBegun(facts: TicketFacts, death: Death): boolean {
  if (facts.op <= death.lastBegun) return true;
  return !facts.isMainLane && !death.inside.some(({ op }) => op === death.lastBegun);
}
