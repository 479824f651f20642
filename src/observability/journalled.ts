// Which events a runtime's own journal has: those that say what became of sandboxes, cells, versions, security and fitness.
// What happens at every run, evaluation or step of a process is not among them.
import type { AnyEvent } from "./bus.ts";
import { eventNames, type EventName } from "./catalogue.ts";

/** One event with its number; numbers have no gaps but for what was dropped. */
export type JournalEntry = AnyEvent & { readonly number: number };

/** `first`: of what repeats itself, only the first time; the audit log counts the others. */
type Choice = "all" | "first" | "none";

const choices: Readonly<Record<EventName, Choice>> = {
  "sandbox.create.start": "none",
  "sandbox.create.stop": "all",
  "sandbox.create.exception": "all",
  "sandbox.limited": "all",
  "sandbox.run.start": "none",
  "sandbox.run.stop": "none",
  "sandbox.run.exception": "none",
  "sandbox.hotReload.start": "none",
  "sandbox.hotReload.stop": "all",
  "sandbox.hotReload.exception": "all",
  "sandbox.followed": "all",
  "sandbox.unfollowed": "all",
  "version.rolledBack": "all",
  "sandbox.restart.start": "none",
  "sandbox.restart.stop": "all",
  "sandbox.restart.exception": "all",
  "sandbox.destroy.start": "none",
  "sandbox.destroy.stop": "all",
  "sandbox.destroy.exception": "all",
  "lineage.born": "all",
  "lineage.mutated": "all",
  "sandbox.evaluate.start": "none",
  "sandbox.evaluate.stop": "none",
  "sandbox.evaluate.exception": "none",
  "fitness.computed": "all",
  "fitness.adjusted": "all",
  "sandbox.batch.start": "none",
  "sandbox.batch.stop": "none",
  "sandbox.batch.exception": "none",
  "sandbox.killed": "all",
  "sandbox.rebuilt": "all",
  "sandbox.failed": "all",
  "process.started": "none",
  "process.exited": "none",
  "process.restarted": "none",
  "state.migrated": "all",
  "capability.called": "none",
  "security.rejected": "first",
  "security.warned": "first",
  "security.admitted": "first",
  "security.denied": "first",
  "security.called": "first",
  "cell.started": "all",
  "cell.exited": "all",
  "cell.quarantined": "all",
  "cell.breaker": "all",
  "gc.collected": "none",
  "store.recovered": "all",
  "store.degraded": "all",
  "store.restored": "all",
  "resource.sampled": "none",
};

/** An event without what only its listeners get, as it is long. */
export function toJournalled<E extends AnyEvent>(any: E): E {
  const { event } = any;
  if (!("tests" in event || "sources" in event)) return any;
  const {
    tests: _,
    sources: __,
    ...rest
  } = event as typeof event & Partial<Record<"tests" | "sources", unknown>>;
  // What was left out is optional in every event that has it.
  return { ...any, event: rest } as E;
}

/** The names of events of which at least some are in the journal. */
export const journalledNames: readonly EventName[] = eventNames.filter((name) => choices[name] !== "none");

export function isJournalled({ name, event }: AnyEvent): boolean {
  if (choices[name] !== "first") return choices[name] === "all";
  return !("count" in event) || event.count === 1;
}
