// Drives flows: on the main thread at once, or on a thread of the isolate's own.
import type { Clock } from "../../std/clock.ts";
import { onlyOpOf, type Activity } from "./activity.ts";
import type { Box } from "./box.ts";
import { CpuWatch } from "./isolates/cpu-watch.ts";
import type { Flow } from "./flows/entry-request.ts";
import type { Lanes } from "./lanes.ts";

/** What a lane is wanted for: an operation, or a turn of timers or processes. */
export type LaneUse = "operation" | "between runs";

export class Driver {
  readonly #lanes: Lanes;
  readonly #clock: Clock;
  readonly #cpuWatch: CpuWatch;

  constructor(lanes: Lanes, clock: Clock) {
    this.#lanes = lanes;
    this.#clock = clock;
    this.#cpuWatch = new CpuWatch(clock);
  }

  /** Drives a flow to its end on the main thread. */
  now<T>(box: Box, flow: Flow<T>, op: number): T {
    let step = flow.next({ end: "returned", answer: undefined });
    while (!step.done) {
      const { budgetMs, isProbe, now } = step.value;
      step = flow.next(this.#lanes.enterNow(box, { op, budgetMs, isProbe }, now));
    }
    return step.value;
  }

  /**
   * Waits for a lane and holds it while `act` drives flows in it. Meanwhile nothing else enters the box. The wait is not the
   * time of the runs that are pending in it. What `act` returns is called as the box is released, before anything else can enter
   * its isolate.
   */
  async inLane(box: Box, use: LaneUse, act: (slot: number) => Promise<() => void>): Promise<void> {
    const { service } = box;
    box.hold();
    const nowMs = this.#clock.monotonic();
    box.laneAskedMs ??= nowMs;
    box.noteService(nowMs);
    const isBackground = use === "between runs" && box.pending.size === 0;
    const slot = await this.#lanes.takeSlot({ service, isBackground });
    const waitedMs = box.laneWaitMs(this.#clock.monotonic());
    box.laneAskedMs = undefined;
    for (const activity of box.pending.values()) activity.excuse(waitedMs);
    let conclude = (): void => {};
    try {
      conclude = await act(slot);
    } finally {
      box.noteService(this.#clock.monotonic());
      this.#lanes.giveSlot(slot);
      box.release();
    }
    conclude();
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
      const { budgetMs, isProbe, later } = step.value;
      const watch = this.#cpuWatch.start(box, activities);
      const result = await this.#lanes.enterLater(box, { op, budgetMs, isProbe, slot }, later);
      watch?.cancel();
      step = flow.next(result);
    }
    return step.value;
  }
}
