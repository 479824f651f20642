// The table of processes: their names, links and monitors, and how they exit. Guests never see the record of a process;
// what they hold are empty, frozen pids.
import {
  create,
  freeze,
  make,
  mapDelete,
  mapEach,
  mapGet,
  mapSet,
  mapSize,
  setAdd,
  setDelete,
  setEach,
  setPrototypeOf,
} from "../../model/wire/intrinsics.ts";
import type { ProcessHost, ProcessLimits } from "./core.ts";
import { Mailbox } from "./mailbox.ts";
import { newPid, procOfPid } from "./pids.ts";
import type { Envelope, Proc, Request, SystemReason } from "./proc.ts";
import { ProcessLimitReached, reasonOf, reportProcess } from "./reasons.ts";
import type { Address, ExitReason, Pid, Ref } from "./types.ts";

const procs = new Map<number, Proc>();
const names = new Map<string, Proc>();
let lastId = 0;
let host: ProcessHost;
let limits: ProcessLimits;
let onReady: (proc: Proc) => void = () => {};
let treeChanges = 0;
let queueMax = 0;
let countMax = 0;
// The limit was reported to the host, and no process has ended since.
let isFull = false;
let onRootEnd: (root: Proc, reason: ExitReason) => void = () => {};

/** Connects this file with the rest. `ready` puts a process into the scheduler's queue. */
export function connect(parts: {
  readonly host: ProcessHost;
  readonly limits: ProcessLimits;
  readonly ready: (proc: Proc) => void;
}): void {
  host = parts.host;
  limits = parts.limits;
  onReady = parts.ready;
}

export function setLimits(changed: ProcessLimits): void {
  limits = changed;
}

/** Calls back when the root of the tree ends. */
export function watchRoot(act: (root: Proc, reason: ExitReason) => void): void {
  onRootEnd = act;
}

/** Counts the changes of the tree: starts and exits of its processes, and others. */
export function treeChangeCount(): number {
  return treeChanges;
}

/** Notes a change of the tree that is neither a start nor an exit. */
export function noteTreeChange(): void {
  treeChanges++;
}

/** The longest that any mailbox ever was. */
export function longestQueue(): number {
  return queueMax;
}

/** The greatest number of processes at a time. */
export function mostProcesses(): number {
  return countMax;
}

export function processLimits(): ProcessLimits {
  return limits;
}

export function count(): number {
  return mapSize(procs);
}

export function eachProc(visit: (proc: Proc) => void): void {
  mapEach(procs, (proc) => visit(proc as Proc));
}

function newRef(): Ref {
  return freeze(create(null)) as Ref;
}

/** Makes a process; throws at the limit. */
export function newProc(parent: Proc | undefined): Proc {
  const before = count();
  if (before >= limits.processes) throw tooMany();
  const proc = new Process(++lastId, parent);
  mapSet(procs, proc.id, proc);
  if (before >= countMax) countMax = before + 1;
  return proc;
}

class Process implements Proc {
  readonly id: number;
  readonly pid: Pid;
  next: Proc | undefined = undefined;
  readonly mailbox: Mailbox<Envelope> = new Mailbox();
  readonly parent: Proc | undefined;
  behaviour: Proc["behaviour"] = undefined;
  name: string | null = null;
  path: string | null = null;
  status: Proc["status"] = "starting";
  isTrapping = false;
  isSuspended = false;
  isUncommitted = false;
  links: Proc["links"] = undefined;
  monitors: Proc["monitors"] = undefined;
  requests: Proc["requests"] = undefined;
  messages = 0;
  restarts = 0;

  constructor(id: number, parent: Proc | undefined) {
    this.id = id;
    this.parent = parent;
    this.pid = newPid(this);
  }
}
// A promise that is resolved with a process looks for `then` nowhere else.
setPrototypeOf(Process.prototype, null);

function tooMany(): ProcessLimitReached {
  if (!isFull) host.report("limit", "processes");
  isFull = true;
  return new ProcessLimitReached(limits.processes);
}

/** The process has started: from here on it takes messages. */
export function begin(proc: Proc): void {
  if (proc.status !== "starting") return;
  proc.status = "idle";
  if (proc.path !== null) treeChanges++;
  reportProcess("started", proc);
  if (proc.mailbox.size > 0) onReady(proc);
}

/** The running process of a pid or name; undefined where there is none. */
export function find(address: unknown): Proc | undefined {
  if (typeof address === "string") return mapGet(names, address) as Proc | undefined;
  if (typeof address !== "object" || address === null) return undefined;
  const proc = procOfPid(address);
  return proc?.status === "exited" ? undefined : proc;
}

/** The process of a pid, even where it has exited. */
export function procOf(address: unknown): Proc | undefined {
  if (typeof address !== "object" || address === null) return find(address);
  return procOfPid(address);
}

/** As `find`; throws for a name that is not registered and for what is no address. */
export function findOrThrow(address: Address): Proc | undefined {
  const proc = find(address);
  if (proc !== undefined) return proc;
  if (procOf(address) !== undefined) return undefined;
  throw new TypeError(
    `Cannot find a process as it must be a pid or a registered name: got ${typeof address === "string" ? `"${address}"` : typeof address}`,
  );
}

