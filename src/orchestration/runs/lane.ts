// Pure: which way a run enters its isolate. A synchronous entry is several times cheaper, but while it lasts its
// neighbours in the cell wait; so it is for runs that are known, or bound, to be short.
import type { Lane } from "../../execution/protocol/messages.ts";

/** What is known of how long a sandbox's runs take. */
export type Pace = "unknown" | "quick" | "slow";

const shortDeadlineMs = 50;
const quickMs = 10;

/** How long the main lane may be held before everyone else in the cell suffers. */
const heldMsMax = 100;
const quickRunsAfterHolding = 1_000;

/** What the runs of one sandbox lasted. Whoever once held the main lane for long has to be quick many times before it is trusted with it again. */
export class PaceHistory {
  #hasRun = false;
  #quickInRow = 0;
  #quickNeeded = 1;

  get pace(): Pace {
    if (!this.#hasRun) return "unknown";
    return this.#quickInRow >= this.#quickNeeded ? "quick" : "slow";
  }

  note(wallMs: number, lane: Lane): void {
    this.#hasRun = true;
    this.#quickInRow = wallMs <= quickMs ? this.#quickInRow + 1 : 0;
    if (lane === "sync" && wallMs > heldMsMax) this.#quickNeeded = quickRunsAfterHolding;
  }
}

// The engine cannot be interrupted while it reads code, at some megabytes a second: more than this outlasts a slice.
const slicedCodeMax = 65_536;

/** How modules of so much code are loaded. */
export function chooseLoadLane(codeLength: number): Lane {
  return codeLength > slicedCodeMax ? "async" : "slice";
}

export interface LaneFacts {
  readonly pace: Pace;
  readonly timeoutMs: number;
  /** Its processor time is limited, which only a lane of its own can watch. */
  readonly isCpuBound: boolean;
  /** Nothing ran in it since it was loaded, so that a run that is cut can be repeated on a fresh one. */
  readonly isPristine: boolean;
  /** First runs of other sandboxes tend to outlast a slice. */
  readonly slicesAreWasted: boolean;
}

export function chooseLane(facts: LaneFacts): Lane {
  if (facts.isCpuBound) return "async";
  if (facts.timeoutMs <= shortDeadlineMs || facts.pace === "quick") return "sync";
  return facts.isPristine && !facts.slicesAreWasted ? "slice" : "async";
}

const recentMax = 16;
const wastedShare = 0.25;
const retryEvery = 16;

/** Remembers whether first runs were done within their slice, so that a population of long ones is not sliced for nothing. */
export class SliceHistory {
  #recent: boolean[] = [];
  #asked = 0;

  note(wasCut: boolean): void {
    this.#recent.push(wasCut);
    if (this.#recent.length > recentMax) this.#recent.shift();
  }

  /** Whether the next first run should go without a slice. Now and then one is tried all the same. */
  isWasted(): boolean {
    const cuts = this.#recent.filter(Boolean).length;
    if (this.#recent.length < recentMax / 4 || cuts < this.#recent.length * wastedShare) return false;
    return ++this.#asked % retryEvery !== 0;
  }
}
