// Pure: the lane on which a run enters its isolate. A synchronous entry is several times cheaper, but blocks the other
// sandboxes of the cell, so it is for runs that are known, or bound, to be short.
import { heldMsMax, quickMs } from "../../execution/main-lane.ts";
import type { Lane } from "../../execution/protocol/messages.ts";
import type { Placement } from "../../model/sandboxes/placement.ts";
import { Lru } from "../../std/lru.ts";

/** What is known of how long a sandbox's runs take. */
export type Pace = "unknown" | "quick" | "slow";

const shortDeadlineMs = 50;

const quickRunsAfterHolding = 1_000;
const smoothing = 0.1;
/** Of those that use much, runs that take longer than this have lanes of their own, where that costs them little. */
const heavyQuickMs = 1;

/** How long the runs of one sandbox took. After it held the main lane for long, it needs many quick runs to get it again. */
export class PaceHistory {
  /** How long a run takes, lately. */
  meanMs = 0;
  #hasRun = false;
  #quickInRow = 0;
  #quickNeeded = 1;

  get pace(): Pace {
    if (!this.#hasRun) return "unknown";
    return this.#quickInRow >= this.#quickNeeded ? "quick" : "slow";
  }

  /** How many runs in a row were quick. */
  get quickInRow(): number {
    return this.#quickInRow;
  }

  note(wallMs: number, lane: Lane): void {
    this.meanMs += (wallMs - this.meanMs) * (this.#hasRun ? smoothing : 1);
    this.#hasRun = true;
    this.#quickInRow = wallMs <= quickMs ? this.#quickInRow + 1 : 0;
    if (lane === "sync" && wallMs > heldMsMax) this.#quickNeeded = quickRunsAfterHolding;
  }
}

// The engine cannot be interrupted while it parses, at some megabytes a second: more code than this takes longer than a slice.
const slicedCodeMax = 65_536;

/** The lane on which so much code is loaded. */
export function chooseLoadLane(codeLength: number): Lane {
  return codeLength > slicedCodeMax ? "async" : "slice";
}

/** The lane for a reload: only where its code is known to be quick the one that all sandboxes of the cell share. */
export function chooseReloadLane(facts: {
  /** The sandbox evaluated the same code before, and was quick. */
  readonly isKnown: boolean;
  readonly hasProcesses: boolean;
  readonly isCpuBound: boolean;
  readonly isHeavy: boolean;
}): Exclude<Lane, "slice"> {
  const { isKnown, hasProcesses, isCpuBound, isHeavy } = facts;
  return isKnown && !hasProcesses && !isCpuBound && !isHeavy ? "sync" : "async";
}

export interface LaneFacts {
  readonly pace: Pace;
  /** How long a run of its sandbox takes, lately. */
  readonly meanMs: number;
  readonly timeoutMs: number;
  /** Its processor time is limited, which can be watched only on a lane of its own. */
  readonly isCpuBound: boolean;
  /** Nothing ran in the isolate since it was loaded, so that a run that is cut can be repeated in a new one. */
  readonly isPristine: boolean;
  /** Its sandbox used much processor time lately. */
  readonly isHeavy: boolean;
  /** A run held the main lane of the cell for long, and it is spared for a while by those that have been quick for less long. */
  readonly isMainLaneClosed: boolean;
  /** First runs of other sandboxes tend to take longer than a slice. */
  readonly slicesAreWasted: boolean;
}

export function chooseLane(facts: LaneFacts): Lane {
  if (facts.isCpuBound) return "async";
  if (facts.pace === "quick") {
    const isTooMuch = facts.isHeavy && facts.meanMs > heavyQuickMs;
    return facts.isMainLaneClosed || isTooMuch ? "async" : "sync";
  }
  // Runs of those that are slow and used much would fill the main lane, however short each is cut.
  if (facts.isHeavy) return "async";
  if (facts.timeoutMs <= shortDeadlineMs && facts.pace === "unknown") return "sync";
  // Not everything can be cut when its slice is over.
  const maySlice = facts.isPristine && !facts.slicesAreWasted && !facts.isMainLaneClosed;
  return maySlice ? "slice" : "async";
}

const recentMax = 16;
const wastedShare = 0.25;
const retryEvery = 16;
/** So long no slices are given after one that could not be cut, and cost a cell. */
const uncutMs = 5_000;

/** Whether a tenant's first runs ended within their slice, so that slices are not wasted on a population of long runs. */
export class SliceHistory {
  #recent: boolean[] = [];
  #asked = 0;
  #closedUntilMs = -Infinity;

  note(wasCut: boolean): void {
    this.#recent.push(wasCut);
    if (this.#recent.length > recentMax) this.#recent.shift();
  }

  /** A run went on when its slice was over, until its cell was ended. */
  noteUncut(nowMs: number): void {
    this.note(true);
    this.#closedUntilMs = nowMs + uncutMs;
  }

  /** Whether the next first run should get no slice. Every so often one is tried all the same. */
  isWasted(nowMs: number): boolean {
    if (nowMs < this.#closedUntilMs) return true;
    const cuts = this.#recent.filter(Boolean).length;
    if (this.#recent.length < recentMax / 4 || cuts < this.#recent.length * wastedShare) return false;
    return ++this.#asked % retryEvery !== 0;
  }
}

const tenantsMax = 1_000;

/** The histories of tenants, each of its own; null is for all sandboxes without one. */
export class SliceHistories {
  readonly #byTenant = new Lru<SliceHistory>(tenantsMax);

  of({ tenant }: Pick<Placement, "tenant">): SliceHistory {
    const key = tenant ?? "";
    const known = this.#byTenant.get(key);
    if (known !== undefined) return known;
    const history = new SliceHistory();
    this.#byTenant.set(key, history, 1);
    return history;
  }
}
