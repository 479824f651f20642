// A reload tried out: in an isolate of its own, with the code and the states that the sandbox has now, so that whatever the
// new code does to them is done to copies.
import { LoadError } from "../model/errors.ts";
import type { SandboxId } from "../model/ids.ts";
import { historyOf } from "../orchestration/code/building.ts";
import { writeVersions } from "../code/individual.ts";
import { readReport } from "../orchestration/reload/migration.ts";
import { askOfProcesses } from "../orchestration/processes/processes.ts";
import type { ReloadOrder, ReloadReport } from "../orchestration/reload/reload-plan.ts";
import type { Resident } from "../orchestration/sandboxes/resident.ts";
import { randomName } from "../std/random.ts";
import type { Engine } from "./engine.ts";
import { captureStates } from "./local-processes.ts";

/** What a reload would do: what can be told without running it, and how the states of processes would fare. */
export async function rehearse(
  engine: Engine,
  resident: Resident,
  order: ReloadOrder,
): Promise<ReloadReport> {
  const { reloads, lifecycle } = engine.parts;
  const report = await reloads.plan(resident, order);
  const { processes } = resident;
  if (report.status === "unchanged" || processes === null || processes.supervisor === null) return report;
  const capture = await captureStates(engine, resident);
  const { limits, profile, placement, character, ancestry } = resident;
  const apart = await lifecycle.create({
    id: randomName("rehearsal") as SandboxId,
    code: historyOf(writeVersions(resident.versions)),
    limits,
    profile,
    placement,
    character,
    ancestry,
    labels: {},
    processes: { supervisor: processes.supervisor, checkpoint: null },
    capture,
  });
  try {
    return { ...report, states: await statesAfter(engine, apart, order) };
  } finally {
    await lifecycle.destroy(apart, "its rehearsal is over");
  }
}

// A state that cannot be migrated is a row of the report; anything else that fails would fail the reload too.
async function statesAfter(
  engine: Engine,
  apart: Resident,
  { changes, mutation, migrate }: ReloadOrder,
): Promise<ReloadReport["states"] & object> {
  const { reloads, homing } = engine.parts;
  try {
    return (await reloads.reload(apart, { changes, mutation, migrate })).states ?? [];
  } catch (error) {
    if (!(error instanceof LoadError) || error.stage !== "migrate") throw error;
    const budgetMs = apart.limits.loadMs;
    const order = { verb: "report", first: "", second: "", budgetMs, read: readReport };
    return askOfProcesses(apart, homing, order);
  }
}
