// Entries into isolates. Each is announced before it is made, bounded by the isolate's own timer and by the cell's clock, and
// judged by what the cell knows itself, never by the text of an error.
import { chooseClaim, type LaneLoad } from "../../std/fair-turns.ts";
import { isStarved } from "../../std/processor-time.ts";
import type { ServiceMeter } from "../../std/service-meter.ts";
import type { CellVerdict } from "../protocol/messages.ts";
import { mainSlot, slotsMax } from "../slate.ts";
import type { Announcer } from "./announcer.ts";
import { Grace, type CellTimes } from "./grace.ts";
import type { GuestIsolate } from "./isolates/guest-isolate.ts";
import type { GuestFunction } from "./isolates/references.ts";

/**
 * How an entry ended. `broken`: it threw, though the isolate is there and had time left. `starved`: a probe that was cut, though
 * the machine was busy elsewhere meanwhile.
 */
export type EntryEnd = "returned" | "timeout" | "starved" | "disposed" | "broken";

export interface EntryResult {
  readonly end: EntryEnd;
  readonly answer: unknown;
}

/** An isolate as the lanes see it. */
export interface Enterable {
  readonly key: number;
  readonly isolate: Pick<GuestIsolate, "isGone" | "checkGone" | "addCpuMs" | "enter" | "noteCut">;
  /** Another thread is inside: an access now would block, and run what the isolate has queued. */
  isEntered: boolean;
  /** Ends the isolate. */
  dispose(why: CellVerdict): void;
  /** An entry was broken by this: a rejection that nobody has handled. */
  noteUnhandled(error: unknown): void;
}

export interface EntryPlan {
  readonly op: number;
  readonly budgetMs: number;
  /** It is to say whether the cell had the processor, where it is cut. */
  readonly isProbe?: boolean | undefined;
}

interface EntryStart {
  readonly startedMs: number;
  /** What the cell had used by then, where that was asked for. */
  readonly usedAtStartMs?: number | undefined;
}

/** A sandbox that asks for a lane. */
export interface LaneClaim {
  readonly service: ServiceMeter;
  /** Nobody waits for what it will do. */
  readonly isBackground: boolean;
}

interface WaitingClaim extends LaneClaim {
  readonly sinceMs: number;
  readonly give: (slot: number) => void;
}

/** Everything about one short run, in one object. */
export interface QuickEntry extends EntryPlan {
  readonly slot: typeof mainSlot;
  readonly key: number;
  readonly startedMs: number;
  readonly reference: GuestFunction;
  readonly args: readonly unknown[];
  readonly options: { readonly timeout: number };
}

// The isolate's own timer cuts a little after its time at the earliest.
const cutFraction = 0.98;
export class Lanes {
  readonly #announcer: Announcer;
  readonly #times: CellTimes;
  /** How many lanes there are for everyone; one more is for those that used little. */
  readonly #lanes: number;
  readonly #freeSlots: number[] = [];
  /** The lanes that are held, and whether by work in the background. */
  readonly #held = new Map<number, boolean>();
  readonly #waiting: WaitingClaim[] = [];

