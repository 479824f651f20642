// Who is held back while a reload changes the code: the servers of its modules that live, and those that would begin
// meanwhile.
import { make, setAdd, setHas } from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import * as definitions from "./definitions.ts";
import { Chain } from "./mailbox.ts";
import type { Proc } from "./proc.ts";
import { eachProc, end } from "./process.ts";
import { enqueue } from "./scheduler.ts";
import { ServerBehaviour } from "./server.ts";

interface Hold {
  readonly modules: Set<string>;
  /** The caller's name for it; empty where the reload itself holds them back. */
  name: string;
  readonly servers: Chain<Proc>;
  /** None of them is in the middle of anything: from here on no other one begins. */
  isAtRest: boolean;
  /** Servers that began with code of the reload, before it was committed. */
  readonly early: Chain<Proc>;
  /** Starts that wait until the reload is over. */
  readonly waiting: Chain<() => void>;
}

const lookMs = 1;
let host: ProcessHost;
let hold: Hold | undefined;

export function connectHolding(given: ProcessHost): void {
  host = given;
}

/**
 * Holds back the servers of these modules until `release`; resolves when none of them is in the middle of anything. Where
 * some are held back already, it goes on with that.
 */
export async function holdServers(modules: readonly string[], name: string): Promise<void> {
  const isNew = hold === undefined;
  const mine = (hold ??= newHold());
  if (name !== "") mine.name = name;
  // A server that is between two lives would be missed. Held back, it could not be waited for.
  if (isNew) while (isAnyMending()) await aMoment(mine);
  for (let i = 0; i < modules.length; i++) setAdd(mine.modules, modules[i]);
  definitions.beginDefinitions();
  for (takeIn(mine); isAnyBusy(mine); takeIn(mine)) await aMoment(mine);
  mine.isAtRest = true;
}

/** Visits those who are held back and alive. */
export function eachHeld(visit: (proc: Proc, behaviour: ServerBehaviour) => void): void {
  hold?.servers.each((proc) => {
    if (proc.status !== "dead") visit(proc, proc.behaviour as ServerBehaviour);
  });
}

/** Whether servers are held back under this name: where the isolate was made anew since, they are not. */
export function isHeldAs(name: string): boolean {
  return hold !== undefined && hold.name === name;
}

/** Whether a module's servers are held back. */
export function isHeldModule(module: string): boolean {
  return hold !== undefined && setHas(hold.modules, module);
}

/** Whether a server of this key may not begin now: its code is about to be another. */
export function mustWait(key: string): boolean {
  if (hold?.isAtRest !== true || definitions.isFresh(key)) return false;
  return isHeldModule(definitions.moduleOfServer(key) ?? "");
}

/** Resolves when the reload is over. */
export function untilReleased(proc: Proc): Promise<void> {
  proc.isSuspended = true;
  return new make.Promise<void>((resolve) => {
    const begin = (): void => {
      proc.isSuspended = false;
      resolve();
    };
    if (hold === undefined) begin();
    else hold.waiting.push(begin);
  });
}

/** A server begins. One that does so with code that is not committed does not outlive it. */
export function noteBeginning(proc: Proc, key: string): void {
  if (hold === undefined || !definitions.isFresh(key)) return;
  proc.isEarly = true;
  hold.early.push(proc);
}

/** Lets all of them go on, and those begin who had to wait. */
export function release(isCommitted: boolean): void {
  const over = hold;
  hold = undefined;
  if (over === undefined) return;
  over.servers.each((proc) => {
    proc.isSuspended = false;
    if (proc.mailbox.size > 0) enqueue(proc);
  });
  over.early.each((proc) => {
    if (isCommitted) proc.isEarly = false;
    else end(proc, "killed");
  });
  over.waiting.each((begin) => begin());
}

function newHold(): Hold {
  return {
    modules: new make.Set(),
    name: "",
    servers: new Chain(),
    isAtRest: false,
    early: new Chain(),
    waiting: new Chain(),
  };
}

// Also those who began since it last looked.
function takeIn({ modules, servers }: Hold): void {
  eachProc((proc) => {
    if (proc.isSuspended || !(proc.behaviour instanceof ServerBehaviour)) return;
    const { key } = proc.behaviour;
    if (!setHas(modules, definitions.moduleOfServer(key))) return;
    proc.isSuspended = true;
    servers.push(proc);
  });
}

function isAnyBusy({ servers }: Hold): boolean {
  let isBusy = false;
  servers.each(({ status }) => {
    isBusy ||= status === "busy" || status === "starting";
  });
  return isBusy;
}

function isAnyMending(): boolean {
  let isMending = false;
  eachProc(({ behaviour }) => {
    isMending ||= behaviour?.isMending() === true;
  });
  return isMending;
}

// It may be over before those who are waited for come to rest.
async function aMoment(mine: Hold): Promise<void> {
  await new make.Promise<void>((resolve) => void host.setTimer(resolve as () => void, lookMs));
  if (hold !== mine) throw new ReferenceError("Cannot go on as the reload was undone");
}
