// What guest authors see of processes, servers and supervisors: types only, for the host and the guest.
import type { RestartFrom } from "../../model/sandboxes/process.ts";

declare const pidBrand: unique symbol;
declare const refBrand: unique symbol;

/** One process. Only the runtime can make one, and it is valid only in its own sandbox. */
export interface Pid {
  readonly [pidBrand]: true;
}

/** One monitor, timer or request. */
export interface Ref {
  readonly [refBrand]: true;
}

/** An error as a reason: what was thrown, flattened. */
export interface ErrorReason {
  readonly error: { readonly name: string; readonly message: string; readonly stack: string };
}

/**
 * Why a process exited. `normal` and `shutdown` are orderly; `killed` cannot be trapped; `cut` was a step that took too
 * long, `overflow` a full mailbox. Any other reason comes from the guest's own code.
 */
export type ExitReason =
  | "normal"
  | "shutdown"
  | { readonly shutdown: unknown }
  | "killed"
  | "cut"
  | "overflow"
  | "noproc"
  | ErrorReason
  | (string & {})
  | object;

/** A process by its pid or by its registered name. */
export type Address = Pid | string;

/** What a process that traps exits gets instead of exiting with a linked process. */
export interface ExitMessage {
  /** Null where it came from no process. */
  readonly exit: Pid | null;
  readonly reason: ExitReason;
}

/** What a monitor sends when its process exits. */
export interface DownMessage {
  readonly down: Ref;
  /** Null where the monitored name was not registered. */
  readonly pid: Pid | null;
  readonly reason: ExitReason;
}

/** A plain process, as its own body sees it. */
export interface Self {
  readonly pid: Pid;
  /** The next message that matches, waiting in the mailbox or yet to come; undefined when none came in time. */
  receive<T = unknown>(options?: {
    readonly match?: (message: unknown) => boolean;
    readonly timeoutMs?: number;
  }): Promise<T>;
  /** Exit signals of linked processes arrive as messages from here on. */
  trapExits(isOn?: boolean): void;
  /** As the functions of the same names, which work only before the first await; these work at any time. */
  spawn(body: (self: Self) => void | Promise<void>, options?: SpawnOptions): Pid;
  link(to: Address): void;
  unlink(to: Address): void;
  monitor(to: Address): Ref;
}

export interface SpawnOptions {
  readonly name?: string;
  /** Links the new process to the one that spawns it. */
  readonly link?: boolean;
}

/** The caller that waits for a reply. */
export interface From {
  readonly pid: Pid | null;
  /** Replies, at once or later, once. */
  reply(value: unknown): void;
}

/** The result of a call: a new state, and a reply now or later; `stop` ends the server. */
export type CallResult<State, Reply> =
  | { readonly reply: Reply; readonly state: State; readonly stop?: ExitReason }
  | { readonly state: State; readonly stop?: ExitReason };

/** The result of any other message. */
export type CastResult<State> = { readonly state: State; readonly stop?: ExitReason };

/** A value, now or later. */
export type MaybePromise<T> = T | Promise<T>;

/** The shape of a server's state, its defaults and its checks. */
export interface Schema<State> {
  readonly version: number;
  readonly fields: { readonly [K in keyof State]?: Field<State[K]> };
}

export interface Field<T> {
  readonly type: "string" | "number" | "boolean" | "bigint" | "array" | "object" | "map" | "set" | "any";
  readonly default?: T;
  readonly optional?: boolean;
  /** True when the value is good; a text says what is wrong. */
  readonly check?: (value: T) => boolean | string;
}

/** A migration from one version of a state to another; `down` makes it reversible. */
export interface Migration {
  readonly from: number;
  readonly to: number;
  readonly up: (state: never) => unknown;
  readonly down?: (state: never) => unknown;
}

/** A server: a state, and a callback for each kind of message. Every callback may be asynchronous. */
export interface ServerDefinition<
  Args = unknown,
  State = unknown,
  Call = unknown,
  Cast = unknown,
  Reply = unknown,
> {
  /** Needed where a module has several servers. */
  readonly name?: string;
  init(args: Args, self: Pid): MaybePromise<State>;
  handleCall?(message: Call, state: State, from: From): MaybePromise<CallResult<State, Reply>>;
  handleCast?(message: Cast, state: State): MaybePromise<CastResult<State>>;
  handleInfo?(message: unknown, state: State): MaybePromise<CastResult<State>>;
  terminate?(reason: ExitReason, state: State): MaybePromise<void>;
  /** The module was reloaded: returns the state for the new code. */
  codeChange?(state: unknown, from: number, to: number): MaybePromise<State>;
  readonly schema?: Schema<State>;
  readonly migrations?: readonly Migration[];
}

/** A server as `server()` gives it; the type carries its messages to callers in the host and in guests. */
export interface Server<Args = never, State = unknown, Call = never, Cast = never, Reply = unknown> {
  readonly kind: "server";
  readonly key: string;
  /** For types only. */
  readonly signature?: (args: Args, call: Call, cast: Cast) => { reply: Reply; state: State };
}

/** The types of a server's calls, casts and replies. */
export type CallOf<S> = S extends Server<infer _A, infer _S, infer Call, infer _C, infer _R> ? Call : never;
export type CastOf<S> =
  S extends Server<infer _A, infer _S, infer _Call, infer Cast, infer _R> ? Cast : never;
export type ReplyOf<S> =
  S extends Server<infer _A, infer _S, infer _Call, infer _C, infer Reply> ? Reply : never;

export type RestartKind = "permanent" | "transient" | "temporary";

/** One child of a supervisor. */
export interface ChildSpec {
  readonly id: string;
  /** A server with its arguments, a supervisor, or the body of a plain process. */
  readonly start: AnyServer | AnySupervisor | ((self: Self) => void | Promise<void>);
  readonly args?: unknown;
  /** The name it is registered under; its id unless it says otherwise, null for none. */
  readonly name?: string | null;
  /** Default: permanent. */
  readonly restart?: RestartKind;
  /**
   * The state of a server after a restart: from `init`, or the one that its last finished message left, which must then be
   * data. Default: init.
   */
  readonly restartFrom?: RestartFrom;
  /** How long it may take to stop; 0 kills it at once. Default: 5,000; unbounded for a supervisor. */
  readonly shutdownMs?: number;
}

export type AnyServer = { readonly kind: "server"; readonly key: string };
export type AnySupervisor = { readonly kind: "supervisor"; readonly key: string };

export type Strategy = "one-for-one" | "one-for-all" | "rest-for-one";

export interface SupervisorDefinition {
  readonly name?: string;
  readonly strategy?: Strategy;
  /** More restarts than this within the window, and the supervisor gives up. Default: 3 in 5,000 ms. */
  readonly restartsMax?: number;
  readonly windowMs?: number;
  readonly children: readonly ChildSpec[];
}

export interface Supervisor {
  readonly kind: "supervisor";
  readonly key: string;
}

export type { ProcessInfo, RestartFrom } from "../../model/sandboxes/process.ts";
