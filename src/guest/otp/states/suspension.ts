// The servers that a reload suspends while it changes their code: those that are running, and those that would start
// meanwhile.
import { make, setAdd, setHas } from "../../../model/wire/intrinsics.ts";
import type { ProcessHost } from "../core.ts";
import * as definitions from "../definitions.ts";
import { Chain } from "../chain.ts";
import type { Proc } from "../proc.ts";
import { eachProc, end } from "../process.ts";
import { enqueue } from "../scheduler.ts";
import { ServerBehaviour } from "../server.ts";

interface Suspension {
  readonly modules: Set<string>;
  /** The caller's name for it; empty where the reload itself suspends them. */
  name: string;
  readonly servers: Chain<Proc>;
  /** None of them is handling a message: from here on no other one starts. */
  isAtRest: boolean;
  /** Servers that were started with code of the reload before it was committed. */
  readonly uncommitted: Chain<Proc>;
  /** Starts that wait until the reload is over. */
  readonly waiting: Chain<() => void>;
}

const pollMs = 1;
let host: ProcessHost;
let current: Suspension | undefined;

export function connectSuspension(given: ProcessHost): void {
  host = given;
}

/**
 * Suspends the servers of these modules until `resume`; resolves when none of them is handling a message. A suspension
 * that is already under way is extended.
 */
export async function suspendServers(modules: readonly string[], name: string): Promise<void> {
  const isNew = current === undefined;
  const mine = (current ??= newSuspension());
  if (name !== "") mine.name = name;
  // A server that is being restarted would be missed; once suspended, it could not be waited for.
  if (isNew) while (isAnyRestarting()) await pause(mine);
  for (let i = 0; i < modules.length; i++) setAdd(mine.modules, modules[i]);
  definitions.beginDefinitions();
  for (suspendRunning(mine); isAnyBusy(mine); suspendRunning(mine)) await pause(mine);
  mine.isAtRest = true;
}

/** Visits the suspended servers that have not exited. */
export function eachSuspended(visit: (proc: Proc, behaviour: ServerBehaviour) => void): void {
  current?.servers.each((proc) => {
    if (proc.status !== "exited") visit(proc, proc.behaviour as ServerBehaviour);
  });
}

/** Whether servers are suspended under this name; false where the isolate was rebuilt since. */
export function isSuspendedAs(name: string): boolean {
  return current !== undefined && current.name === name;
}

/** Whether a module's servers are suspended. */
export function isSuspendedModule(module: string): boolean {
  return current !== undefined && setHas(current.modules, module);
}

/** Whether a server of this key may not start now, as its code is about to change. */
export function mustWait(key: string): boolean {
  if (current?.isAtRest !== true || definitions.isFresh(key)) return false;
  return isSuspendedModule(definitions.moduleOfServer(key) ?? "");
}

/** Resolves when the reload is over. */
export function untilResumed(proc: Proc): Promise<void> {
  proc.isSuspended = true;
  return new make.Promise<void>((resolve) => {
    const begin = (): void => {
      proc.isSuspended = false;
      resolve();
    };
    if (current === undefined) begin();
    else current.waiting.push(begin);
  });
}

/** Notes that a server starts. One that starts with uncommitted code ends when the reload is undone. */
export function noteStart(proc: Proc, key: string): void {
  if (current === undefined || !definitions.isFresh(key)) return;
  proc.isUncommitted = true;
  current.uncommitted.push(proc);
}

/** Resumes the suspended servers and lets those start that had to wait. */
export function resume(isCommitted: boolean): void {
  const over = current;
  current = undefined;
  if (over === undefined) return;
  over.servers.each((proc) => {
    proc.isSuspended = false;
    if (proc.mailbox.size > 0) enqueue(proc);
  });
  over.uncommitted.each((proc) => {
    if (isCommitted) proc.isUncommitted = false;
    else end(proc, "killed");
  });
  over.waiting.each((begin) => begin());
}

function newSuspension(): Suspension {
  return {
    modules: new make.Set(),
    name: "",
    servers: new Chain(),
    isAtRest: false,
    uncommitted: new Chain(),
    waiting: new Chain(),
  };
}

// Includes servers that were started since the last call.
function suspendRunning({ modules, servers }: Suspension): void {
  eachProc((proc) => {
    if (proc.isSuspended || !(proc.behaviour instanceof ServerBehaviour)) return;
    const { key } = proc.behaviour;
    if (!setHas(modules, definitions.moduleOfServer(key))) return;
    proc.isSuspended = true;
    servers.push(proc);
  });
}

function isAnyBusy({ servers }: Suspension): boolean {
  let isBusy = false;
  servers.each(({ status }) => {
    isBusy ||= status === "busy" || status === "starting";
  });
  return isBusy;
}

function isAnyRestarting(): boolean {
  let isRestarting = false;
  eachProc(({ behaviour }) => {
    isRestarting ||= behaviour?.isRestarting() === true;
  });
  return isRestarting;
}

// The reload may be undone before the servers that are waited for are idle.
async function pause(mine: Suspension): Promise<void> {
  await new make.Promise<void>((resolve) => void host.setTimer(resolve as () => void, pollMs));
  if (current !== mine) throw new ReferenceError("Cannot go on as the reload was undone");
}
