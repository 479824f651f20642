// What a guest gets when it imports "vivarium/guest".
import { append, each, freeze, keys, make, setEach } from "../../model/wire/intrinsics.ts";
import { startServer } from "./supervision/child.ts";
import type { ProcessHost } from "./core.ts";
import { server, supervisor } from "./definitions.ts";
import { spawnPlain } from "./plain.ts";
import * as process from "./process.ts";
import type { Proc, Request, Envelope, SystemReason } from "./proc.ts";
import { reasonText } from "./reasons.ts";
import { currentProc, resume, resumeLater } from "./scheduler.ts";
import type { SupervisorCall } from "./supervision/supervisor.ts";
import type { Address, ChildSpec, ExitReason, Pid, Ref, Self, Server, SpawnOptions } from "./types.ts";

const askMsUsual = 5_000;
const commandMs = 300_000;

/** Why a question was not answered. */
export class AskFailure extends Error {
  readonly reason: ExitReason;
  readonly #systemReason: SystemReason | undefined;

  /** `system` has the reason where the runtime set it, and a sentence where there is more to say. */
  constructor(
    reason: ExitReason,
    to: string,
    system: { readonly reason: SystemReason | undefined; readonly why?: string },
  ) {
    super(`Cannot get an answer from ${to}: ${system.why ?? reasonText(reason)}`);
    this.name = "AskFailure";
    this.reason = reason;
    this.#systemReason = system.reason;
  }

  static is(error: unknown): error is AskFailure {
    return typeof error === "object" && error !== null && #systemReason in error;
  }

  /** The reason where the runtime set it: a guest cannot forge it. */
  static systemReasonOf(error: AskFailure): SystemReason | undefined {
    return error.#systemReason;
  }
}

/** The namespace of "vivarium/guest": frozen, as all modules of the sandbox share it. */
export function makeApi(host: ProcessHost): Record<string, unknown> {
  const api = { __proto__: null, ...functionsOf(host) } as Record<string, unknown>;
  each(keys(api), (name) => freeze(api[name]));
  return freeze(api);
}

function functionsOf(host: ProcessHost): Record<string, unknown> {
  return {
    server,
    supervisor,
    spawn: (body: (self: Self) => unknown, options: SpawnOptions = {}) => spawn(body, options, currentProc()),
    start: (definition: Server, args?: unknown, options: SpawnOptions = {}) =>
      start(definition, args, options),
    send: (to: Address, message: unknown) => sendTo(to, { kind: "info", content: message }),
    cast: (to: Address, message: unknown) => sendTo(to, { kind: "cast", content: message }),
    ask: (to: Address, message: unknown, options: { readonly timeoutMs?: number } = {}) => {
      return ask(host, to, { message, timeoutMs: options.timeoutMs ?? askMsUsual });
    },
    self: () => requireCurrent("self").pid,
    trapExits: (isOn = true) => {
      requireCurrent("trapExits").isTrapping = isOn;
    },
    link: (to: Address) => linkTo(requireCurrent("link"), to),
    unlink: (to: Address) => unlinkFrom(requireCurrent("unlink"), to),
    monitor: (to: Address) => process.monitor(requireCurrent("monitor"), process.procOf(to)),
    demonitor: (ref: Ref) => process.demonitor(ref),
    exit: (to: Address, reason: ExitReason = "normal") => exit(to, reason),
    register: (name: string, to?: Address) =>
      process.register(name, to === undefined ? requireCurrent("register") : requireRunning(to)),
    unregister: (name: string) => process.unregister(name),
    whereis: (name: string) => process.find(name)?.pid ?? null,
    sendAfter: (delayMs: number, to: Address, message: unknown) =>
      host.setTimer(() => sendTo(to, { kind: "info", content: message }), delayMs),
    cancelTimer: (id: number) => host.clearTimer(id),
    processInfo: (to?: Address) =>
      infoOf(to === undefined ? requireCurrent("processInfo") : requireRunning(to)),
    startChild: (of: Address, spec: ChildSpec) => command(host, of, { op: "start", spec }),
    stopChild: (of: Address, id: string) => command(host, of, { op: "stop", id }),
    deleteChild: (of: Address, id: string) => command(host, of, { op: "delete", id }),
    restartChild: (of: Address, id: string) => command(host, of, { op: "restart", id }),
    children: (of: Address) => command(host, of, { op: "list" }),
  };
}

function requireCurrent(what: string): Proc {
  const proc = currentProc();
  if (proc === undefined) {
    throw new TypeError(
      `Cannot use ${what} here as it must be called from a process, before its first await`,
    );
  }
  return proc;
}

