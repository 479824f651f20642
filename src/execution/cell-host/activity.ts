// One operation of the orchestrator's while the cell works on it: a run or a load, with its clock and its meters.
import type { Clock, Timer } from "../../std/clock.ts";
import type { CellVerdict, DoneItem, Lane } from "../protocol/messages.ts";

/** A message to a process is not the process: when its time is over, the process lives on. */
export type ActivityKind = "run" | "tell" | "load" | "reload" | "manage";

export interface ActivityPlan {
  readonly op: number;
  readonly lane: Lane;
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  /** The most that a slice lasts. */
  readonly sliceMs: number;
  /** What it is granted, where that is counted. */
  readonly fuel?: number | null;
  /** `run` unless it says otherwise. */
  readonly kind?: ActivityKind;
}

/** The meters of the sandbox that it runs in. */
export interface Metered {
  readonly isLost: boolean;
  readonly output: { readonly bytes: number; readonly isOver: boolean };
  cpuMs(): number;
}

/** Where the meters stood when it began. */
export interface Start {
  readonly startedMs: number;
  readonly cpuMs: number;
  readonly outputBytes: number;
}

/** How an activity ended. */
export interface Completion {
  readonly verdict: CellVerdict;
  readonly answer: number | string;
}

/** What changed in the states of processes, and all that must be told with it. */
export interface StateChanges {
  readonly capture: string;
  /** Operations that have their answers by now. */
  readonly answered: readonly (readonly [op: number, answer: number | string])[];
  /** Operations that were begun with and not answered. */
  readonly begun: readonly number[];
}

export class Activity {
  readonly op: number;
  readonly lane: Lane;
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  readonly startedMs: number;
  readonly kind: ActivityKind;
  readonly fuel: number | null;
  readonly #start: Start;
  readonly #clock: Clock;
  #allowanceMs: number;
  #countedFromMs: number;
  /** What it used, as far as it was asked. */
  fuelUsed: number | null = null;
  /** It has used up its fuel. */
  isExhausted = false;
  /** What changed in the states of processes with it, where that is to be kept. */
  changes: StateChanges | undefined;
  /** Ends it while it waits for timers. */
  deadline: Timer | undefined;

  constructor(plan: ActivityPlan, start: Start, clock: Clock) {
    this.op = plan.op;
    this.lane = plan.lane;
    this.timeoutMs = plan.timeoutMs;
    this.cpuMs = plan.cpuMs;
    this.startedMs = start.startedMs;
    this.kind = plan.kind ?? "run";
    this.fuel = plan.fuel ?? null;
    this.#start = start;
    this.#clock = clock;
    this.#allowanceMs = allowanceMs(plan);
    this.#countedFromMs = start.startedMs;
  }

  /** Its code is entered now: what was prepared for it, and how long the machine took for that, is not its time. */
  countFromHere(): void {
    this.#countedFromMs = this.#clock.monotonic();
  }

  /** What is left of its time, at least a moment: the isolate's timer knows no less. */
  remainingMs(): number {
    return Math.max(1, this.#countedFromMs + this.#allowanceMs - this.#clock.monotonic());
  }

  get isOverdue(): boolean {
    return this.#clock.monotonic() >= this.#countedFromMs + this.#allowanceMs;
  }

  /** Its time was only a slice, so that a cut says nothing about its deadline. */
  get isSliced(): boolean {
    return this.#allowanceMs < this.timeoutMs;
  }

  /** It waits and holds no lane, so that its whole time is its own. */
  outgrowSlice(): void {
    this.#allowanceMs = this.timeoutMs;
  }

  cpuUsedMs(box: Metered): number {
    return Math.max(0, box.cpuMs() - this.#start.cpuMs);
  }

  /** Whatever a guest made of it: output or fuel that is used up is what ended it. */
  verdictOf(box: Metered, { verdict }: Completion): CellVerdict {
    if (verdict !== "answered") return verdict;
    if (this.isExhausted) return "fuel";
    return box.output.isOver ? "output" : "answered";
  }

  /** The report of its end. */
  toDone(box: Metered, completion: Completion): DoneItem {
    return {
      op: this.op,
      verdict: this.verdictOf(box, completion),
      answer: completion.answer,
      startedUs: toUs(this.startedMs),
      wallUs: toUs(this.#clock.monotonic() - this.startedMs),
      cpuUs: toUs(this.cpuUsedMs(box)),
      outputBytes: Math.max(0, box.output.bytes - this.#start.outputBytes),
      fuel: this.fuelUsed,
      isLost: box.isLost,
    };
  }
}

/** The operation of the only one of these; 0 where there is none, or more than one. */
export function onlyOpOf([first, second]: readonly Activity[]): number {
  return second === undefined ? (first?.op ?? 0) : 0;
}

/** How long an entry may last: a slice, or the whole deadline. */
export function allowanceMs(plan: Pick<ActivityPlan, "lane" | "timeoutMs" | "sliceMs">): number {
  return plan.lane === "slice" ? Math.min(plan.sliceMs, plan.timeoutMs) : plan.timeoutMs;
}

export function toUs(ms: number): number {
  return Math.round(ms * 1_000);
}
