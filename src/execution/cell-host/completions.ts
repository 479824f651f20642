// What becomes of an activity when its flow is over, and of all that waited in its sandbox.
import type { Clock } from "../../std/clock.ts";
import type { Activity, Completion, StateChanges } from "./activity.ts";
import type { Box } from "./box.ts";
import type { Driver } from "./driver.ts";
import { answered, disposedCompletion, forgetFlow, isOutOfRange, isValue, measured } from "./flows.ts";
import { settleFlow } from "./reload-flow.ts";
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

  /** The guest answered or was cut; without an completion it waits for its timers. */
  conclude(box: Box, activity: Activity, completion: Completion | undefined): void {
    box.current = 0;
    box.isTentative = false;
    if (completion === undefined) this.#keepPending(box, activity);
    else this.finish(box, activity, completion);
    this.next(box);
  }

  /** Ends an activity, with all that must be told at the same moment. */
  finish(box: Box, activity: Activity, completion: Completion): void {
    const { changes } = activity;
    if (changes === undefined) return this.#finish(box, activity, completion);
    this.#parts.reporter.together(() => {
      this.#finish(box, activity, completion);
      this.#tellChanges(box, changes);
    });
  }

  /** States that changed without an activity's end; they may bring the ends of others. */
  tell(box: Box, changes: StateChanges | undefined): void {
    if (changes !== undefined) this.#parts.reporter.together(() => this.#tellChanges(box, changes));
  }

  #tellChanges(box: Box, changes: StateChanges): void {
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
    const isOverMemory = this.#sampleAfter(box, activity, completion);
    if (isOverMemory && box.isMemoryLowered) box.dispose("memory");
    const told = isOverMemory || isEmptied(box, activity, completion) ? outOfMemory : completion;
    this.#parts.reporter.done(box, activity, told);
    if (activity.kind === "load") this.#openAfterLoad(box, told);
  }

  /**
   * Ends what waits for its timers. A run's continuation must not live on, so the isolate goes, unless others wait in it:
   * then its late answer is forgotten. A reload is undone when nobody is inside, and its modules go no further.
   */
  abandon(box: Box, activity: Activity, completion: Completion): void {
    if (!box.pending.has(activity.op)) return;
    if (box.isLost) return this.finish(box, activity, disposedCompletion(box));
    const isReload = activity.kind === "reload";
    if (isReload && box.isBusy) {
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
    if (box.isBusy) box.queue.push({ op: 0, start: forget });
    else forget();
  }

  /**
   * Its fuel is used up and it waits all the same: it ends here, so that it cannot go on with the fuel of whoever comes
   * next.
   */
  exhaust(box: Box, activity: Activity): void {
    if (!box.pending.has(activity.op)) return;
    const completion = { verdict: "fuel", answer: "" } as const;
    this.#parts.driver.now(box, measured(box, activity, completion), activity.op);
    // Who only asked a process has no code inside that would go on.
    if (box.pending.size === 1 && activity.kind !== "tell") box.dispose("fuel");
    this.finish(box, activity, completion);
    if (!box.isLost) this.#parts.driver.now(box, forgetFlow(box, activity.op), activity.op);
  }

  /**
   * The isolate is lost, whoever found out and wherever. Whoever is inside comes back first and tells how it ended; then
   * all that waited for it is told too.
   */
  lose(box: Box): void {
    box.clearTimers();
    setImmediate(() => this.next(box));
  }

  /** Lets in who waits, one after the other, until somebody stays inside. In a lost isolate nobody waits any more. */
  next(box: Box): void {
    if (box.isLettingIn) return;
    box.isLettingIn = true;
    for (let start = box.takeNext(); start !== undefined; start = box.takeNext()) start();
    box.isLettingIn = false;
    if (box.isLost && !box.isEntered) this.#loseRest(box);
  }

  // What waited inside a lost isolate ends as the one that lost it; what had not begun goes back untouched.
  #loseRest(box: Box): void {
    const { reporter } = this.#parts;
    const completion = disposedCompletion(box);
    const waiting = [...box.pending.values()];
    box.pending.clear();
    for (const activity of waiting) {
      activity.deadline?.cancel();
      reporter.done(box, activity, completion);
    }
    // Where no operation told of it, nobody would know before the next one comes.
    if (!box.isLossTold && box.isLoaded && completion.verdict !== "gone")
      reporter.background(box, completion.verdict);
    this.#sendBack(box);
  }

  #keepPending(box: Box, activity: Activity): void {
    activity.outgrowSlice();
    box.pending.set(activity.op, activity);
    // Where this thread was held up, its answer may be waiting behind this very clock: it is read first.
    activity.deadline = this.#parts.clock.after(activity.remainingMs(), () => {
      setImmediate(() => this.abandon(box, activity, { verdict: "timeout", answer: "" }));
    });
    if (activity.isExhausted) this.exhaust(box, activity);
    else this.#parts.reporter.pending(box, activity);
  }

  // What waited behind a load that failed has not begun and goes back.
  #openAfterLoad(box: Box, completion: Completion): void {
    box.isLoading = false;
    box.isLoaded = isValue(completion);
    if (!box.isLoaded) this.#sendBack(box);
  }

  #sendBack(box: Box): void {
    for (const { op } of box.queue.splice(0)) if (op !== 0) this.#parts.reporter.gone(op);
  }

  // Samples the heap where it is due. True when what it holds is over the limit and the engine did not see to it: a limit
  // that was lowered after the isolate was made, or one that was met by a buffer that could not be had.
  #sampleAfter(box: Box, activity: Activity, completion: Completion): boolean {
    const { reporter, clock } = this.#parts;
    const isDue = box.heap.isDue(clock.monotonic() - activity.startedMs);
    const isInQuestion = box.isMemoryLowered || isOutOfRange(completion.answer);
    const sample = !box.isLost && !box.isEntered && (isDue || isInQuestion) ? box.heap.sample() : undefined;
    reporter.heap(sample);
    if (sample === undefined || !isInQuestion) return false;
    return sample.heapBytes + sample.externalBytes > box.limits.memoryBytes;
  }
}

// What was to be in the isolate is not there, whatever it answered.
function isEmptied(box: Box, { kind }: Activity, completion: Completion): boolean {
  return box.isLost && completion.verdict === "answered" && (kind === "load" || kind === "reload");
}
