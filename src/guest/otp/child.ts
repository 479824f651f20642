// One child of a supervisor: how it is started, and how it is brought to its end.
import { apply, hasOwn, make, setAdd, setDelete } from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import { mustWait, noteBeginning, untilReleased } from "./holding.ts";
import { forgetLast, lastAt } from "./last-states.ts";
import { isThenable, spawnPlain } from "./plain.ts";
import type { Proc } from "./proc.ts";
import { deliver, end, endThrown, link, newProc, processLimits, register, signal } from "./process.ts";
import { reasonOf } from "./reasons.ts";
import { ServerBehaviour } from "./server.ts";
import type { ChildSpec, ExitReason, RestartFrom, RestartKind, Self } from "./types.ts";

const shutdownMsUsual = 5_000;
const promiseThen = Promise.prototype.then;

/** A child with all that its specification leaves open filled in. */
export interface Child {
  readonly id: string;
  readonly start: ChildSpec["start"];
  readonly args: unknown;
  readonly name: string | null;
  readonly restart: RestartKind;
  readonly restartFrom: RestartFrom;
  /** Undefined: as long as it takes. */
  readonly shutdownMs: number | undefined;
  readonly isDynamic: boolean;
  proc: Proc | undefined;
  restarts: number;
}

/** What a child begins with, where it was captured before. */
export type CapturedStates = (path: string, key: string) => { readonly state: unknown } | undefined;

export type StartSupervisor = (key: string, place: Place) => Promise<Proc>;

/** Where in the tree a process stands. */
export interface Place {
  readonly parent: Proc | undefined;
  readonly path: string;
  readonly name: string | null;
  /** Default: init. */
  readonly restartFrom?: RestartFrom;
}

let host: ProcessHost;
let startSupervisor: StartSupervisor;
let capturedStates: CapturedStates = () => undefined;

export function connectChildren(parts: {
  readonly host: ProcessHost;
  readonly startSupervisor: StartSupervisor;
}): void {
  host = parts.host;
  startSupervisor = parts.startSupervisor;
}

/** While the tree is being brought back: what its servers were. */
export function startFrom(states: CapturedStates): void {
  capturedStates = states;
}

/** Checks and completes a specification. */
export function toChild(spec: ChildSpec, isDynamic: boolean): Child {
  const { id, start } = spec;
  if (typeof id !== "string" || id === "")
    throw new TypeError("Cannot use the child as its id must be a text");
  const isKnown =
    typeof start === "function" || (typeof start === "object" && start !== null && hasOwn(start, "kind"));
  if (!isKnown)
    throw new TypeError(`Cannot use child "${id}" as start must be a server, a supervisor or a function`);
  const restart = spec.restart ?? "permanent";
  if (restart !== "permanent" && restart !== "transient" && restart !== "temporary") {
    throw new TypeError(`Cannot use child "${id}" as restart must be permanent, transient or temporary`);
  }
  const isSupervisor = typeof start === "object" && start.kind === "supervisor";
  const isServer = typeof start === "object" && !isSupervisor;
  return {
    id,
    start,
    args: spec.args,
    name: spec.name === undefined ? id : spec.name,
    restart,
    restartFrom: toRestartFrom(spec, isServer),
    shutdownMs: spec.shutdownMs ?? (isSupervisor ? undefined : shutdownMsUsual),
    isDynamic,
    proc: undefined,
    restarts: 0,
  };
}

function toRestartFrom({ id, restartFrom = "init" }: ChildSpec, isServer: boolean): RestartFrom {
  if (restartFrom !== "init" && restartFrom !== "last") {
    const got = typeof restartFrom === "string" ? `"${restartFrom as string}"` : typeof restartFrom;
    throw new TypeError(`Cannot use child "${id}" as restartFrom must be init or last: got ${got}`);
  }
  if (restartFrom === "last" && !isServer)
    throw new TypeError(
      `Cannot use child "${id}" as restartFrom must be init where it is no server: got "last"`,
    );
  return restartFrom;
}

/** The place of a child in the tree. */
export function pathOf({ id }: Pick<Child, "id">, parent: Proc): string {
  return parent.path === "" ? id : `${parent.path ?? ""}/${id}`;
}

/** Starts a child under its supervisor; rejects with the reason when it does not come up. */
export async function startChild(child: Child, parent: Proc): Promise<void> {
  const { start, name, restartFrom } = child;
  const place: Place = { parent, path: pathOf(child, parent), name, restartFrom };
  const proc =
    typeof start === "function"
      ? startPlain(start, place)
      : start.kind === "server"
        ? await startServer(start.key, child.args, place)
        : await startSupervisor(start.key, place);
  proc.restarts = child.restarts;
  child.proc = proc;
}

