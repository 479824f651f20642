// What a reload asks for, and the steps that need no isolate: compile, number, link.
import type { Artifact } from "../../code/modules/artifact.ts";
import { moduleTexts, type LoadOrder } from "../../code/modules/load-order.ts";
import { VersionNotFound, type Change, type NextRevision } from "../../code/modules/version-log.ts";
import type { ReloadCommand } from "../../execution/protocol/messages.ts";
import { VersionNotFoundError } from "../../model/errors.ts";
import type { StateReport } from "../../model/sandboxes/process.ts";
import { compileWithPackages, linkModules, type BuildParts } from "../code/build.ts";
import type { SandboxView } from "../sandbox-view.ts";

/** New code for a module, a version it had before, or null to take it away. */
export type ReloadChange = string | Artifact | { readonly version: number } | null;

export type ReloadChanges = ReadonlyMap<string, ReloadChange>;

export interface ReloadInput {
  /** Called when the reload begins, after all reloads before it. */
  readonly changes: () => ReloadChanges;
  readonly mutation: unknown;
  /** Checks the sandbox while it runs the new revision; false undoes it. */
  readonly verify?: (() => Promise<boolean>) | undefined;
  /** How long `verify` may take; runs of others wait meanwhile. */
  readonly verifyMs: number;
  /** Migrates the state of a server, instead of its new code. */
  readonly migrate?: Migrate | undefined;
}

/** Turns a state into the one for the new version. */
export type Migrate = (
  state: unknown,
  about: {
    readonly name: string | null;
    readonly path: string | null;
    readonly module: string;
    readonly from: number;
    readonly to: number;
  },
) => unknown;

export interface ReloadReport {
  readonly status: "reloaded" | "unchanged";
  readonly revision: number;
  /** The version of each module that was asked for; null where it was taken away. */
  readonly modules: Readonly<Record<string, number | null>>;
  /** In a sandbox with processes: how the states of those whose code changes are, or would be, migrated. */
  readonly states?: readonly StateReport[];
}

/** What a reload will do. */
export interface Plan {
  readonly changes: ReloadChanges;
  /** Undefined where nothing would change. */
  readonly move: Move | undefined;
}

/** By module: its version before and after; 0 for none. */
export type VersionSteps = ReadonlyMap<string, readonly [from: number, to: number]>;

/** A new revision that is ready to be evaluated. */
export interface Move {
  readonly next: NextRevision;
  /** All modules of the new revision in the order of evaluation. */
  readonly order: LoadOrder;
  readonly modules: ReloadCommand["modules"];
  readonly removed: readonly string[];
  /** The same for reloads that evaluate the same code, and for no others. */
  readonly codeKey: string;
  /** The version of each changed module before and after. */
  readonly versions: VersionSteps;
}

/** What is to become of each module, with new sources, and packages that they import, compiled and let through the gate. */
export async function compileChanges(
  sandbox: SandboxView,
  changes: ReloadChanges,
  parts: BuildParts,
): Promise<ReadonlyMap<string, Change>> {
  const sources = new Map<string, string | Artifact>();
  for (const [name, change] of changes) if (isCode(change)) sources.set(name, change);
  const { id, limits, profile, placement } = sandbox;
  const modules = new Map<string, unknown>(sandbox.modules);
  for (const [name, change] of changes) if (change === null) modules.delete(name);
  const compiled = await compileWithPackages(sources, { id, limits, profile, placement, modules }, parts);
  const ready = new Map<string, Change>(compiled);
  for (const [name, change] of changes) {
    const known = isCode(change) ? compiled.get(name) : change;
    if (known !== undefined) ready.set(name, known);
  }
  return ready;
}

/** The revision that these changes make; undefined where nothing would change. Throws `VERSION_NOT_FOUND`. */
export function numberVersions(
  { versions }: SandboxView,
  changes: ReadonlyMap<string, Change>,
  about: { readonly mutation: unknown; readonly now: number },
): NextRevision | undefined {
  try {
    return versions.plan(changes, about);
  } catch (error) {
    if (error instanceof VersionNotFound) throw new VersionNotFoundError(error.what);
    throw error;
  }
}

/** Links a revision; throws a `LoadError` that names imports that no module provides. */
export function linkRevision(
  sandbox: SandboxView,
  next: NextRevision,
  { packages }: Pick<BuildParts, "packages">,
): Move {
  const artifacts = sandbox.versions.artifactsAfter(next);
  const hasProcesses = sandbox.processes !== null;
  const order = linkModules(artifacts, { hasProcesses, profile: sandbox.profile, packages });
  const changed = new Set(next.changed);
  const evaluated = order.filter(({ name }) => changed.has(name));
  return {
    next,
    order,
    modules: moduleTexts(evaluated, artifacts),
    codeKey: evaluated.map(({ name }) => `${name}=${artifacts.get(name)?.checksum}`).join("&"),
    removed: next.changed.filter((name) => !artifacts.has(name)),
    versions: versionsOf(sandbox, next),
  };
}

function versionsOf(sandbox: SandboxView, next: NextRevision): VersionSteps {
  const before = sandbox.versions.head.heads;
  return new Map(
    next.changed.map((name) => [name, [before.get(name) ?? 0, next.revision.heads.get(name) ?? 0]]),
  );
}

/** What a reload did, or would do. */
export function toReport(sandbox: SandboxView, { changes, move }: Plan): ReloadReport {
  const { revision, heads } = move?.next.revision ?? sandbox.versions.head;
  const modules = [...changes.keys()].map((name) => [name, heads.get(name) ?? null] as const);
  return {
    status: move === undefined ? "unchanged" : "reloaded",
    revision,
    modules: Object.fromEntries(modules),
  };
}

function isCode(change: ReloadChange): change is string | Artifact {
  return typeof change === "string" || (change !== null && "code" in change);
}
