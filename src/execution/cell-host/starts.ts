// How an activity begins: on the main lane at once, or on one of its own as soon as there is one.
import type { Clock } from "../../std/clock.ts";
import { Activity, type ActivityPlan, type Start } from "./activity.ts";
import type { Box } from "./box.ts";
import type { Driver } from "./driver.ts";
import type { Completions } from "./completions.ts";
import type { Flow } from "./entry-request.ts";

export interface StartsParts {
  readonly clock: Clock;
  readonly driver: Driver;
  readonly completions: Completions;
}

export class Starts {
  readonly #parts: StartsParts;
  /** Operations that wait for a lane or are in one for the first time. */
  inside = 0;

  constructor(parts: StartsParts) {
    this.#parts = parts;
  }

  /** What is measured from. */
  startOf(box: Box): Start {
    return { startedMs: this.#parts.clock.monotonic(), cpuMs: box.cpuMs(), outputBytes: box.output.bytes };
  }

  /** Drives a flow to its end, and sees to what becomes of it. */
  begin(box: Box, plan: ActivityPlan, flowOf: (activity: Activity) => Flow): void {
    if (plan.lane === "async") {
      void this.#beginLater(box, plan, flowOf);
      return;
    }
    const activity = new Activity(plan, this.startOf(box), this.#parts.clock);
    box.current = plan.op;
    box.isTold = plan.kind === "tell";
    box.isTentative = plan.lane === "slice";
    this.#parts.completions.conclude(box, activity, this.#parts.driver.now(box, flowOf(activity), plan.op));
  }

  async #beginLater(box: Box, plan: ActivityPlan, flowOf: (activity: Activity) => Flow): Promise<void> {
    let conclude = (): void => {};
    this.inside++;
    await this.#parts.driver.inLane(box, async (slot) => {
      // Its clock starts here: waiting for a lane is not its time.
      const activity = new Activity(plan, this.startOf(box), this.#parts.clock);
      box.current = plan.op;
      box.isTold = plan.kind === "tell";
      const completion = await this.#parts.driver.later(box, flowOf(activity), {
        activities: [activity],
        slot,
      });
      conclude = () => this.#parts.completions.conclude(box, activity, completion);
    });
    this.inside--;
    conclude();
  }
}
