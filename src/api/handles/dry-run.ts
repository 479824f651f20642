// A reload tried out: in an isolate of its own, with the code and the states that the sandbox has now, so that whatever the
// new code does to them is done to copies.
import { LoadError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import { historyOf } from "../../orchestration/code/build.ts";
import { writeVersions } from "../../code/individuals/individual.ts";
import { readReport } from "../../orchestration/reload/migration.ts";
import { askOfProcesses } from "../../orchestration/processes/processes.ts";
import type { ReloadInput, ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import { planOnly } from "../../orchestration/reload/reload.ts";
import type { Cancellable } from "../../orchestration/sandboxes/operations/operations.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { randomName } from "../../std/random.ts";
import type { Engine } from "../wiring/engine.ts";
import { captureStates } from "./local-processes.ts";

/** What a reload would do: what is known without running it, and what the states of processes would become. */
export async function dryRun(
  engine: Engine,
  sandbox: ManagedSandbox,
  input: Cancellable & ReloadInput,
): Promise<ReloadReport> {
  const { sandboxes } = engine.parts;
  const { signal } = input;
  const report = await planOnly(sandbox, input, sandboxes.shared);
  const { processes } = sandbox;
  if (report.status === "unchanged" || processes === null || processes.supervisor === null) return report;
  const capture = await captureStates(sandbox);
  const { limits, profile, placement, character, ancestry } = sandbox;
  const apart = await sandboxes.help({
    id: randomName("dry-run") as SandboxId,
    code: historyOf(writeVersions(sandbox.versions)),
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
    return { ...report, states: await statesAfter(apart, input) };
  } finally {
    await apart.destroy("its dry run is over");
  }
}

// A state that cannot be migrated is a row of the report; anything else that fails would fail the reload too.
async function statesAfter(
  apart: ManagedSandbox,
  { changes, mutation, migrate, verifyMs, signal }: Cancellable & ReloadInput,
): Promise<ReloadReport["states"] & object> {
  try {
    return (await apart.reload({ changes, mutation, migrate, verifyMs }, { signal })).states ?? [];
  } catch (error) {
    if (!(error instanceof LoadError) || error.phase !== "migrate") throw error;
    const budgetMs = apart.limits.loadMs;
    const request = { verb: "report", first: "", second: "", budgetMs, read: readReport };
    return askOfProcesses(apart, request);
  }
}
