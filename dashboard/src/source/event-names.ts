// Which events there are, and which of them a page follows all the time. Only types come from the catalogue, so that nothing else of
// the runtime is part of the page.
import type { EventName } from "../../../src/index.ts";

/** Every event there is, with whether it is followed from the beginning. */
const followed: Readonly<Record<EventName, boolean>> = {
  "sandbox.create.start": false,
  "sandbox.create.stop": true,
  "sandbox.create.exception": true,
  "sandbox.limited": false,
  "sandbox.run.start": false,
  "sandbox.run.stop": false,
  "sandbox.run.exception": false,
  "sandbox.hotReload.start": false,
  "sandbox.hotReload.stop": true,
  "sandbox.hotReload.exception": false,
  "sandbox.followed": false,
  "sandbox.unfollowed": false,
  "version.rolledBack": true,
  "sandbox.restart.start": false,
  "sandbox.restart.stop": true,
  "sandbox.restart.exception": false,
  "sandbox.destroy.start": false,
  "sandbox.destroy.stop": true,
  "sandbox.destroy.exception": false,
  "lineage.born": true,
  "lineage.mutated": true,
  "sandbox.evaluate.start": false,
  "sandbox.evaluate.stop": false,
  "sandbox.evaluate.exception": false,
  "fitness.computed": true,
  "fitness.adjusted": true,
  "sandbox.batch.start": false,
  "sandbox.batch.stop": false,
  "sandbox.batch.exception": false,
  "sandbox.killed": true,
  "sandbox.rebuilt": true,
  "sandbox.failed": true,
  "process.started": false,
  "process.exited": false,
  "process.restarted": false,
  "state.migrated": false,
  "capability.called": false,
  "security.rejected": true,
  "security.warned": false,
  "security.admitted": false,
  "security.denied": true,
  "security.called": false,
  "cell.started": true,
  "cell.exited": true,
  "cell.quarantined": true,
  "cell.breaker": true,
  "gc.collected": true,
  "store.recovered": false,
  "store.degraded": true,
  "store.restored": true,
  "resource.sampled": true,
};

/** All of them. */
export const eventNames: readonly EventName[] = Object.keys(followed) as EventName[]; // As the table's keys are those names.
/** What the model is made of. */
export const followedNames: readonly EventName[] = eventNames.filter((name) => followed[name]);
/** What happens at each run and step: listened to only where somebody looks at it. */
export const otherNames: readonly EventName[] = eventNames.filter((name) => !followed[name]);
