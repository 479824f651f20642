// What happens when the flow of an activity is over: it is reported or waits, and what waited for the isolate begins.
import type { Clock } from "../../std/clock.ts";
import type { Activity, Completion, StateChanges } from "./activity.ts";
import type { Box } from "./box.ts";
import type { Driver } from "./driver.ts";
import { answered, disposedCompletion, forgetFlow, isValue, measured } from "./flows/flows.ts";
import { settleFlow } from "./flows/reload-flow.ts";
import type { Reporter } from "./reporter.ts";

const outOfMemory: Completion = { verdict: "memory", answer: "" };

export interface CompletionsParts {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly driver: Driver;
}

export class Completions {
  readonly #parts: CompletionsParts;

  constructor(parts: CompletionsParts) {
    this.#parts = parts;
  }

  /** The flow is over; without a completion the guest waits for its timers. */
  conclude(box: Box, activity: Activity, completion: Completion | undefined): void {
    box.current = 0;
    box.isTentative = false;
    if (completion === undefined) this.#keepPending(box, activity);
    else this.finish(box, activity, completion);
    this.next(box);
  }

  /** Ends an activity, and reports with it the states that it changed. */
  finish(box: Box, activity: Activity, completion: Completion): void {
    const { changes } = activity;
    if (changes === undefined) return this.#finish(box, activity, completion);
    this.#parts.reporter.together(() => {
      this.#finish(box, activity, completion);
      this.#reportChanges(box, changes);
    });
  }

  /** Reports states that changed without the end of an activity, and activities that were answered with them. */
  reportChanges(box: Box, changes: StateChanges | undefined): void {
    if (changes !== undefined) this.#parts.reporter.together(() => this.#reportChanges(box, changes));
  }

  #reportChanges(box: Box, changes: StateChanges): void {
    this.#parts.reporter.state(box.key, changes);
    for (const [op, answer] of changes.answered) {
      const activity = box.pending.get(op);
      if (activity !== undefined) this.#finish(box, activity, answered(answer));
    }
  }

  #finish(box: Box, activity: Activity, completion: Completion): void {
    activity.deadline?.cancel();
    box.pending.delete(activity.op);
    const { driver } = this.#parts;
    const isUndone =
      activity.kind === "reload" && !isValue({ ...completion, verdict: activity.verdictOf(box, completion) });
    if (isUndone && !box.isLost) driver.now(box, settleFlow(box, false), activity.op);
    const { reporter } = this.#parts;
    reporter.heap(box.heap.take());
    const reported = isEmptied(box, activity, completion) ? outOfMemory : completion;
    reporter.done(box, activity, reported);
    if (activity.kind === "load") this.#openAfterLoad(box, reported);
  }

  /**
   * Ends an activity that waits for its timers. A run must not continue, so its isolate is disposed of, unless others wait in
   * it: then its late answer is dropped. A reload is undone when nothing is inside.
   */
  abandon(box: Box, activity: Activity, completion: Completion): void {
    if (!box.pending.has(activity.op)) return;
    if (box.isLost) return this.finish(box, activity, disposedCompletion(box));
    const isReload = activity.kind === "reload";
    if (isReload && box.isOccupied) {
      const later = (): void => {
        this.abandon(box, activity, completion);
        this.next(box);
      };
      return void box.queue.push({ op: 0, start: later });
    }
    const isOwn = activity.kind === "run" || activity.kind === "load";
    if (isOwn && !box.isBusy && box.pending.size === 1) box.dispose(completion.verdict);
    this.finish(box, activity, completion);
    if (box.isLost) return;
    const forget = (): void => {
      this.#parts.driver.now(box, forgetFlow(box, activity.op), activity.op);
      this.next(box);
    };
    if (box.isOccupied) box.queue.push({ op: 0, start: forget });
    else forget();
  }

  /** Ends an activity that waits and has used up its fuel, so that it cannot continue with the fuel of the next one. */
  exhaust(box: Box, activity: Activity): void {
    if (!box.pending.has(activity.op)) return;
    const completion = { verdict: "fuel", answer: "" } as const;
    this.#parts.driver.now(box, measured(box, activity, completion), activity.op);
    // A message to a process has no code of its own that would continue.
    if (box.pending.size === 1 && activity.kind !== "tell") box.dispose("fuel");
    this.finish(box, activity, completion);
    if (!box.isLost) this.#parts.driver.now(box, forgetFlow(box, activity.op), activity.op);
  }

  /** The isolate is lost. In the next turn, after an entry that is inside has returned, all that waited for it is reported. */
  lose(box: Box): void {
    box.clearTimers();
    box.releaseShipped();
    setImmediate(() => this.next(box));
  }

  /**
   * Starts queued work, one after the other, until one stays inside. In a lost isolate all that waits ends. Other sandboxes in
   * the same isolate go first.
   */
  next(box: Box): void {
    box.isolate.shared.admitOthers(box.isolate);
    this.admit(box);
  }

  /** Starts the queued work of one sandbox. */
  admit(box: Box): void {
    if (box.isAdmitting) return;
    box.isAdmitting = true;
    for (let start = box.takeNext(); start !== undefined; start = box.takeNext()) start();
    box.isAdmitting = false;
    if (box.queue.length > 0 || box.laneAskedMs !== undefined) box.noteHeldUp(this.#parts.clock.monotonic());
    if (box.isLost && !box.isEntered) this.#loseRest(box);
  }

  // What waited inside a lost isolate ends with its verdict; what had not begun is reported as gone.
  #loseRest(box: Box): void {
    const { reporter } = this.#parts;
    const completion = disposedCompletion(box);
    const waiting = [...box.pending.values()];
    box.pending.clear();
    for (const activity of waiting) {
      activity.deadline?.cancel();
      reporter.done(box, activity, completion);
    }
    // Where no operation reported the loss, the orchestrator must learn of it before the next one.
    if (!box.isLossReported && box.isLoaded && completion.verdict !== "gone")
      reporter.background(box, completion.verdict);
    this.#sendBack(box);
  }

  #keepPending(box: Box, activity: Activity): void {
    activity.outgrowSlice();
    box.pending.set(activity.op, activity);
    this.#awaitDeadline(box, activity, activity.remainingMs());
    if (activity.isExhausted) this.exhaust(box, activity);
    else this.#parts.reporter.pending(box, activity);
  }

  // Time in which it waited for a lane prolongs it, which the orchestrator is told.
  #awaitDeadline(box: Box, activity: Activity, leftMs: number): void {
    const { clock, reporter } = this.#parts;
    const look = (): void => {
      if (!box.pending.has(activity.op)) return;
      const waitingMs = box.laneWaitMs(clock.monotonic());
      const prolongedMs = activity.prolongedMs(waitingMs);
      if (prolongedMs === undefined || box.isLost)
        return this.abandon(box, activity, { verdict: "timeout", answer: "" });
      reporter.prolonged(activity, waitingMs);
      this.#awaitDeadline(box, activity, prolongedMs);
    };
    // Where this thread was blocked, the answer may have arrived already: it is read first.
    activity.deadline = clock.after(leftMs, () => void setImmediate(look));
  }

  // What waited behind a load that failed has not begun, and is reported as gone.
  #openAfterLoad(box: Box, completion: Completion): void {
    box.isLoading = false;
    box.isLoaded = isValue(completion);
    if (!box.isLoaded) this.#sendBack(box);
  }

  #sendBack(box: Box): void {
    for (const { op } of box.queue.splice(0)) if (op !== 0) this.#parts.reporter.gone(op);
  }
}

// The isolate with the new modules is gone, whatever was answered.
function isEmptied(box: Box, { kind }: Activity, completion: Completion): boolean {
  return box.isLost && completion.verdict === "answered" && (kind === "load" || kind === "reload");
}
