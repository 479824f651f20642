// What guests do between runs, in their timers' turns: cut when it takes too long, and given up when that happens again
// and again.
import type { CellVerdict, Report } from "../../execution/protocol/messages.ts";
import type { LimitName } from "../../model/limits.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import type { Bus } from "../../observability/bus.ts";
import type { Clock } from "../../std/clock.ts";
import type { Homing } from "../cells/assignment.ts";
import type { Resident } from "../sandboxes/resident.ts";
import { isTooOften } from "../cells/restart-policy.ts";
import type { Runs } from "./runs.ts";

export interface BackgroundParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly homing: Homing;
  readonly runs: Runs;
  readonly fail: (resident: Resident, failure: GuestFailure) => void;
}

const rule = { max: 3, windowMs: 60_000 };

interface Cut {
  readonly reason: "timeout" | "memory" | "cpu";
  readonly limit: LimitName;
}

const overStep: Cut = { reason: "timeout", limit: "stepMs" };
const cuts: Partial<Record<CellVerdict, Cut>> = {
  memory: { reason: "memory", limit: "memoryBytes" },
  "cpu-share": { reason: "cpu", limit: "cpuPercent" },
};

export class Background {
  readonly #parts: BackgroundParts;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /** A timer's turn was cut, and maybe cost the sandbox its isolate. */
  onCut(resident: Resident, report: Extract<Report, { t: "background" }>): void {
    const { clock, bus, homing, runs, fail } = this.#parts;
    if (!["running", "reloading"].includes(resident.status)) return;
    const nowMs = clock.monotonic();
    const { reason, limit } = cuts[report.verdict] ?? overStep;
    bus.emit("sandbox.killed", { sandboxId: resident.id, reason });
    resident.backgroundCutsMs = [...resident.backgroundCutsMs.slice(1 - rule.max), nowMs];
    if (isTooOften(resident.backgroundCutsMs, nowMs, rule)) {
      const message = `Cannot go on as its timers were cut ${rule.max} times within ${rule.windowMs} ms, lately for ${reason}`;
      return fail(resident, { kind: reason, limit, message });
    }
    if (!report.isLost) return;
    homing.forgetHome(resident);
    runs.rebuild(resident, reason);
  }
}
