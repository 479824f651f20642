// Drives flows: on the main thread at once, or on a thread of the isolate's own.
import type { Clock } from "../../std/clock.ts";
import { onlyOpOf, type Activity } from "./activity.ts";
import type { Box } from "./box.ts";
import { CpuWatch } from "./isolates/cpu-watch.ts";
import type { Flow } from "./flows/entry-request.ts";
import type { Lanes } from "./lanes.ts";

export class Driver {
  readonly #lanes: Lanes;
  readonly #cpuWatch: CpuWatch;

  constructor(lanes: Lanes, clock: Clock) {
    this.#lanes = lanes;
    this.#cpuWatch = new CpuWatch(clock);
  }

  /** Drives a flow to its end on the main thread. */
  now<T>(box: Box, flow: Flow<T>, op: number): T {
    let step = flow.next({ end: "returned", answer: undefined });
    while (!step.done) {
      const { budgetMs, now } = step.value;
      step = flow.next(this.#lanes.enterNow(box, { op, budgetMs }, now));
    }
    return step.value;
  }

  /** Waits for a lane and holds it while `act` drives flows in it. Meanwhile nothing else enters the box. */
  async inLane(box: Box, act: (slot: number) => Promise<void>): Promise<void> {
    box.isBusy = true;
    const slot = await this.#lanes.takeSlot();
    try {
      await act(slot);
    } finally {
      this.#lanes.giveSlot(slot);
      box.isBusy = false;
    }
  }

  /** Drives a flow in a lane that is held, on behalf of one activity or of several. */
  async later<T>(
    box: Box,
    flow: Flow<T>,
    within: { readonly activities: readonly Activity[]; readonly slot: number },
  ): Promise<T> {
    const { activities, slot } = within;
    const op = onlyOpOf(activities);
    let step = flow.next({ end: "returned", answer: undefined });
    while (!step.done) {
      const { budgetMs, later } = step.value;
      const watch = this.#cpuWatch.start(box, activities);
      const result = await this.#lanes.enterLater(box, { op, budgetMs, slot }, later);
      watch?.cancel();
      step = flow.next(result);
    }
    return step.value;
  }
}
