// Starts activities: on the main lane at once, or on a lane of their own as soon as one is free.
import type { Clock } from "../../std/clock.ts";
import type { MainLaneGuard } from "../main-lane.ts";
import { Activity, type ActivityPlan, type Start } from "./activity.ts";
import type { LoadCommand, ReloadCommand } from "../protocol/messages.ts";
import type { Box } from "./box.ts";
import type { Driver } from "./driver.ts";
import type { Completions } from "./completions.ts";
import type { Flow } from "./flows/entry-request.ts";
import { reloadFlow } from "./flows/reload-flow.ts";

export interface StartsParts {
  readonly clock: Clock;
  readonly driver: Driver;
  readonly completions: Completions;
  readonly mainLane: MainLaneGuard;
}

export class Starts {
  readonly #parts: StartsParts;
  /** How many operations wait for a lane or are in it for the first time. */
  inside = 0;

  constructor(parts: StartsParts) {
    this.#parts = parts;
  }

  /** The readings of the meters now. */
  startOf(box: Box): Start {
    return { startedMs: this.#parts.clock.monotonic(), cpuMs: box.cpuMs(), outputBytes: box.output.bytes };
  }

  /** Drives a flow to its end and concludes it. */
  begin(box: Box, plan: ActivityPlan, flowOf: (activity: Activity) => Flow): void {
    const { clock, completions, driver, mainLane } = this.#parts;
    if (plan.lane === "async") {
      void this.#beginLater(box, plan, flowOf);
      return;
    }
    const activity = new Activity(plan, this.startOf(box), clock);
    box.current = plan.op;
    box.isMessage = plan.kind === "tell";
    box.isTentative = plan.lane === "slice";
    const completion = driver.now(box, flowOf(activity), plan.op);
    const nowMs = clock.monotonic();
    mainLane.note(nowMs - activity.startedMs, box.quickInRow, nowMs);
    completions.conclude(box, activity, completion);
  }

  /** Whether the main lane is spared by a load, unless its code is known to be quick. */
  isSparedBy({ lane, isProven }: LoadCommand): boolean {
    if (lane === "async" || isProven) return false;
    return !this.#parts.mainLane.isOpenTo(0, this.#parts.clock.monotonic());
  }

  #isMainLaneOpenTo({ quickInRow }: Box): boolean {
    return this.#parts.mainLane.isOpenTo(quickInRow, this.#parts.clock.monotonic());
  }

  /** Evaluates new code in a running sandbox. */
  beginReload(box: Box, command: ReloadCommand): void {
    const { op, budgetMs } = command;
    const lane = this.#isMainLaneOpenTo(box) ? command.lane : "async";
    const plan = { op, lane, timeoutMs: budgetMs, cpuMs: null, sliceMs: 0, kind: "reload" } as const;
    this.begin(box, plan, (activity) => reloadFlow(box, activity, command));
  }

  async #beginLater(box: Box, plan: ActivityPlan, flowOf: (activity: Activity) => Flow): Promise<void> {
    this.inside++;
    await this.#parts.driver.inLane(box, "operation", async (slot) => {
      // Its clock starts here: waiting for a lane does not count.
      const activity = new Activity(plan, this.startOf(box), this.#parts.clock);
      box.current = plan.op;
      box.isMessage = plan.kind === "tell";
      const completion = await this.#parts.driver.later(box, flowOf(activity), {
        activities: [activity],
        slot,
      });
      return () => {
        this.inside--;
        this.#parts.completions.conclude(box, activity, completion);
      };
    });
  }
}
