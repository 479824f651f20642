// Versions of a stored sandbox whose source is lost: a store has them with an empty source, which must never run in its place.
import { hash } from "node:crypto";
import type { IndividualVersion } from "../../model/sandboxes/individual.ts";
import type { StoredSandbox } from "../../store/store.ts";

const emptyChecksum = hash("sha256", "");

function isLost({ source, checksum }: IndividualVersion): boolean {
  return source === "" && checksum !== "" && checksum !== emptyChecksum;
}

/** Whether its current revision needs a source that is lost. */
export function needsLostSource({ modules, revisions }: StoredSandbox): boolean {
  const heads = new Map(Object.entries(revisions.at(-1)?.heads ?? {}));
  return Object.entries(modules).some(([name, log]) =>
    log.some((entry) => heads.get(name) === entry.version && isLost(entry)),
  );
}

/** The same sandbox without the versions whose source is lost. */
export function withoutLostSources(stored: StoredSandbox): StoredSandbox {
  const logs = Object.entries(stored.modules);
  if (!logs.some(([, log]) => log.some(isLost))) return stored;
  const left = logs.map(([name, log]) => [name, log.filter((entry) => !isLost(entry))] as const);
  return { ...stored, modules: Object.fromEntries(left.filter(([, log]) => log.length > 0)) };
}
