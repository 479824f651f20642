// What was last changed in a sandbox's code, as its callers described it, and the event that says so.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { Version, VersionLog } from "../../code/modules/version-log.ts";
import type { Ancestry } from "../../model/sandboxes/ancestry.ts";
import type { Bus } from "../../observability/bus.ts";
import type { EventMap } from "../../observability/catalogue.ts";
import type { SandboxRecord } from "../sandboxes/sandbox-record.ts";

/** The record of the change that made the current code: that of the newest version which is current. */
export function mutationOf({
  versions,
  ancestry,
}: {
  readonly versions: VersionLog;
  readonly ancestry: Ancestry;
}): unknown {
  let newest: Version | undefined;
  for (const module of versions.head.heads.keys()) {
    const version = versions.current(module);
    if (version !== undefined && (newest === undefined || isNewer(version, newest))) newest = version;
  }
  return newest === undefined ? ancestry.mutation : newest.mutation;
}

/** The code that it has now, for listeners. */
export function codeOf({
  codeKey,
  modules,
}: {
  readonly codeKey: string;
  readonly modules: ReadonlyMap<string, Artifact>;
}): Pick<EventMap["lineage.born"], "checksum" | "sources"> {
  if (codeKey === "") return { checksum: null, sources: {} };
  const sources = [...modules].map(([name, { source }]) => [name, source] as const);
  return { checksum: codeKey, sources: Object.fromEntries(sources) };
}

/** A reload or a rollback has changed the code; `mutation` is what the caller said of it. */
export function emitMutated(
  bus: Bus,
  sandbox: SandboxRecord & { readonly codeKey: string },
  mutation: unknown,
): void {
  // A helper exists for one task and is nobody's individual.
  if (sandbox.kind === "helper" || !bus.hears("lineage.mutated")) return;
  bus.emit("lineage.mutated", {
    sandboxId: sandbox.id,
    mutation: mutation ?? mutationOf(sandbox),
    ...codeOf(sandbox),
    revision: sandbox.versions.head.revision,
    createdAt: sandbox.createdAt,
  });
}

// Where the clock cannot tell: what a reload made is newer than what the sandbox began with.
function isNewer(version: Version, other: Version): boolean {
  if (version.createdAt !== other.createdAt) return version.createdAt > other.createdAt;
  return version.parent !== null && other.parent === null;
}
