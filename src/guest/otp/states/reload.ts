// Processes in a reload: the states of suspended servers are migrated as copies, and all servers resume together, with the
// new states or with the old.
import {
  append,
  create,
  each,
  isArray,
  make,
  mapGet,
  mapHas,
  mapSet,
  parse,
  stringify,
} from "../../../model/wire/intrinsics.ts";
import type { ProcessHost } from "../core.ts";
import * as definitions from "../definitions.ts";
import * as suspension from "./suspension.ts";
import { eachLast, forgetLastsOf } from "./last-states.ts";
import { Chain } from "../chain.ts";
import type { Proc } from "../proc.ts";
import type { ServerBehaviour } from "../server.ts";
import { admitState, migrateState, wayOf, type Change, type Way } from "./state.ts";

/** The version of each changed module before and after. */
export type Versions = Readonly<Record<string, readonly [from: number, to: number]>>;

/** How the state of one server is migrated to its new code. */
interface ReportRow extends Way {
  readonly path: string | null;
  readonly name: string | null;
  readonly module: string;
  /** Why it does not; null when it does. */
  problem: string | null;
}

/** A state that could not be migrated. */
export class MigrationFailure extends Error {
  readonly #thrown: unknown;

  constructor(whose: string, thrown: unknown) {
    super(`Cannot migrate the state of ${whose}`);
    this.name = "MigrationFailure";
    this.#thrown = thrown;
  }

  static is(error: unknown): error is MigrationFailure {
    return typeof error === "object" && error !== null && #thrown in error;
  }

  /** What went wrong in the guest's code. */
  static thrownOf(error: MigrationFailure): unknown {
    return error.#thrown;
  }
}

let host: ProcessHost;
/** The migrated states of the reload under way; undefined until all are migrated. */
let migrated: Map<Proc, unknown> | undefined;
let report: ReportRow[] = [];

export function connectReload(given: ProcessHost): void {
  host = given;
}

/**
 * Suspends the servers whose code is about to change, for a host that migrates their states itself; resolves with these,
 * as JSON. Migrated states are accepted only while the servers are suspended under this name.
 */
export async function suspendAndCapture(modules: readonly string[], name: string): Promise<string> {
  await suspension.suspendServers(modules, name);
  const states: unknown[] = [];
  suspension.eachSuspended(({ id, path, name: registered }, { key, written }) => {
    const module = definitions.moduleOfServer(key);
    append(states, { pid: id, path, name: registered, key, module, state: written });
  });
  return stringify(states);
}

/** States that the host migrated itself, and the name under which it suspended the servers. */
interface Given {
  readonly hold: string;
  readonly states: readonly { readonly pid: number; readonly state: string }[];
}

/** Migrates the states; they are used only once the reload is committed. */
export async function migrateServers(versions: Versions, givenText: string): Promise<void> {
  migrated = undefined;
  report = [];
  const given = givenText === "" ? undefined : readGiven(givenText);
  const line = new Chain<Proc>();
  suspension.eachSuspended((proc) => line.push(proc));
  const states = new make.Map<Proc, unknown>();
  let failure: MigrationFailure | undefined;
  for (let proc = line.shift(); proc !== undefined; proc = line.shift()) {
    if (proc.status === "exited") continue;
    const failed = await migrateOne(proc, states, { versions, given });
    failure ??= failed;
  }
  if (failure !== undefined) throw failure;
  migrated = states;
}

// By pid: pids are valid only in the isolate in which the servers were suspended.
function readGiven(text: string): Record<number, string> {
  const { hold, states } = parse(text) as Given;
  if (!suspension.isSuspendedAs(hold))
    throw new MigrationFailure(
      "its servers",
      new ReferenceError("it was read in an isolate that is no more"),
    );
  const byPid = create(null) as Record<number, string>;
  each(isArray(states) ? states : [], ({ pid, state }) => {
    byPid[pid] = state;
  });
  return byPid;
}

// All are tried, so that the report is complete; the first failure is the one that is thrown.
async function migrateOne(
  proc: Proc,
  states: Map<Proc, unknown>,
  { versions, given }: { readonly versions: Versions; readonly given: Record<number, string> | undefined },
): Promise<MigrationFailure | undefined> {
  const { key, state, isWritten } = proc.behaviour as ServerBehaviour;
  const { path, name } = proc;
  const module = definitions.moduleOfServer(key) ?? "";
  const [from, to] = versions[module] ?? [0, 0];
  const change: Change = {
    before: definitions.serverBefore(key),
    after: definitions.serverOf(key),
    from,
    to,
  };
  const row: ReportRow = { path, name, module, ...wayOf(change, given !== undefined), problem: null };
  append(report, row);
  try {
    if (!definitions.isFresh(key)) throw new ReferenceError(`its module no longer defines ${key}`);
    const next =
      given === undefined ? await migrateState(copyFor(row, state), change) : givenState(given[proc.id]);
    const admitted = admitState(change.after, next);
    if (isWritten) host.encode(admitted);
    mapSet(states, proc, admitted);
    return undefined;
  } catch (error) {
    row.problem = host.flatten(error).message;
    return new MigrationFailure(`"${name ?? path ?? key}"`, error);
  }
}

// A host that migrates one state must migrate all.
function givenState(state: string | undefined): unknown {
  if (state === undefined) throw new ReferenceError("the host was not asked to");
  return host.decode(state);
}

// A copy, as a migration that fails may have changed the state that it was given.
function copyFor({ way }: Way, state: unknown): unknown {
  return way === "kept" ? state : host.decode(host.encode(state));
}

/** The migrated states, to be stored before the reload is committed, and how each was migrated. */
export function preparedStates(): string {
  const states = migrated;
  if (states === undefined)
    throw new ReferenceError("Cannot tell what a reload leads to: there is none under way");
  const servers: unknown[] = [];
  suspension.eachSuspended((proc, { key }) => {
    if (proc.path === null || !mapHas(states, proc)) return;
    const version = definitions.serverOf(key).schema?.version ?? null;
    append(servers, { path: proc.path, key, version, state: encodedOf(mapGet(states, proc)) });
  });
  // A server that does not run is not migrated: the next one at its path begins with `init`.
  eachLast(({ module }, path) => {
    if (suspension.isSuspendedModule(module)) append(servers, { path, key: "", version: null, state: "" });
  });
  return stringify({ servers, report });
}

// A state that is not data cannot be stored.
function encodedOf(state: unknown): string | null {
  try {
    return host.encode(state);
  } catch {
    return null;
  }
}

/** The migration report of the latest reload, as JSON. */
export function migrationReport(): string {
  return stringify(report);
}

/** The reload was committed or undone: migrated states are used or dropped, and all servers resume. */
export function resumeServers(isCommitted: boolean): void {
  definitions.settleDefinitions(isCommitted);
  const states = migrated;
  migrated = undefined;
  if (isCommitted) {
    suspension.eachSuspended((proc, behaviour) => {
      if (states !== undefined && mapHas(states, proc)) behaviour.state = mapGet(states, proc);
    });
    forgetLastsOf(suspension.isSuspendedModule);
  }
  suspension.resume(isCommitted);
}