export function register(name: unknown, proc: Proc): void {
  if (typeof name !== "string" || name === "")
    throw new TypeError("Cannot register a process as its name must be a text");
  const taken = mapGet(names, name) as Proc | undefined;
  if (taken !== undefined && taken !== proc)
    throw new RangeError(`Cannot register "${name}" as another process has this name`);
  if (proc.name !== null) mapDelete(names, proc.name);
  proc.name = name;
  mapSet(names, name, proc);
}

export function unregister(name: string): boolean {
  const proc = mapGet(names, name) as Proc | undefined;
  if (proc !== undefined) proc.name = null;
  return mapDelete(names, name);
}

/** Puts a message into a mailbox. A process whose mailbox overflows is ended. */
export function deliver(proc: Proc, envelope: Envelope): void {
  if (proc.status === "exited") {
    if (envelope.kind === "call") fail(envelope.content.request, "noproc", "noproc");
    return;
  }
  if (proc.mailbox.size >= limits.messageQueue) {
    if (envelope.kind === "call") fail(envelope.content.request, "overflow", "overflow");
    host.report("limit", "queue");
    return end(proc, "overflow", "overflow");
  }
  if (envelope.kind === "call") owe(proc, envelope.content.request);
  proc.mailbox.push(envelope);
  if (proc.mailbox.size > queueMax) queueMax = proc.mailbox.size;
  if (proc.status === "idle" && !proc.isSuspended) onReady(proc);
}

/** Until the request is answered it fails when the process ends. */
export function owe(proc: Proc, request: Request): void {
  request.holder = proc;
  setAdd((proc.requests ??= new make.Set()), request);
}

export function link(a: Proc, b: Proc): void {
  if (a === b) return;
  setAdd((a.links ??= new make.Set()), b);
  setAdd((b.links ??= new make.Set()), a);
}

export function unlink(a: Proc, b: Proc): void {
  if (a.links !== undefined) setDelete(a.links, b);
  if (b.links !== undefined) setDelete(b.links, a);
}

/** Monitors a process: `watcher` gets a message when it exits, or at once where it has. */
export function monitor(watcher: Proc, proc: Proc | undefined): Ref {
  const ref = newRef();
  if (proc !== undefined && proc.status !== "exited")
    mapSet((proc.monitors ??= new make.Map()), ref, watcher);
  else deliver(watcher, { kind: "down", content: { ref, from: proc, reason: "noproc" } });
  return ref;
}

export function demonitor(ref: Ref): void {
  eachProc(({ monitors }) => {
    if (monitors !== undefined) mapDelete(monitors, ref);
  });
}

/** An exit signal: ends the process, unless it traps exits or the reason is `normal`. `kill` cannot be trapped. */
export function signal(proc: Proc, from: Proc | undefined, reason: ExitReason): void {
  if (proc.status === "exited") return;
  if (reason === "kill") return end(proc, "killed");
  if (proc.isTrapping) return deliver(proc, { kind: "exit", content: { from, reason } });
  if (reason !== "normal" || from === proc) end(proc, reason);
}

/** Ends a process at once and notifies its links and monitors. */
export function end(proc: Proc, reason: ExitReason, systemReason?: SystemReason): void {
  if (proc.status === "exited") return;
  const hadBegun = proc.status !== "starting";
  proc.status = "exited";
  if (proc.path !== null) treeChanges++;
  mapDelete(procs, proc.id);
  if (proc.name !== null && mapGet(names, proc.name) === proc) mapDelete(names, proc.name);
  isFull = false;
  proc.behaviour?.ended();
  reportProcess("exited", proc, { reason });
  notify(proc, reason, systemReason);
  if (proc.path === "" && hadBegun) onRootEnd(proc, reason);
}

function notify(proc: Proc, reason: ExitReason, systemReason: SystemReason | undefined): void {
  const { requests, links, monitors } = proc;
  if (requests !== undefined) setEach(requests, (request) => fail(request as Request, reason, systemReason));
  if (links !== undefined)
    setEach(links, (linked) => {
      const { links: back } = linked as Proc;
      if (back !== undefined) setDelete(back, proc);
      signal(linked as Proc, proc, reason);
    });
  if (monitors !== undefined)
    mapEach(monitors, (watcher, ref) => {
      const content = { ref: ref as Ref, from: proc, reason };
      deliver(watcher as Proc, { kind: "down", content });
    });
}

/** Replies to a call, once. */
export function answer(request: Request, value: unknown): void {
  if (!request.isOpen) return;
  close(request);
  request.settle({ value });
}

function close(request: Request): void {
  request.isOpen = false;
  if (request.holder?.requests !== undefined) setDelete(request.holder.requests, request);
  request.holder = undefined;
}

export function fail(request: Request, failure: ExitReason, systemReason?: SystemReason): void {
  if (!request.isOpen) return;
  close(request);
  request.settle(systemReason === undefined ? { failure } : { failure, systemReason });
}

/** Ends a process that threw. */
export function endThrown(proc: Proc, error: unknown): void {
  end(proc, reasonOf(error), ProcessLimitReached.is(error) ? "processes" : undefined);
}
