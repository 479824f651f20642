// One child of a supervisor: how it is started and how it is stopped.
import { checkNames } from "../definitions.ts";
import { apply, hasOwn, make } from "../../../model/wire/intrinsics.ts";
import type { ProcessHost } from "../core.ts";
import { mustWait, noteStart, untilResumed } from "../states/suspension.ts";
import { forgetLast, lastAt } from "../states/last-states.ts";
import { spawnPlain } from "../plain.ts";
import type { Proc } from "../proc.ts";
import {
  deliver,
  end,
  endThrown,
  link,
  newProc,
  owe,
  processLimits,
  register,
  signal,
  unlink,
} from "../process.ts";
import { reasonOf } from "../reasons.ts";
import { isThenable } from "../scheduler.ts";
import { ServerBehaviour } from "../server.ts";
import type { ChildSpec, ExitReason, RestartFrom, RestartKind, Self } from "../types.ts";

const shutdownMsUsual = 5_000;
const promiseThen = Promise.prototype.then;

/** A child: its specification with the defaults filled in. */
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

/** The captured state of a server; undefined where there is none. */
export type CapturedStates = (path: string, key: string) => { readonly state: unknown } | undefined;

export type StartSupervisor = (key: string, position: TreePosition) => Promise<Proc>;

/** The position of a process in the tree. */
export interface TreePosition {
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

/** Sets the states that servers begin with while the tree is being restored. */
export function useCapturedStates(states: CapturedStates): void {
  capturedStates = states;
}

const childNames = ["id", "start", "args", "name", "restart", "restartFrom", "shutdownMs"];

/** Checks and completes a specification. */
export function toChild(spec: ChildSpec, isDynamic: boolean): Child {
  const { id, start } = spec;
  if (typeof id !== "string" || id === "")
    throw new TypeError("Cannot use the child as its id must be a text");
  checkNames(`Cannot use child "${id}"`, spec, childNames);
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

/** The path of a child in the tree. */
export function pathOf({ id }: Pick<Child, "id">, parent: Proc): string {
  return parent.path === "" ? id : `${parent.path ?? ""}/${id}`;
}

/** Starts a child under its supervisor; rejects with the reason when it cannot be started. */
export async function startChild(child: Child, parent: Proc): Promise<void> {
  const { start, name, restartFrom } = child;
  const position: TreePosition = { parent, path: pathOf(child, parent), name, restartFrom };
  const proc =
    typeof start === "function"
      ? startPlain(start, position)
      : start.kind === "server"
        ? await startServer(start.key, child.args, position)
        : await startSupervisor(start.key, position);
  proc.restarts = child.restarts;
  child.proc = proc;
}

/** Starts a server; rejects with the reason when its init fails. */
export async function startServer(key: string, args: unknown, position: TreePosition): Promise<Proc> {
  const proc = newProc(position.parent);
  const behaviour = new ServerBehaviour(proc, key, position.restartFrom ?? "init");
  proc.behaviour = behaviour;
  let timer = 0;
  try {
    attach(proc, position);
    if (mustWait(key)) await untilExit(proc, untilResumed(proc));
    // An init that never ends must not block its supervisor.
    timer = host.setTimer(() => end(proc, "timeout"), processLimits().loadMs);
    const begun = proc.status === "exited" ? undefined : beginServer(proc, args, position);
    if (isThenable(begun)) await untilExit(proc, begun);
  } catch (error) {
    if (position.parent !== undefined) unlink(proc, position.parent);
    endThrown(proc, error);
    throw reasonOf(error);
  } finally {
    host.clearTimer(timer);
  }
  if (proc.status === "exited") throw "killed" satisfies ExitReason;
  return proc;
}

// With its previous state where there is one, which is stored until the server has started.
function beginServer(proc: Proc, args: unknown, { path, restartFrom }: TreePosition): unknown {
  const behaviour = proc.behaviour as ServerBehaviour;
  const { key } = behaviour;
  noteStart(proc, key);
  // Uncommitted code neither uses nor replaces the last state of the code that a rollback would bring back.
  const hasLast = restartFrom === "last" && !proc.isUncommitted;
  const last = hasLast ? lastAt(path, key) : undefined;
  const before =
    capturedStates(path, key) ?? (last === undefined ? undefined : { state: host.decode(last.state) });
  const begun = behaviour.start(args, before);
  if (!hasLast) return begun;
  if (!isThenable(begun)) return forgetLast(path);
  return apply(promiseThen, begun, [() => forgetLast(path)]);
}

function startPlain(body: (self: Self) => unknown, position: TreePosition): Proc {
  const proc = spawnPlain(body, position.parent);
  try {
    attach(proc, position);
  } catch (error) {
    if (position.parent !== undefined) unlink(proc, position.parent);
    end(proc, "killed");
    throw error;
  }
  return proc;
}

// Resolves with the promise, or when the process exits first.
function untilExit(proc: Proc, begun: PromiseLike<unknown>): Promise<void> {
  return new make.Promise<void>((resolve, reject) => {
    onExit(proc, resolve);
    void apply(promiseThen, make.Promise.resolve(begun), [resolve, reject]);
  });
}

/** Registers a process under its name and links it to its parent. */
export function attach(proc: Proc, { parent, path, name }: TreePosition): void {
  proc.path = path;
  if (parent !== undefined) link(proc, parent);
  if (name !== null) register(name, proc);
}

/** Asks a child to stop and kills it when it takes too long. Resolves when it has exited. */
export function stopChild(child: Child, supervisor: Proc): Promise<void> {
  const { proc } = child;
  child.proc = undefined;
  if (proc === undefined || proc.status === "exited") return make.Promise.resolve();
  // Its exit is expected: its supervisor needs no signal.
  unlink(proc, supervisor);
  return new make.Promise<void>((resolve) => {
    const waiting = onExit(proc, resolve);
    if (child.shutdownMs === 0) return signal(proc, supervisor, "kill");
    requestStop(proc, supervisor);
    if (child.shutdownMs === undefined || proc.status === ("exited" as Proc["status"])) return undefined;
    waiting.timer = host.setTimer(() => signal(proc, supervisor, "kill"), child.shutdownMs);
    return undefined;
  });
}

function requestStop(proc: Proc, supervisor: Proc): void {
  if (proc.behaviour?.kind === "process") signal(proc, supervisor, "shutdown");
  else deliver(proc, { kind: "stop", content: "shutdown" });
}

// Calls back when the process has exited.
function onExit(proc: Proc, act: () => void): { timer: number } {
  const waiting = { timer: 0 };
  const request = {
    asker: undefined,
    isOpen: true,
    holder: undefined,
    settle: () => {
      if (waiting.timer !== 0) host.clearTimer(waiting.timer);
      act();
    },
  };
  owe(proc, request);
  return waiting;
}
