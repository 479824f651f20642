// The first revision of a sandbox: new modules, or the history of one that was.
import type { Artifact } from "../../code/artifact.ts";
import { assert } from "../../std/assert.ts";
import type { Clock } from "../../std/clock.ts";
import {
  compileHistory,
  compileModules,
  linkModules,
  newestOf,
  wantProcesses,
  type Door,
  type VersionHistory,
} from "../code/building.ts";
import type { Resident } from "./resident.ts";

/** Sources, modules compiled before, or a history. */
export type FirstCode = ReadonlyMap<string, string | Artifact> | VersionHistory;

export interface BuildParts extends Door {
  readonly clock: Clock;
  /** How many versions of each module are kept. */
  readonly versionsMax: number;
}

/** Compiles and links what a sandbox begins with; rejects with a `LoadError` for what is no program. */
export function build(resident: Resident, code: FirstCode, parts: BuildParts): Promise<void> {
  return code instanceof Map
    ? buildNew(resident, code as Map<string, string | Artifact>, parts)
    : buildAgain(resident, code as VersionHistory, parts);
}

async function buildNew(
  resident: Resident,
  given: ReadonlyMap<string, string | Artifact>,
  parts: BuildParts,
): Promise<void> {
  const modules = await compileModules(given, resident, parts);
  noteProcesses(resident, modules);
  const order = linkModules(modules, resident.processes !== null);
  const { mutation } = resident.ancestry;
  const step = resident.versions.plan(modules, { mutation, now: parts.clock.now() });
  assert(step !== undefined, "a new sandbox has modules");
  resident.adopt(step, order);
}

async function buildAgain(resident: Resident, history: VersionHistory, parts: BuildParts): Promise<void> {
  const versions = await compileHistory(newestOf(history, parts.versionsMax), resident, parts);
  resident.versions.restore(versions, history.revisions);
  const modules = resident.versions.artifacts();
  noteProcesses(resident, modules);
  resident.adoptHead(linkModules(modules, resident.processes !== null));
}

// A sandbox whose modules import them has processes, also without a tree.
function noteProcesses(resident: Resident, modules: ReadonlyMap<string, Artifact>): void {
  if (wantProcesses(modules)) resident.processes ??= { supervisor: null, checkpoint: null };
}
