// What runs in sandboxes between runs: timers, turns of processes, answers to requests; one at a time, each on a lane of its
// own, as it cannot be known how long a turn takes. The timers are the cell's own.
import type { Clock } from "../../std/clock.ts";
import { onlyOpOf, type Activity, type Completion } from "./activity.ts";
import type { Box } from "./box.ts";
import type { Driver } from "./driver.ts";
import type { Completions } from "./completions.ts";
import { collectFlow, changesFlow, tickFlow, turnFlow, type TurnFlow } from "./flows/flows.ts";
import { weighFlow } from "./flows/memory-flow.ts";
import type { Reporter } from "./reporter.ts";

export interface TicksParts {
  readonly clock: Clock;
  readonly driver: Driver;
  readonly completions: Completions;
  readonly reporter: Reporter;
}

/** A turn between runs, and the run that caused it; 0 for none. */
export interface Delivery {
  readonly owner: number;
  readonly flow: TurnFlow;
}

const backgroundWindowMs = 1_000;

export class Ticks {
  readonly #parts: TicksParts;

  constructor(parts: TicksParts) {
    this.#parts = parts;
  }

  /** A guest set a timer. */
  arm(box: Box, id: number, delayMs: number): void {
    if (box.isVirtual || box.isLost) return;
    box.timers.get(id)?.cancel();
    box.timerOwners.set(id, box.turnOwner ?? box.current);
    box.timers.set(
      id,
      this.#parts.clock.after(delayMs, () => this.#fire(box, id)),
    );
  }

  /** A guest cleared a timer. */
  disarm(box: Box, id: number): void {
    box.timers.get(id)?.cancel();
    box.timers.delete(id);
    box.timerOwners.delete(id);
  }

  /** A guest's processes have work. */
  wake(box: Box): void {
    if (box.isTurnDue || box.isLost) return;
    box.isTurnDue = true;
    // In a later turn of the event loop, so that many messages are handled in one turn of the processes.
    setImmediate(() => this.#turnProcesses(box));
  }

  /** The sandbox goes on after a pause. */
  release(box: Box): void {
    for (const act of box.held.splice(0)) act();
    if (box.isTurnDue) this.#turnProcesses(box);
  }

  #turnProcesses(box: Box): void {
    if (box.isLost) return;
    // While it is paused, other queued work may enter.
    if (box.isPaused) this.#parts.completions.next(box);
    else if (box.isOccupied) this.#enqueue(box, () => this.#turnProcesses(box));
    else void this.#turnLater(box);
  }

