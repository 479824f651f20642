// Processes in a reload: servers whose code changes are held back, their states migrated beside the old ones, and all of
// them go on together, with the new states or the old.
import {
  create,
  isArray,
  make,
  mapGet,
  mapHas,
  mapSet,
  parse,
  stringify,
} from "../../model/wire/intrinsics.ts";
import { append } from "../append.ts";
import type { ProcessHost } from "./core.ts";
import * as definitions from "./definitions.ts";
import { Chain } from "./mailbox.ts";
import * as process from "./process.ts";
import type { Proc } from "./proc.ts";
import { enqueue } from "./scheduler.ts";
import { ServerBehaviour } from "./server.ts";
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
let suspended = new Chain<Proc>();
let migrated = new Map<Proc, unknown>();
let report: ReportRow[] = [];

export function connectReload(given: ProcessHost): void {
  host = given;
}

/** Holds back the servers whose code is about to change; resolves when none of them is in the middle of anything. */
export async function suspendServers(modules: readonly string[]): Promise<void> {
  suspended = new Chain();
  process.eachProc((proc) => {
    const { behaviour } = proc;
    if (!(behaviour instanceof ServerBehaviour)) return;
    const module = definitions.moduleOfServer(behaviour.key);
    for (let i = 0; i < modules.length; i++) if (modules[i] === module) suspended.push(proc);
  });
  suspended.each((proc) => {
    proc.isSuspended = true;
  });
  definitions.beginDefinitions();
  while (isAnyBusy()) await new make.Promise<void>((resolve) => void host.setTimer(resolve as () => void, 1));
}

function isAnyBusy(): boolean {
  let isBusy = false;
  suspended.each((proc) => {
    if (proc.status === "busy" || proc.status === "starting") isBusy = true;
  });
  return isBusy;
}

/** The states of those that are held back, for a host that migrates them itself. */
export function suspendedStates(): string {
  const states: unknown[] = [];
  suspended.each((proc) => {
    if (proc.status === "dead") return;
    const behaviour = proc.behaviour as ServerBehaviour;
    const { id, path, name } = proc;
    const module = definitions.moduleOfServer(behaviour.key);
    append(states, { pid: id, path, name, key: behaviour.key, module, state: behaviour.written });
  });
  return stringify(states);
}

/** The states in the form that the new code wants; nobody sees them before the reload is committed. */
export async function migrateServers(versions: Versions, given: string): Promise<void> {
  migrated = new make.Map();
  report = [];
  const fromHost = create(null) as Record<number, string>;
  const list = given === "" ? [] : (parse(given) as { readonly pid: number; readonly state: string }[]);
  for (let i = 0; isArray(list) && i < list.length; i++)
    fromHost[(list[i] as { pid: number }).pid] = (list[i] as { state: string }).state;
  const line = new Chain<Proc>();
  suspended.each((proc) => line.push(proc));
  let failure: MigrationFailure | undefined;
  for (let proc = line.shift(); proc !== undefined; proc = line.shift()) {
    if (proc.status === "dead") continue;
    const failed = await migrateOne(proc, versions, fromHost[proc.id]);
    failure ??= failed;
  }
  if (failure !== undefined) throw failure;
}

// All are tried, so that the report is whole; the first failure is the one to tell.
async function migrateOne(
  proc: Proc,
  versions: Versions,
  given: string | undefined,
): Promise<MigrationFailure | undefined> {
  const { key, state } = proc.behaviour as ServerBehaviour;
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
    const next = given === undefined ? await migrateState(copyFor(row, state), change) : host.decode(given);
    const admitted = admitState(change.after, next);
    if (process.processLimits().isCheckpointed) host.encode(admitted);
    mapSet(migrated, proc, admitted);
    return undefined;
  } catch (error) {
    row.problem = host.flatten(error).message;
    return new MigrationFailure(`"${name ?? path ?? key}"`, error);
  }
}

// A copy: what a migration that fails did to the state it was given is not to be seen.
function copyFor({ way }: Way, state: unknown): unknown {
  return way === "kept" ? state : host.decode(host.encode(state));
}

/** The states that a reload leads to, to be written down before it is committed, and how each was come by. */
export function stagedStates(): string {
  const servers: unknown[] = [];
  suspended.each((proc) => {
    if (proc.path === null || proc.status === "dead" || !mapHas(migrated, proc)) return;
    const { key } = proc.behaviour as ServerBehaviour;
    const version = definitions.serverOf(key).schema?.version ?? null;
    append(servers, { path: proc.path, key, version, state: encodedOf(mapGet(migrated, proc)) });
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
  suspended.each((proc) => {
    if (isCommitted && proc.status !== "dead" && mapHas(migrated, proc))
      (proc.behaviour as ServerBehaviour).state = mapGet(migrated, proc);
    proc.isSuspended = false;
    if (proc.mailbox.size > 0) enqueue(proc);
  });
  suspended = new Chain();
  migrated = new make.Map();
}
