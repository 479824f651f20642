// Starts activities: on the main lane at once, or on a lane of their own as soon as one is free.
import type { Clock } from "../../std/clock.ts";
import { lightMs } from "../../std/fair-turns.ts";
import type { MainLaneGuard } from "../main-lane.ts";
import { Activity, type ActivityPlan, type Start } from "./activity.ts";
import type { LoadCommand, ReloadCommand } from "../protocol/messages.ts";
import type { Box } from "./box.ts";
import type { Driver } from "./driver.ts";
import type { Completions } from "./completions.ts";
import type { Flow } from "./flows/entry-request.ts";
import { reloadFlow } from "./flows/reload-flow.ts";

/** The engine cannot be interrupted while it compiles: so much code takes a millisecond or two. */
const briefCodeMax = 16_384;

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
    const { op, budgetMs, modules } = command;
    const lane = this.#isMainLaneOpenTo(box) ? command.lane : "async";
    const plan = { op, lane, timeoutMs: budgetMs, cpuMs: null, sliceMs: 0, kind: "reload" } as const;
    this.begin(box, plan, (activity) =>
      reloadFlow(box, activity, { command, isBrief: this.#mayCompileNow(box, modules) }),
    );
  }

  // Whether the main thread may compile the code of a sandbox that has another lane.
  #mayCompileNow(box: Box, modules: LoadCommand["modules"]): boolean {
    const codeLength = modules.reduce((length, [, text]) => length + text.length, 0);
    const usedMs = box.service.at(this.#parts.clock.monotonic());
    return codeLength <= briefCodeMax && usedMs <= lightMs && this.#isMainLaneOpenTo(box);
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
