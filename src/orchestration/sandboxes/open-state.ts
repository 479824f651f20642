// Puts together the state of a new sandbox.
import { Assignment } from "../cells/assignment.ts";
import { FaultRecord } from "../cells/fault-record.ts";
import { Checkpoint } from "../processes/checkpoint.ts";
import { verifyingNow } from "../reload/verification.ts";
import { SandboxRuns } from "../runs/sandbox-runs.ts";
import { Account } from "./account.ts";
import { CodeState } from "./code-state.ts";
import { failToLoad, rebuild } from "./operations/failure.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Operations } from "./operations/operations.ts";
import { Persistence } from "./persistence.ts";
import type { ManagedSandboxPlan } from "./sandbox-plan.ts";
import type { OwnSandbox, SandboxState, SharedParts } from "./state.ts";

export function openState(sandbox: OwnSandbox, plan: ManagedSandboxPlan, shared: SharedParts): SandboxState {
  const { clock, assigner, table, waitMs, versionsMax } = shared;
  const account = new Account(plan, clock.monotonic());
  if (plan.record !== undefined) account.restore(plan.record, clock.monotonic());
  const faults = new FaultRecord();
  const checkpoint = new Checkpoint();
  if (plan.capture) checkpoint.take(JSON.stringify(plan.capture));
  const assignment: Assignment = new Assignment(
    sandbox,
    {
      onAssigned: () => {
        if (sandbox.status !== "creating") runs.dispatchWaiting();
      },
      onLoaded: () => onIdle(),
      onReturned: (tickets) => {
        for (const ticket of tickets) runs.again(ticket);
      },
      onLoadFailed: (failure) => failToLoad(state, failure),
      onUnavailable: ({ message }) =>
        runs.endAll({
          kind: "cancelled",
          reason: "lane",
          message: `Cannot run as there is no cell for it: ${message}`,
        }),
    },
    { clock, assigner, waitMs, paces: shared.loadPaces, faults },
  );
  // An idle sandbox gives up a reserved cell to one that waits for such a cell.
  const onIdle = (): void => {
    if (assignment.place?.queue.isReserved === true && !sandbox.isBusy) assigner.onRoom();
  };
  const runs: SandboxRuns = new SandboxRuns({
    sandbox,
    assignment,
    account,
    faults,
    table,
    onIsolateLost: (reason) => rebuild(state, reason),
    onIdle,
    isVerifying: () => verifyingNow(state.operations.current) !== undefined,
  });
  const state: SandboxState = {
    sandbox,
    shared,
    life: new Lifecycle(),
    code: new CodeState({ versionsMax, tree: plan.tree, processes: plan.processes ?? null }),
    account,
    faults,
    checkpoint,
    assignment,
    runs,
    operations: new Operations(sandbox, onIdle),
    persistence: openPersistence(sandbox, plan, shared),
    onIdle,
    limits: shared.limitSets.of(plan.limits),
  };
  return state;
}

function openPersistence(sandbox: OwnSandbox, plan: ManagedSandboxPlan, shared: SharedParts): Persistence {
  const { kind, record, isRestored, isTemporary } = plan;
  const states = isRestored === true ? plan.capture : null;
  const isStored = kind === "individual" && shared.isStoreUnread !== true;
  return new Persistence(sandbox, isStored ? shared : undefined, { record, states, isTemporary });
}
