// Processes in a reload: the states of servers that are held back are migrated beside the old ones, and all of them go on
// together, with the new states or the old.
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
} from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import * as definitions from "./definitions.ts";
import * as holding from "./holding.ts";
import { eachLast, forgetLastsOf } from "./last-states.ts";
import { Chain } from "./mailbox.ts";
import type { Proc } from "./proc.ts";
import type { ServerBehaviour } from "./server.ts";
import { admitState, migrateState, wayOf, type Change, type Way } from "./state.ts";

/** The version of each changed module before and after. */
export type Versions = Readonly<Record<string, readonly [from: number, to: number]>>;

/** How the state of one server comes into the form that its new code wants. */
interface ReportRow extends Way {
  readonly path: string | null;
  readonly name: string | null;
  readonly module: string;
  /** Why it does not; null when it does. */
  problem: string | null;
}

/** A state that could not be brought into the form that its new code wants. */
export class MigrationFailure extends Error {
  readonly #thrown: unknown;

  constructor(who: string, thrown: unknown) {
    super(`Cannot migrate the state of ${who}`);
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
/** The new states of a reload that went well so far; undefined where none is under way, or not as far as that. */
let migrated: Map<Proc, unknown> | undefined;
let report: ReportRow[] = [];

export function connectReload(given: ProcessHost): void {
  host = given;
}

/**
 * Holds back the servers whose code is about to change, for a host that migrates their states itself; resolves with these,
 * as JSON. What is to be done with the answer is done only while they are held back under this name.
 */
export async function holdStates(modules: readonly string[], name: string): Promise<string> {
  await holding.holdServers(modules, name);
  const states: unknown[] = [];
  holding.eachHeld(({ id, path, name: registered }, { key, written }) => {
    const module = definitions.moduleOfServer(key);
    append(states, { pid: id, path, name: registered, key, module, state: written });
  });
  return stringify(states);
}

/** States that the host migrated itself, and the name under which it had the servers held back. */
interface Given {
  readonly hold: string;
  readonly states: readonly { readonly pid: number; readonly state: string }[];
}

/** The states in the form that the new code wants; nobody sees them before the reload is committed. */
export async function migrateServers(versions: Versions, givenText: string): Promise<void> {
  migrated = undefined;
  report = [];
  const given = givenText === "" ? undefined : readGiven(givenText);
  const line = new Chain<Proc>();
  holding.eachHeld((proc) => line.push(proc));
  const states = new make.Map<Proc, unknown>();
  let failure: MigrationFailure | undefined;
  for (let proc = line.shift(); proc !== undefined; proc = line.shift()) {
    if (proc.status === "dead") continue;
    const failed = await migrateOne(proc, states, { versions, given });
    failure ??= failed;
  }
  if (failure !== undefined) throw failure;
  migrated = states;
}

// By pid: pids mean something only where the servers were held back.
function readGiven(text: string): Record<number, string> {
  const { hold, states } = parse(text) as Given;
  if (!holding.isHeldAs(hold))
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

// All are tried, so that the report is whole; the first failure is the one to tell.
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

// Whoever migrates one of them himself migrates all.
function givenState(state: string | undefined): unknown {
  if (state === undefined) throw new ReferenceError("the host was not asked to");
  return host.decode(state);
}

// A copy: what a migration that fails did to the state it was given is not to be seen.
function copyFor({ way }: Way, state: unknown): unknown {
  return way === "kept" ? state : host.decode(host.encode(state));
}

/** The states that a reload leads to, to be written down before it is committed, and how each was come by. */
export function preparedStates(): string {
  const states = migrated;
  if (states === undefined)
    throw new ReferenceError("Cannot tell what a reload leads to: there is none under way");
  const servers: unknown[] = [];
  holding.eachHeld((proc, { key }) => {
    if (proc.path === null || !mapHas(states, proc)) return;
    const version = definitions.serverOf(key).schema?.version ?? null;
    append(servers, { path: proc.path, key, version, state: encodedOf(mapGet(states, proc)) });
  });
  // A server that does not run is not migrated: whatever stands there next begins anew.
  eachLast(({ module }, path) => {
    if (holding.isHeldModule(module)) append(servers, { path, key: "", version: null, state: "" });
  });
  return stringify({ servers, report });
}

// A state that is not data is nobody's to keep.
function encodedOf(state: unknown): string | null {
  try {
    return host.encode(state);
  } catch {
    return null;
  }
}

/** How the states of the latest reload fared, as JSON. */
export function migrationReport(): string {
  return stringify(report);
}

/** The reload is over, one way or the other: states are taken or forgotten, and all go on. */
export function resumeServers(isCommitted: boolean): void {
  definitions.settleDefinitions(isCommitted);
  const states = migrated;
  migrated = undefined;
  if (isCommitted) {
    holding.eachHeld((proc, behaviour) => {
      if (states !== undefined && mapHas(states, proc)) behaviour.state = mapGet(states, proc);
    });
    forgetLastsOf(holding.isHeldModule);
  }
  holding.release(isCommitted);
}