/** Starts a server; rejects with the reason when its init fails. */
export async function startServer(key: string, args: unknown, place: Place): Promise<Proc> {
  const proc = newProc(place.parent);
  const behaviour = new ServerBehaviour(proc, key, place.restartFrom ?? "init");
  proc.behaviour = behaviour;
  let timer = 0;
  try {
    settleIn(proc, place);
    if (mustWait(key)) await untilDead(proc, untilReleased(proc));
    // An init that never comes to its end must not keep its supervisor from everything else.
    timer = host.setTimer(() => end(proc, "timeout"), processLimits().loadMs);
    const begun = proc.status === "dead" ? undefined : beginServer(proc, args, place);
    if (isThenable(begun)) await untilDead(proc, begun);
  } catch (error) {
    if (place.parent !== undefined) leave(proc, place.parent);
    endThrown(proc, error);
    throw reasonOf(error);
  } finally {
    host.clearTimer(timer);
  }
  if (proc.status === "dead") throw "killed" satisfies ExitReason;
  return proc;
}

// With its state from before where there is one; it is kept until the server is there.
function beginServer(proc: Proc, args: unknown, { path, restartFrom }: Place): unknown {
  const behaviour = proc.behaviour as ServerBehaviour;
  const { key } = behaviour;
  noteBeginning(proc, key);
  // The state of code that may come back is neither for code that may go, nor to be replaced by it.
  const hasLast = restartFrom === "last" && !proc.isEarly;
  const last = hasLast ? lastAt(path, key) : undefined;
  const before =
    capturedStates(path, key) ?? (last === undefined ? undefined : { state: host.decode(last.state) });
  const begun = behaviour.start(args, before);
  if (!hasLast) return begun;
  if (!isThenable(begun)) return forgetLast(path);
  return apply(promiseThen, begun, [() => forgetLast(path)]);
}

function startPlain(body: (self: Self) => unknown, place: Place): Proc {
  const proc = spawnPlain(body, place.parent);
  try {
    settleIn(proc, place);
  } catch (error) {
    if (place.parent !== undefined) leave(proc, place.parent);
    end(proc, "killed");
    throw error;
  }
  return proc;
}

// Resolves with the promise, or when the process is ended meanwhile.
function untilDead(proc: Proc, begun: PromiseLike<unknown>): Promise<void> {
  return new make.Promise<void>((resolve, reject) => {
    watchEnd(proc, resolve);
    void apply(promiseThen, make.Promise.resolve(begun), [resolve, reject]);
  });
}

/** Gives a process its name, its place and its tie to its parent. */
export function settleIn(proc: Proc, { parent, path, name }: Place): void {
  proc.path = path;
  if (parent !== undefined) link(proc, parent);
  if (name !== null) register(name, proc);
}

function leave(proc: Proc, parent: Proc): void {
  setDelete(parent.links, proc);
  setDelete(proc.links, parent);
}

/** Brings a child to its end: asked to stop, and killed when it takes too long. Resolves when it is gone. */
export function stopChild(child: Child, supervisor: Proc): Promise<void> {
  const { proc } = child;
  child.proc = undefined;
  if (proc === undefined || proc.status === "dead") return make.Promise.resolve();
  // Its end is expected: nobody has to be told by a signal.
  leave(proc, supervisor);
  return new make.Promise<void>((resolve) => {
    const watcher = watchEnd(proc, resolve);
    if (child.shutdownMs === 0) return signal(proc, supervisor, "kill");
    ask(proc, supervisor);
    if (child.shutdownMs === undefined || proc.status === ("dead" as Proc["status"])) return undefined;
    watcher.timer = host.setTimer(() => signal(proc, supervisor, "kill"), child.shutdownMs);
    return undefined;
  });
}

function ask(proc: Proc, supervisor: Proc): void {
  if (proc.behaviour?.kind === "process") signal(proc, supervisor, "shutdown");
  else deliver(proc, { kind: "stop", reason: "shutdown" });
}

// Calls back when the process is gone.
function watchEnd(proc: Proc, act: () => void): { timer: number } {
  const watching = { timer: 0 };
  const request = {
    asker: undefined,
    isOpen: true,
    settle: () => {
      if (watching.timer !== 0) host.clearTimer(watching.timer);
      act();
    },
  };
  setAdd(proc.requests, request);
  return watching;
}
