// What guest authors see of processes, servers and supervisors: types only, shared by both sides of the wall.
import type { RestartFrom } from "../../model/process.ts";

declare const pidBrand: unique symbol;
declare const refBrand: unique symbol;

/** One process. Nobody can make one up: it is worth something only where it came from. */
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
 * Why a process ended. `normal` and `shutdown` are orderly; `killed` cannot be trapped; `cut` was a step that took too
 * long, `overflow` a mailbox that ran over. Anything else a process may say itself.
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

/** What a process that traps exits gets instead of ending with those it is linked to. */
export interface ExitMessage {
  /** Null where it came from no process. */
  readonly exit: Pid | null;
  readonly reason: ExitReason;
}

/** What a monitor sends when the process it watches ends. */
export interface DownMessage {
  readonly down: Ref;
  /** Null where it was watched by a name that nobody had. */
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
  /** As the functions of the same names, at any time: those know whose doing they are only before the first await. */
  spawn(body: (self: Self) => void | Promise<void>, options?: SpawnOptions): Pid;
  link(to: Address): void;
  unlink(to: Address): void;
  monitor(to: Address): Ref;
}

export interface SpawnOptions {
  readonly name?: string;
  /** The one who spawns ends with it, and the other way round. */
  readonly link?: boolean;
}

/** Who waits for a reply. */
export interface From {
  readonly pid: Pid | null;
  /** Answers, at once or later, once. */
  reply(value: unknown): void;
}

/** What a call leaves behind: a new state, and a reply now or later, or the end. */
export type CallResult<State, Reply> =
  | { readonly reply: Reply; readonly state: State; readonly stop?: ExitReason }
  | { readonly state: State; readonly stop?: ExitReason };

/** What any other message leaves behind. */
export type CastResult<State> = { readonly state: State; readonly stop?: ExitReason };

type Later<T> = T | Promise<T>;

/** The shape of a server's state, its defaults and its checks. */
export interface Schema<State> {
  readonly version: number;
  readonly fields: { readonly [K in keyof State]?: Field<State[K]> };
}

export interface Field<T> {
  readonly type: "string" | "number" | "boolean" | "bigint" | "array" | "object" | "map" | "set" | "any";
  readonly default?: T;
  readonly isOptional?: boolean;
  /** True when the value is good; a text says what is wrong. */
  readonly check?: (value: T) => boolean | string;
}

/** One way from one version of a state to another; `down` makes it reversible. */
export interface Migration {
  readonly from: number;
  readonly to: number;
  readonly up: (state: never) => unknown;
  readonly down?: (state: never) => unknown;
}

/** A server: a state, and what each kind of message makes of it. Every function may be asynchronous. */
export interface ServerDefinition<
  Args = unknown,
  State = unknown,
  Call = unknown,
  Cast = unknown,
  Reply = unknown,
> {
  /** Tells it from the other servers of its module; needed where a module has several. */
  readonly name?: string;
  init(args: Args, self: Pid): Later<State>;
  handleCall?(message: Call, state: State, from: From): Later<CallResult<State, Reply>>;
  handleCast?(message: Cast, state: State): Later<CastResult<State>>;
  handleInfo?(message: unknown, state: State): Later<CastResult<State>>;
  terminate?(reason: ExitReason, state: State): Later<void>;
  /** The module was reloaded: the state in the form that the new code wants. */
  codeChange?(state: unknown, from: number, to: number): Later<State>;
  readonly schema?: Schema<State>;
  readonly migrations?: readonly Migration[];
}

/** A server as `server()` gives it; the type carries its messages to whoever calls it, on either side. */
export interface Server<Args = never, State = unknown, Call = never, Cast = never, Reply = unknown> {
  readonly kind: "server";
  readonly key: string;
  /** For types only. */
  readonly signature?: (args: Args, call: Call, cast: Cast) => { reply: Reply; state: State };
}

/** The messages that a server answers, does not answer, and what it answers with. */
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
   * What a server begins with when its supervisor starts it again: what `init` gives, or the state that its last finished
   * message left, which must then be data. Default: init.
   */
  readonly restartFrom?: RestartFrom;
  /** How long it may take to end when asked; 0 ends it at once. Default: 5,000; a supervisor has all its children's time. */
  readonly shutdownMs?: number;
}

export type AnyServer = { readonly kind: "server"; readonly key: string };
export type AnySupervisor = { readonly kind: "supervisor"; readonly key: string };

export type Strategy = "one-for-one" | "one-for-all" | "rest-for-one";

export interface SupervisorDefinition {
  readonly name?: string;
  readonly strategy?: Strategy;
  /** More restarts than this within the window, and the supervisor gives up. Default: 3 in 5,000 ms. */
  readonly maxRestarts?: number;
  readonly windowMs?: number;
  readonly children: readonly ChildSpec[];
}

export interface Supervisor {
  readonly kind: "supervisor";
  readonly key: string;
}

export type { ProcessInfo, RestartFrom } from "../../model/process.ts";