function requireRunning(to: Address): Proc {
  const proc = process.findOrThrow(to);
  if (proc === undefined) throw new TypeError("Cannot find the process as it must be alive: it has ended");
  return proc;
}

function spawn(body: unknown, options: SpawnOptions, parent: Proc | undefined): Pid {
  if (typeof body !== "function")
    throw new TypeError("Cannot spawn a process as its body must be a function");
  if (options.link === true && parent === undefined) requireCurrent("spawn with a link");
  const proc = spawnPlain(body as (self: Self) => unknown, parent);
  if (options.link === true && parent !== undefined) process.link(parent, proc);
  try {
    if (options.name !== undefined) process.register(options.name, proc);
  } catch (error) {
    process.end(proc, "killed");
    throw error;
  }
  return proc.pid;
}

async function start(definition: Server, args: unknown, options: SpawnOptions): Promise<Pid> {
  const parent = options.link === true ? requireCurrent("start with a link") : undefined;
  const position = { parent: undefined, path: "?", name: options.name ?? null };
  const starting = startServer(definition.key, args, position);
  const proc = await starting;
  proc.path = null;
  if (parent !== undefined && parent.status !== "exited") process.link(parent, proc);
  return proc.pid;
}

/** Sends to a process. A message to one that has ended is dropped; an unregistered name throws. */
function sendTo(to: Address, envelope: Envelope): void {
  const proc = process.findOrThrow(to);
  if (proc !== undefined) process.deliver(proc, envelope);
}

/** Asks a process and waits for its answer; fails when the process ends or the time is over. */
function ask(
  host: ProcessHost,
  to: Address,
  question: { readonly message: unknown; readonly timeoutMs: number },
): Promise<unknown> {
  const label = typeof to === "string" ? `"${to}"` : "the process";
  return new make.Promise((resolve, reject) => {
    let timer = 0;
    let isAsked = false;
    const asker = currentProc();
    const request: Request = {
      asker,
      isOpen: true,
      holder: undefined,
      settle: (result) => {
        if (timer !== 0) host.clearTimer(timer);
        (isAsked ? resume : resumeLater)(asker, () => {
          if ("value" in result) resolve(result.value);
          else reject(new AskFailure(result.failure, label, { reason: result.systemReason }));
        });
      },
    };
    if (question.timeoutMs < Infinity)
      timer = host.setTimer(() => process.fail(request, "timeout"), question.timeoutMs);
    const proc = process.findOrThrow(to);
    if (proc === undefined) process.fail(request, "noproc", "noproc");
    else
      process.deliver(proc, {
        kind: "call",
        content: { message: question.message, request },
      });
    isAsked = true;
  });
}

// Long, as a supervisor bounds the start and end of each child itself and may have to end several of them.
function command(host: ProcessHost, of: Address, message: SupervisorCall): Promise<unknown> {
  return ask(host, of, { message, timeoutMs: commandMs });
}

/** What a process may do on its own behalf at any time. */
export function ownFunctions(proc: Proc): Pick<Self, "spawn" | "link" | "unlink" | "monitor"> {
  return {
    spawn: (body, options = {}) => spawn(body, options, proc),
    link: (to) => linkTo(proc, to),
    unlink: (to) => unlinkFrom(proc, to),
    monitor: (to) => process.monitor(proc, process.procOf(to)),
  };
}

function unlinkFrom(mine: Proc, to: Address): void {
  const other = process.find(to);
  if (other !== undefined) process.unlink(mine, other);
}

function linkTo(mine: Proc, to: Address): void {
  const other = process.findOrThrow(to);
  if (other === undefined) process.signal(mine, process.procOf(to) as Proc, "noproc");
  else process.link(mine, other);
}

function exit(to: Address, reason: ExitReason): void {
  const proc = process.findOrThrow(to);
  if (proc !== undefined) process.signal(proc, currentProc(), reason);
}

/** The public view of a process. */
export function infoOf(proc: Proc): Record<string, unknown> {
  const links: number[] = [];
  if (proc.links !== undefined) setEach(proc.links, (linked) => append(links, (linked as Proc).id));
  return {
    pid: proc.id,
    name: proc.name,
    kind: proc.behaviour?.kind ?? "process",
    status: proc.status === "starting" ? "busy" : proc.status,
    queueLength: proc.mailbox.size,
    queueMax: proc.mailbox.sizeMax,
    messages: proc.messages,
    restarts: proc.restarts,
    links,
    trappingExits: proc.isTrapping,
  };
}
