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
import { admitState, migrateState } from "./state.ts";

let host: ProcessHost;
let suspended = new Chain<Proc>();
let migrated = new Map<Proc, unknown>();

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
    const behaviour = proc.behaviour as ServerBehaviour;
    append(states, {
      pid: proc.id,
      path: proc.path,
      name: proc.name,
      key: behaviour.key,
      module: definitions.moduleOfServer(behaviour.key),
      state: host.encode(behaviour.state),
    });
  });
  return stringify(states);
}

/** The states in the form that the new code wants; nobody sees them before the reload is committed. */
export async function migrateServers(
  versions: Readonly<Record<string, readonly [from: number, to: number]>>,
  given: string,
): Promise<void> {
  migrated = new make.Map();
  const fromHost = create(null) as Record<number, string>;
  const list = given === "" ? [] : (parse(given) as { readonly pid: number; readonly state: string }[]);
  for (let i = 0; isArray(list) && i < list.length; i++)
    fromHost[(list[i] as { pid: number }).pid] = (list[i] as { state: string }).state;
  for (let proc = suspended.shift(), kept = new Chain<Proc>(); ; proc = suspended.shift()) {
    if (proc === undefined) {
      suspended = kept;
      return;
    }
    kept.push(proc);
    if (proc.status !== "dead") mapSet(migrated, proc, await migrateOne(proc, versions, fromHost[proc.id]));
  }
}

async function migrateOne(
  proc: Proc,
  versions: Readonly<Record<string, readonly [number, number]>>,
  given: string | undefined,
): Promise<unknown> {
  const { key, state } = proc.behaviour as ServerBehaviour;
  const after = definitions.serverOf(key);
  const [from, to] = versions[definitions.moduleOfServer(key) ?? ""] ?? [0, 0];
  const change = { before: definitions.serverBefore(key), after, from, to };
  // A copy: what a migration that fails did to the state it was given is not to be seen.
  const old = given === undefined ? host.decode(host.encode(state)) : undefined;
  const next = given === undefined ? await migrateState(old, change) : host.decode(given);
  return admitState(after, next);
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
