// The versions of one sandbox's modules, as its handle gives access to them.
import { VersionNotFound, type Version } from "../../code/modules/version-log.ts";
import { InvalidOptionsError, SandboxNotRunningError, VersionNotFoundError } from "../../model/errors.ts";
import { parseModuleName } from "../../model/ids.ts";
import {
  at,
  boolean,
  custom,
  fields,
  func,
  integer,
  isRecord,
  required,
  type Shape,
} from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import type {
  Migrate,
  ReloadChange,
  ReloadChanges,
  ReloadInput,
} from "../../orchestration/reload/reload-plan.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { inSlices } from "../../std/slicing.ts";
import { unifiedDiff } from "../../std/unified-diff.ts";
import type { Engine } from "../wiring/engine.ts";
import type { HotReloadOptions, Sandbox, VersionInfo } from "../types/sandbox.ts";
import { readModule, readMutation } from "../options/spec.ts";
import { cancelTable, type WaitBounds } from "../options/cancellation.ts";

/** The options of a reload. */
export const reloadTable = {
  verify: at("verify", func<NonNullable<HotReloadOptions["verify"]>>()),
  verifyMs: integer({ min: 1, max: 3_600_000, default: 60_000 }),
  dryRun: boolean(false),
  mutation: custom(readMutation),
  migrate: at("migrate", func<Migrate>()),
  ...cancelTable,
} satisfies Shape<HotReloadOptions>;

const reloadOptions = fields(reloadTable, "hotReload()");

/** What is to be reloaded, checked. `verifier` is the handle that verification gets. */
export function readReload(
  modules: unknown,
  options: HotReloadOptions | undefined,
  verifier: Sandbox,
): ReloadInput & WaitBounds & { readonly dryRun: boolean } {
  const { verify, ...rest } = reloadOptions.read(options, "options");
  const changes = readChanges(modules);
  return {
    ...rest,
    changes: () => changes,
    verify: verify === undefined ? undefined : async () => isTrue(await verify(verifier)),
  };
}

/** Throws for modules that no sandbox could be reloaded with. Those that are made for each are not known yet. */
export function checkChanges(modules: unknown): void {
  if (typeof modules !== "function") readChanges(modules);
}

// Nothing but true will do, whatever else a caller's function answers.
const isTrue = (answer: unknown): boolean => answer === true;

function readChanges(modules: unknown): Map<string, ReloadChange> {
  const entries = isRecord(modules) ? Object.entries(modules) : [];
  checkForm(modules);
  if (entries.length === 0) {
    const message = `Cannot reload as there must be at least one module, as in { main: "export const f = () => 1;" }: got ${show(modules)}`;
    throw new InvalidOptionsError(message, "modules");
  }
  return new Map(
    entries.map(([name, module]) => {
      return [parseModuleName(name), module === null ? null : readModule(module, `modules.${name}`)];
    }),
  );
}

// As a spec has them; a module of that name is a text.
function checkForm(changes: unknown): void {
  if (!isRecord(changes) || !isRecord(changes["modules"]) || "checksum" in changes["modules"]) return;
  const rule = "modules must be the first argument themselves, as in { main: … }";
  throw new InvalidOptionsError(`Cannot reload as ${rule}: got { modules: { … } }`, "modules");
}

/** The current version of a module; throws `VERSION_NOT_FOUND` where the sandbox has no such module. */
export function currentVersion(sandbox: ManagedSandbox, module: string): Version {
  const current = sandbox.versions.current(parseModuleName(module));
  if (current === undefined)
    throw new VersionNotFoundError(`module ${show(module)} in sandbox "${sandbox.id}"`);
  return current;
}

export function findVersion(sandbox: ManagedSandbox, module: string, version: unknown): Version {
  const found =
    typeof version === "number" ? sandbox.versions.find(parseModuleName(module), version) : undefined;
  if (found === undefined)
    throw new VersionNotFoundError(`version ${show(version)} of module ${show(module)}`);
  return found;
}

/** The source of a module: of its current version, or of the one named. */
export function sourceOf(sandbox: ManagedSandbox, module: string, version: number | undefined): string {
  const found =
    version === undefined ? currentVersion(sandbox, module) : findVersion(sandbox, module, version);
  return found.artifact.source;
}

export function historyOf(sandbox: ManagedSandbox, module: string): VersionInfo[] {
  const current = sandbox.versions.head.heads.get(parseModuleName(module));
  const history = sandbox.versions.history(module);
  if (history.length === 0)
    throw new VersionNotFoundError(`module ${show(module)} in sandbox "${sandbox.id}"`);
  return history.map(({ version, parent, mutation, createdAt, artifact }) => ({
    version,
    checksum: artifact.checksum,
    current: version === current,
    parent,
    mutation,
    createdAt,
    exports: artifact.exports,
    imports: artifact.imports,
    bytes: Buffer.byteLength(artifact.source),
  }));
}

/** The changes that lead back to a revision; throws `VERSION_NOT_FOUND`. */
export function changesTo(sandbox: ManagedSandbox, revision: number): ReloadChanges {
  try {
    return sandbox.versions.changesTo(revision);
  } catch (error) {
    if (error instanceof VersionNotFound) throw new VersionNotFoundError(error.what);
    throw error;
  }
}

/** Two versions of a module as a unified diff; empty where their sources are the same. */
export async function diffOf(before: Version, after: Version, tenant: string | null): Promise<string> {
  const [from, to] = [before.artifact.source, after.artifact.source];
  if (from === to) return "";
  const labels = {
    name: before.module,
    old: `version ${before.version}`,
    new: `version ${after.version}`,
  };
  return inSlices(unifiedDiff(from, to, labels), tenant);
}

/** Has a sandbox follow its files, or not. */
export function setAutoReload({ parts }: Engine, sandbox: ManagedSandbox, isOn: boolean): void {
  required(boolean()).read(isOn, "autoReload.isOn");
  if (sandbox.tree === undefined) {
    const message = "Cannot follow files as the sandbox must be created from a path: it was not";
    throw new InvalidOptionsError(message, "autoReload");
  }
  if (isOn && sandbox.status === "stopping") throw new SandboxNotRunningError("follow the files of", sandbox);
  if (isOn) parts.autoReload.start(sandbox);
  else parts.autoReload.stop(sandbox);
}