  constructor(announcer: Announcer, times: CellTimes, asyncLanes: number) {
    this.#announcer = announcer;
    this.#times = times;
    this.#lanes = Math.min(asyncLanes, slotsMax - 2);
    for (let slot = this.#lanes + 1; slot > 0; slot--) this.#freeSlots.push(slot);
  }

  /** Any operation up to this one may have begun, though one that was sent before it begins only now. */
  noteBegun(op: number): void {
    this.#announcer.noteBegun(op);
  }

  /** Enters on this thread and returns the result. */
  enterNow(box: Enterable, plan: EntryPlan, act: (timeout: number) => unknown): EntryResult {
    const startedMs = this.#times.clock.monotonic();
    this.#announcer.enter({ slot: mainSlot, op: plan.op, key: box.key, startedMs, budgetMs: plan.budgetMs });
    const usedAtStartMs = plan.isProbe === true ? this.#times.cpuMs() : undefined;
    box.isolate.enter();
    try {
      return { end: "returned", answer: act(timeoutOf(plan)) };
    } catch (error) {
      return this.#ended(box, error, this.#endOf(box, plan, { startedMs, usedAtStartMs }));
    } finally {
      this.#announcer.leave(mainSlot);
    }
  }

  /** As `enterNow`, for the single entry of a short run: returns the answer itself, or how else it ended. */
  callNow(box: Enterable, quick: QuickEntry): unknown {
    this.#announcer.enter(quick);
    box.isolate.enter();
    try {
      return quick.reference.applySync(undefined, quick.args, quick.options);
    } catch (error) {
      return this.#ended(box, error, this.#endOf(box, quick, quick));
    } finally {
      this.#announcer.leave(mainSlot);
    }
  }

  /** Enters on a thread of its own, in a lane taken before. */
  async enterLater(
    box: Enterable,
    plan: EntryPlan & { readonly slot: number },
    act: (timeout: number) => Promise<unknown>,
  ): Promise<EntryResult> {
    if (box.isolate.isGone) return { end: "disposed", answer: undefined };
    const startedMs = this.#times.clock.monotonic();
    this.#announcer.enter({ slot: plan.slot, op: plan.op, key: box.key, startedMs, budgetMs: plan.budgetMs });
    const usedAtStartMs = this.#times.cpuMs();
    const overdue = new Grace(startedMs + plan.budgetMs, this.#times, () => box.dispose("timeout"));
    box.isEntered = true;
    box.isolate.enter();
    try {
      return { end: "returned", answer: await act(timeoutOf(plan)) };
    } catch (error) {
      return this.#ended(box, error, this.#endOf(box, plan, { startedMs, usedAtStartMs }));
    } finally {
      box.isEntered = false;
      overdue.cancel();
      this.#announcer.leave(plan.slot);
    }
  }

  /** A lane on another thread; waits until it is its turn to have one. */
  takeSlot(claim: LaneClaim): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#waiting.push({ ...claim, sinceMs: this.#times.clock.monotonic(), give: resolve });
    this.#giveFree();
    return promise;
  }

  giveSlot(slot: number): void {
    this.#held.delete(slot);
    this.#freeSlots.push(slot);
    this.#giveFree();
  }

  #giveFree(): void {
    while (this.#waiting.length > 0) {
      const nowMs = this.#times.clock.monotonic();
      const claims = this.#waiting.map(({ service, sinceMs, isBackground }) => {
        return { usedMs: service.at(nowMs), waitedMs: nowMs - sinceMs, isBackground };
      });
      const chosen = chooseClaim(claims, this.#load);
      const slot = chosen === undefined ? undefined : this.#freeSlots.pop();
      if (slot === undefined) return;
      for (const { isBackground, give } of this.#waiting.splice(chosen ?? 0, 1)) {
        this.#held.set(slot, isBackground);
        give(slot);
      }
    }
  }

  get #load(): LaneLoad {
    const heldInBackground = [...this.#held.values()].filter(Boolean).length;
    return { lanes: this.#lanes, held: this.#held.size, heldInBackground };
  }

  #ended(box: Enterable, error: unknown, end: EntryEnd): EntryResult {
    if (end === "broken") box.noteUnhandled(error);
    return { end, answer: undefined };
  }

  #endOf(box: Enterable, plan: EntryPlan, { startedMs, usedAtStartMs }: EntryStart): EntryEnd {
    const passedMs = this.#times.clock.monotonic() - startedMs;
    // What the whole cell used meanwhile; on the main thread a guest uses about all of the time.
    const usedMs = usedAtStartMs === undefined ? passedMs : this.#times.cpuMs() - usedAtStartMs;
    if (!box.isolate.checkGone()) {
      if (passedMs < plan.budgetMs * cutFraction) return "broken";
      box.isolate.noteCut();
      return plan.isProbe === true && isStarved(usedMs, passedMs) ? "starved" : "timeout";
    }
    // Where other lanes are busy, the cell may have used more than there was time for one.
    box.isolate.addCpuMs(Math.min(passedMs, usedMs));
    return "disposed";
  }
}

/** The processor time that all threads of this process have used. */
export function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The isolate's timer counts whole milliseconds from 1. */
export function timeoutOf(plan: Pick<EntryPlan, "budgetMs">): number {
  return Math.max(1, Math.ceil(plan.budgetMs));
}
