// The "./guest" entry: what guests import, as their authors' editors see it. Inside a sandbox these functions are the
// runtime's own; outside, definitions can be made, so that a guest's module can be imported for its types or its tests,
// and everything that needs a sandbox throws an error that says so.
import type {
  Address,
  AnyServer,
  ChildSpec,
  ExitReason,
  Pid,
  ProcessInfo,
  Ref,
  Self,
  Server,
  ServerDefinition,
  SpawnOptions,
  Supervisor,
  SupervisorDefinition,
} from "./otp/types.ts";

export type * from "./otp/types.ts";

/** Defines a server. A reload finds it again by its module and its name. */
export function server<Args, State, Call, Cast, Reply>(
  definition: ServerDefinition<Args, State, Call, Cast, Reply>,
): Server<Args, State, Call, Cast, Reply> {
  return { kind: "server", key: definition.name ?? "server" };
}

/** Defines a supervisor with its children, in the order in which they are started. */
export function supervisor(definition: SupervisorDefinition): Supervisor {
  return { kind: "supervisor", key: definition.name ?? "supervisor" };
}

/** Starts a process whose body is this function; it ends with the function. */
export function spawn(_body: (self: Self) => void | Promise<void>, _options?: SpawnOptions): Pid {
  return outside("spawn");
}

/** Starts a server outside of the tree. */
export function start<Args>(
  _server: Server<Args, never, never, never, never> | AnyServer,
  _args?: Args,
  _options?: SpawnOptions,
): Promise<Pid> {
  return outside("start");
}

/** Sends a message: to a server's handleInfo, or into a process's mailbox. */
export function send(_to: Address, _message: unknown): void {
  outside("send");
}

/** Sends a message to a server's handleCast. */
export function cast(_to: Address, _message: unknown): void {
  outside("cast");
}

/** Asks a process and waits for the answer; rejects when the process exits or the time is over. */
export function ask<T = unknown>(
  _to: Address,
  _message: unknown,
  _options?: { readonly timeoutMs?: number },
): Promise<T> {
  return outside("ask");
}

/** The current process. To be called before its first await. */
export function self(): Pid {
  return outside("self");
}

/** From here on exit signals of linked processes arrive as messages. */
export function trapExits(_isOn?: boolean): void {
  outside("trapExits");
}

/** Links two processes: each exits with the other, unless it traps exits. */
export function link(_to: Address): void {
  outside("link");
}

export function unlink(_to: Address): void {
  outside("unlink");
}

/** Monitors a process: its exit arrives as a message. */
export function monitor(_to: Address): Ref {
  return outside("monitor");
}

export function demonitor(_ref: Ref): void {
  outside("demonitor");
}

/** Sends an exit signal; `kill` cannot be trapped. */
export function exit(_to: Address, _reason?: ExitReason): void {
  outside("exit");
}

export function register(_name: string, _to?: Address): void {
  outside("register");
}

export function unregister(_name: string): boolean {
  return outside("unregister");
}

export function whereis(_name: string): Pid | null {
  return outside("whereis");
}

/** Sends a message later; returns the timer's number. */
export function sendAfter(_delayMs: number, _to: Address, _message: unknown): number {
  return outside("sendAfter");
}

export function cancelTimer(_timer: number): void {
  outside("cancelTimer");
}

export function processInfo(_of?: Address): ProcessInfo {
  return outside("processInfo");
}

/** Adds a child to a supervisor that is running. */
export function startChild(_supervisor: Address, _spec: ChildSpec): Promise<Pid> {
  return outside("startChild");
}

export function stopChild(_supervisor: Address, _id: string): Promise<true> {
  return outside("stopChild");
}

export function deleteChild(_supervisor: Address, _id: string): Promise<true> {
  return outside("deleteChild");
}

export function restartChild(_supervisor: Address, _id: string): Promise<Pid> {
  return outside("restartChild");
}

export function children(_supervisor: Address): Promise<
  readonly {
    readonly id: string;
    readonly pid: Pid | null;
    readonly restart: string;
    readonly dynamic: boolean;
  }[]
> {
  return outside("children");
}

function outside(name: string): never {
  throw new TypeError(`Cannot use ${name} here as it must be called inside a sandbox: this is the host`);
}
