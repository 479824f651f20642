// The first revision of a sandbox: new modules, or the version history of an earlier sandbox.
import type { Artifact } from "../../../code/modules/artifact.ts";
import { VersionLog } from "../../../code/modules/version-log.ts";
import type { Ancestry } from "../../../model/sandboxes/ancestry.ts";
import type { ProcessSettings } from "../../../model/sandboxes/process.ts";
import { assert } from "../../../std/assert.ts";
import type { Clock } from "../../../std/clock.ts";
import {
  compileHistory,
  compileWithPackages,
  linkModules,
  newestOf,
  wantProcesses,
  type BuildParts,
  type LinkTerms,
  type ModuleOwner,
  type VersionHistory,
} from "../../code/build.ts";
import type { CodeState } from "../code-state.ts";

/** Sources, modules compiled before, or a history. */
export type FirstCode = ReadonlyMap<string, string | Artifact> | VersionHistory;

/** The sandbox whose first revision it is. */
export interface FirstOwner extends ModuleOwner {
  readonly processes: ProcessSettings | null;
  readonly ancestry: Ancestry;
}

export interface FirstRevisionParts extends BuildParts {
  readonly clock: Clock;
  /** How many versions of each module are stored. */
  readonly versionsMax: number;
}

/** Makes a revision that is compiled and linked the first one of a sandbox's code. */
export type FirstRevision = (code: CodeState) => void;

/** Compiles and links the first revision; rejects with a `LoadError` for what is no program. */
export function build(owner: FirstOwner, code: FirstCode, parts: FirstRevisionParts): Promise<FirstRevision> {
  return "versions" in code ? buildAgain(owner, code, parts) : buildNew(owner, code, parts);
}

async function buildNew(
  owner: FirstOwner,
  given: ReadonlyMap<string, string | Artifact>,
  parts: FirstRevisionParts,
): Promise<FirstRevision> {
  const modules = await compileWithPackages(given, owner, parts);
  const processes = processesOf(owner, modules);
  const order = linkModules(modules, termsOf(owner, processes, parts));
  const { mutation } = owner.ancestry;
  return (code) => {
    const next = code.versions.plan(modules, { mutation, now: parts.clock.now() });
    assert(next !== undefined, "a new sandbox has modules");
    code.processes = processes;
    code.adopt(next, order);
  };
}

async function buildAgain(
  owner: FirstOwner,
  history: VersionHistory,
  parts: FirstRevisionParts,
): Promise<FirstRevision> {
  const versions = await compileHistory(newestOf(history, parts.versionsMax), owner, parts);
  const log = new VersionLog(parts.versionsMax);
  log.restore(versions, history.revisions);
  const modules = log.artifacts();
  const processes = processesOf(owner, modules);
  const order = linkModules(modules, termsOf(owner, processes, parts));
  return (code) => {
    code.versions.restore(versions, history.revisions);
    code.processes = processes;
    code.adoptHead(order);
  };
}

function termsOf(
  { profile }: FirstOwner,
  processes: ProcessSettings | null,
  { packages }: FirstRevisionParts,
): LinkTerms {
  return { hasProcesses: processes !== null, profile, packages };
}

// A sandbox whose modules import `vivarium/guest` has processes, also without a supervisor.
function processesOf(
  { processes }: FirstOwner,
  modules: ReadonlyMap<string, Artifact>,
): ProcessSettings | null {
  return processes ?? (wantProcesses(modules) ? { supervisor: null, checkpoint: null } : null);
}
