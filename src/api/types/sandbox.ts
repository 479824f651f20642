// The handle of one sandbox, as users hold it. Asynchronous and made of data, so that it means the same wherever the
// runtime is.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { CallOf, CastOf, ReplyOf } from "../../guest/otp/types.ts";
import type { Individual } from "../../model/sandboxes/individual.ts";
import type { Limits } from "../../model/limits.ts";
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { ProcessView, StateCapture } from "../../model/sandboxes/process.ts";
import type { Recording } from "../../model/sandboxes/recording.ts";
import type { SandboxInfo, TotalUsage } from "../../model/sandboxes/sandbox-info.ts";
import type { Migrate, ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import type { CancelOptions } from "./cancel.ts";

/** The name of an exported function: `module.export`. */
export type CallTarget = `${string}.${string}`;

/** How one run is bounded and cancelled. */
export interface RunOptions {
  /** At most the sandbox's `timeoutMsMax`, so that it may be more than its `timeoutMs`. */
  readonly timeoutMs?: number;
  /** At most the sandbox's, where that has one. */
  readonly cpuMs?: number;
  /** At most the sandbox's, which must have been created with fuel. */
  readonly fuel?: number;
  /** Ends the run, with an outcome of kind `cancelled`. */
  readonly signal?: AbortSignal;
  /** Running it twice does no harm: when its cell dies for another's fault, it is run again instead of lost. */
  readonly repeatable?: boolean;
}

export interface CallOptions<A extends readonly unknown[] = readonly unknown[]> extends RunOptions {
  /** The arguments: any data. Default: none. */
  readonly args?: A;
}

/** How a stream is bounded and cancelled; `timeoutMs`, `cpuMs` and `fuel` are those of each part. */
export interface StreamOptions<A extends readonly unknown[] = readonly unknown[]> extends Omit<
  CallOptions<A>,
  "repeatable"
> {
  /** From the first part that is asked for to the end, what the caller does in between included. Default: 600,000. */
  readonly deadlineMs?: number;
  /** How long nobody may ask for a part before it is ended. Default: 60,000. */
  readonly idleMs?: number;
  /** How many parts there may be. Default: 100,000. */
  readonly partsMax?: number;
  /** All parts together, encoded. Default: 64 MiB. */
  readonly bytesMax?: number;
}

/**
 * Parts of what a function in a sandbox yields, each produced when it is asked for. It can be iterated once. It rejects with a
 * `GuestFailedError` where the guest fails or a bound is exceeded.
 */
export interface SandboxStream<T = unknown> extends AsyncDisposable {
  /** The next part; with `done`, what the generator returned. Several at once, up to 1,000, are answered one after the other. */
  next(): Promise<IteratorResult<T, unknown>>;
  /** Ends it: the generator's `finally` blocks run, for a second at most. */
  return(value?: unknown): Promise<IteratorResult<T, unknown>>;
  [Symbol.asyncIterator](): SandboxStream<T>;
}

export interface RecordOptions extends CallOptions {
  /** Records the run, of a deterministic sandbox, so that it can be replayed. Default: false. */
  readonly record?: boolean;
}

/** An outcome with all that is needed to run it again. */
export type RecordedOutcome<T = unknown> = Outcome<T> & { readonly recording: Recording };

/** What may be said to a server, where its type is given: `sandbox.ask<typeof import("./counter.ts")["Counter"]>(…)`. */
export type MessageTo<S, Kind extends "call" | "cast"> = S extends { readonly kind: "server" }
  ? Kind extends "call"
    ? CallOf<S>
    : CastOf<S>
  : unknown;

/** What it answers. */
export type AnswerOf<S> = S extends { readonly kind: "server" } ? ReplyOf<S> : S;

/** What a replayed run shows. */
export interface Replay {
  readonly same: boolean;
  /** The first thing that is not as it was recorded; null when all is. */
  readonly difference: string | null;
  /** The sandbox has just the modules that were recorded: its code has not changed since. */
  readonly sameCode: boolean;
  readonly outcome: Outcome;
}

/** Module names with new code; null takes a module away. */
export type ReloadModules = Readonly<Record<string, string | Artifact | null>>;

/** A caller that gives up before the new code is switched to undoes the reload. */
export interface HotReloadOptions extends CancelOptions {
  /** Brings the state of a server into the form that its new code wants, instead of that code's own migrations. */
  readonly migrate?: Migrate;
  /**
   * Looks at the sandbox while it runs the new revision and no other caller may; anything but true undoes the reload. It may
   * call functions; processes are held back until it is over.
   */
  readonly verify?: (sandbox: Sandbox) => boolean | Promise<boolean>;
  /**
   * Compiles and links, reports what would happen, and leaves the sandbox alone. Where it has processes, the reload is tried
   * out on copies of their states, in an isolate of its own: `states` reports what each would become.
   */
  readonly dryRun?: boolean;
  /** What was changed, as the caller describes it: any JSON. */
  readonly mutation?: unknown;
  /** How long `verify` may take; runs of others wait meanwhile. Default: 60,000. */
  readonly verifyMs?: number;
}

/** One version of a module, without its source. */
export interface VersionInfo {
  readonly version: number;
  readonly checksum: string;
  readonly current: boolean;
  /** The version that was current when this one was made. */
  readonly parent: number | null;
  readonly mutation: unknown;
  readonly createdAt: number;
  readonly exports: readonly string[];
  /** What it imports, as written. */
  readonly imports: readonly string[];
  readonly bytes: number;
}

/** A module's functions as calls into the sandbox. */
export type ModuleProxy<T> = {
  readonly [K in keyof T as T[K] extends (...args: never[]) => unknown ? K : never]: T[K] extends (
    ...args: infer A
  ) => infer R
    ? (...args: A) => Promise<Outcome<Awaited<R>>>
    : never;
};

/** The sandbox's modules as a shipped function sees them, unless it says more precisely what it expects. */
export type GuestModules = Readonly<
  Record<string, Readonly<Record<string, (...args: unknown[]) => unknown>>>
>;

export interface Sandbox extends AsyncDisposable {
  readonly id: string;
  /**
   * Calls an exported function. With `record`, in a deterministic sandbox, the run is made apart from the living one and
   * recorded, so that it can be replayed.
   */
  call<T = unknown>(
    target: CallTarget,
    options: RecordOptions & { readonly record: true },
  ): Promise<RecordedOutcome<T>>;
  call<T = unknown>(target: CallTarget, options?: RecordOptions): Promise<Outcome<T>>;
  /**
   * Ships a function's source and calls it inside as `fn(modules, ...args)`. Variables around the function do not travel.
   */
  run<R, A extends readonly unknown[] = [], M extends object = GuestModules>(
    fn: (modules: M, ...args: A) => R,
    options?: CallOptions<A>,
  ): Promise<Outcome<Awaited<R>>>;
  /**
   * Runs a script: statements that may await, import and return. Its value is that of the last expression; `args` is a
   * variable in it. What it declares ends with it.
   */
  run<T = unknown>(source: string, options?: CallOptions): Promise<Outcome<T>>;
  /**
   * Iterates what an exported function yields: a generator, an async one, or any iterable that it returns. A part is produced
   * when it is asked for, and whoever stops iterating ends the generator.
   */
  stream<T = unknown>(target: CallTarget, options?: StreamOptions): SandboxStream<T>;
  /** One module's functions, typed: `sandbox.module<typeof import("./variant.ts")>("main")`. */
  module<T extends object>(name: string, options?: RunOptions): ModuleProxy<T>;
  /**
   * Puts other code into the living sandbox as one atomic revision: all or nothing. Dependents see the new exports
   * without being evaluated again; a function that is running finishes in old code. A caller that gives up undoes it, as long
   * as the new code is not switched to.
   */
  hotReload(modules: ReloadModules, options?: HotReloadOptions): Promise<ReloadReport>;
  /** Makes an earlier version of one module the current one. Other modules keep their variables. Given up, it is undone. */
  rollback(module: string, version: number, options?: CancelOptions): Promise<ReloadReport>;
  /** Makes the modules what they were in an earlier revision. Given up, it is undone. */
  rollbackTo(revision: number, options?: CancelOptions): Promise<ReloadReport>;
  /** The current version of a module. */
  version(module: string): Promise<number>;
  /** The numbers of all versions of a module that are kept, oldest first. */
  versions(module: string): Promise<readonly number[]>;
  history(module: string): Promise<readonly VersionInfo[]>;
  /** The source of a module: of its current version, or of the one named. */
  source(module: string, version?: number): Promise<string>;
  /** The difference between two versions of a module as a unified diff. */
  diff(module: string, from: number, to: number): Promise<string>;
  /** Runs a recording again, with its own code and in an isolate of its own, and compares it bit for bit. Given up, it is ended. */
  replay(recording: Recording, options?: CancelOptions): Promise<Replay>;
  /** The tree of processes, and those outside of it. Given up, nothing has changed. */
  processes(options?: CancelOptions): Promise<readonly ProcessView[]>;
  /** Asks a process, by its registered name, and waits for its answer. */
  ask<S = unknown>(
    name: string,
    message: MessageTo<S, "call">,
    options?: RunOptions,
  ): Promise<Outcome<AnswerOf<S>>>;
  /** Tells a process something that it does not answer. */
  send<S = unknown>(
    name: string,
    message: MessageTo<S, "cast">,
    options?: RunOptions,
  ): Promise<Outcome<void>>;
  /** Writes the states of processes down: restart, rebuild and export begin with them. Given up, it goes on. */
  checkpoint(options?: CancelOptions): Promise<StateCapture>;
  /** The states of processes as they are now. Given up, nothing has changed. */
  captureState(options?: CancelOptions): Promise<StateCapture>;
  /** Makes the isolate anew with these states, and writes them down. Given up, the former states are put back. */
  restoreState(capture: StateCapture, options?: CancelOptions): Promise<void>;
  /** Timers and processes stand still, and runs wait. Given up, it is undone. */
  suspend(options?: CancelOptions): Promise<void>;
  /** Lets it go on. Given up, it stays suspended. */
  resume(options?: CancelOptions): Promise<void>;
  /** Starts or stops following the files that its modules were read from. */
  autoReload(isOn: boolean): Promise<void>;
  /** The sandbox as one piece of plain data: code with its versions, states, limits, character and origin. Given up, nothing has changed. */
  export(options?: CancelOptions): Promise<Individual>;
  /** Sums over all runs, and a fresh sample of the heap. Given up, nothing has changed. */
  usage(options?: CancelOptions): Promise<TotalUsage>;
  /**
   * Changes limits. `rebuilt` says that a larger memory needed a new isolate: module variables began anew. Given up, the former
   * limits apply again, also where the new isolate was made already.
   */
  updateLimits(
    limits: Partial<Limits>,
    options?: CancelOptions,
  ): Promise<{ readonly limits: Limits; readonly rebuilt: boolean }>;
  info(): Promise<SandboxInfo>;
  /** The console lines that are kept, oldest first. */
  logs(): Promise<readonly LogLine[]>;
  /**
   * Begins anew at the current revision. A reload that is under way is ended by it. Given up while it is loaded, it is `failed`
   * and can be restarted.
   */
  restart(options?: CancelOptions): Promise<void>;
  /** Ends it and removes it from the store. Given up, that goes on. */
  destroy(options?: CancelOptions): Promise<void>;
}
