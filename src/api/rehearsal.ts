// A reload tried out: in an isolate of its own, with the code and the states that the sandbox has now, so that whatever the
// new code does to them is done to copies.
import { LoadError } from "../model/errors.ts";
import type { SandboxId } from "../model/ids.ts";
import { historyOf } from "../orchestration/code/building.ts";
import { writeVersions } from "../code/individual.ts";
import { readReport } from "../orchestration/reload/migration.ts";
import { askOfProcesses } from "../orchestration/processes/processes.ts";
import type { ReloadOrder, ReloadReport } from "../orchestration/reload/reload-plan.ts";
import { dryRun } from "../orchestration/reload/reload.ts";
import type { Cancellable } from "../orchestration/sandboxes/operations.ts";
import type { Resident } from "../orchestration/sandboxes/resident.ts";
import { randomName } from "../std/random.ts";
import type { Engine } from "./engine.ts";
import { captureStates } from "./local-processes.ts";

/** What a reload would do: what can be told without running it, and how the states of processes would fare. */
export async function rehearse(
  engine: Engine,
  resident: Resident,
  order: Cancellable & ReloadOrder,
): Promise<ReloadReport> {
  const { sandboxes } = engine.parts;
  const { signal } = order;
  const report = await dryRun(resident, order, sandboxes.shared);
  const { processes } = resident;
  if (report.status === "unchanged" || processes === null || processes.supervisor === null) return report;
  const capture = await captureStates(resident);
  const { limits, profile, placement, character, ancestry } = resident;
  const apart = await sandboxes.help({
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
    signal,
  });
  try {
    return { ...report, states: await statesAfter(apart, order) };
  } finally {
    await apart.destroy("its rehearsal is over");
  }
}

// A state that cannot be migrated is a row of the report; anything else that fails would fail the reload too.
async function statesAfter(
  apart: Resident,
  { changes, mutation, migrate, verifyMs, signal }: Cancellable & ReloadOrder,
): Promise<ReloadReport["states"] & object> {
  try {
    return (await apart.reload({ changes, mutation, migrate, verifyMs }, { signal })).states ?? [];
  } catch (error) {
    if (!(error instanceof LoadError) || error.stage !== "migrate") throw error;
    const budgetMs = apart.limits.loadMs;
    const order = { verb: "report", first: "", second: "", budgetMs, read: readReport };
    return askOfProcesses(apart, order);
  }
}