  async #turnLater(box: Box): Promise<void> {
    box.isTurnDue = false;
    await this.#parts.driver.inLane(box, "between runs", async (slot) => {
      const hasMore = !box.isLost && (await this.#turnIn(box, slot));
      return () => {
        this.#parts.completions.next(box);
        if (hasMore) this.wake(box);
      };
    });
  }

  // One turn of the processes; true when some still have work.
  async #turnIn(box: Box, slot: number): Promise<boolean> {
    const { driver, completions } = this.#parts;
    this.#restartBackgroundOutput(box);
    const waiting = [...box.pending.values()];
    const startedMs = this.#parts.clock.monotonic();
    const hasMore = await driver.later(box, turnFlow(box), { activities: [], slot });
    if (typeof hasMore !== "boolean") {
      this.#endCut(box, waiting, hasMore);
      return false;
    }
    await this.#weigh(box, startedMs, slot);
    await this.#collect(box, waiting, slot);
    if (box.isCheckpointed && !box.isLost)
      completions.reportChanges(box, await driver.later(box, changesFlow(box), { activities: [], slot }));
    return hasMore;
  }

  /** Enters between runs, as soon as nothing is inside. */
  deliver(box: Box, delivery: Delivery): void {
    if (box.isLost) return;
    const again = (): void => this.deliver(box, delivery);
    if (box.isPaused) {
      box.held.push(again);
      this.#parts.completions.next(box);
    } else if (box.isOccupied) this.#enqueue(box, again);
    else void this.#deliverLater(box, delivery);
  }

  #enqueue(box: Box, start: () => void): void {
    box.queue.push({ op: 0, start });
    box.noteHeldUp(this.#parts.clock.monotonic());
  }

  #fire(box: Box, id: number): void {
    const owner = box.timerOwners.get(id) ?? 0;
    box.timers.delete(id);
    box.timerOwners.delete(id);
    this.deliver(box, { owner, flow: tickFlow(box, id) });
  }

  async #deliverLater(box: Box, delivery: Delivery): Promise<void> {
    await this.#parts.driver.inLane(box, "between runs", async (slot) => {
      if (!box.isLost) await this.#turn(box, delivery, slot);
      return () => this.#parts.completions.next(box);
    });
  }

  // One turn, then a check whether runs that waited have their answers.
  async #turn(box: Box, { owner, flow }: Delivery, slot: number): Promise<void> {
    const { driver } = this.#parts;
    this.#restartBackgroundOutput(box);
    const waiting = [...box.pending.values()];
    box.turnOwner = owner;
    box.current = box.pending.has(owner) ? owner : onlyOpOf(waiting);
    const budgetMs = longestMs(waiting) ?? box.limits.stepMs;
    const startedMs = this.#parts.clock.monotonic();
    const completion = await driver.later(box, flow({ owner, budgetMs }), { activities: waiting, slot });
    box.current = 0;
    box.turnOwner = undefined;
    if (completion !== undefined) return this.#endCut(box, waiting, completion);
    await this.#weigh(box, startedMs, slot);
    await this.#collect(box, waiting, slot);
  }

  // What a turn leaves behind may be too much. Then all that waits ends with the isolate, and without a run it is reported.
  async #weigh(box: Box, startedMs: number, slot: number): Promise<void> {
    const { clock, driver, reporter } = this.#parts;
    const ranMs = clock.monotonic() - startedMs;
    await driver.later(box, weighFlow(box, { ranMs }), { activities: [], slot });
    reporter.heap(box.heap.take());
  }

  // Collects the answers of runs that waited.
  async #collect(box: Box, waiting: readonly Activity[], slot: number): Promise<void> {
    const { driver, completions } = this.#parts;
    for (const activity of waiting) {
      if (!box.pending.has(activity.op) || box.isLost) continue;
      const answered = await driver.later(box, collectFlow(box, activity), { activities: [activity], slot });
      // Its deadline may have come meanwhile.
      if (!box.pending.has(activity.op)) continue;
      if (answered !== undefined) completions.finish(box, activity, answered);
      else if (activity.isExhausted) completions.exhaust(box, activity);
    }
  }

  // The turn was cut. Runs that waited end with it, as it had their time; without one, it is reported as background work.
  #endCut(box: Box, waiting: readonly Activity[], completion: Completion): void {
    const { completions, reporter } = this.#parts;
    if (waiting.length === 0 && completion.verdict !== "gone") reporter.background(box, completion.verdict);
    for (const activity of waiting) {
      if (box.pending.has(activity.op)) completions.finish(box, activity, completion);
    }
  }

  // Without a run, a guest may write as much per second as a run may in all.
  #restartBackgroundOutput(box: Box): void {
    const nowMs = this.#parts.clock.monotonic();
    if (box.pending.size > 0 || nowMs - box.backgroundStartMs < backgroundWindowMs) return;
    box.backgroundStartMs = nowMs;
    box.output.restart(box.limits.outputBytes);
  }
}

// The longest time left of the runs that wait. Those that wait for the answer of a process do not count.
function longestMs(waiting: readonly Activity[]): number | undefined {
  const runs = waiting.filter(({ kind }) => kind !== "tell");
  return runs.length === 0 ? undefined : Math.max(...runs.map((activity) => activity.remainingMs()));
}
