// The handle of one sandbox, as users hold it. Asynchronous and made of data, so that it means the same wherever the
// runtime is.
import type { Limits } from "../model/limits.ts";
import type { LogLine } from "../model/log-line.ts";
import type { Outcome } from "../model/outcome.ts";
import type { SandboxInfo, TotalUsage } from "../model/sandbox-info.ts";

/** How one run is bounded and cancelled. A call may only lower what its sandbox allows. */
export interface RunOptions {
  readonly timeoutMs?: number;
  readonly cpuMs?: number;
  readonly signal?: AbortSignal;
  /** Running it twice does no harm: when its cell dies for another's fault, it is run again instead of lost. */
  readonly repeatable?: boolean;
}

export interface CallOptions<A extends readonly unknown[] = readonly unknown[]> extends RunOptions {
  readonly args?: A;
}

type AnyFunction = (...args: never[]) => unknown;

/** A module's functions as calls into the sandbox. */
export type ModuleProxy<T> = {
  readonly [K in keyof T as T[K] extends AnyFunction ? K : never]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Outcome<Awaited<R>>>
    : never;
};

/** The sandbox's modules as a shipped function sees them, unless it says more precisely what it expects. */
export type GuestModules = Readonly<
  Record<string, Readonly<Record<string, (...args: unknown[]) => unknown>>>
>;

export interface Sandbox extends AsyncDisposable {
  readonly id: string;
  /** Calls an exported function. */
  call<T = unknown>(target: `${string}.${string}`, options?: CallOptions): Promise<Outcome<T>>;
  /**
   * Ships a function's source and calls it inside as `fn(modules, ...args)`. Variables around the function do not travel.
   */
  run<R, A extends readonly unknown[] = [], M extends object = GuestModules>(
    fn: (modules: M, ...args: A) => R,
    options?: CallOptions<A>,
  ): Promise<Outcome<Awaited<R>>>;
  /** One module's functions, typed: `sandbox.module<typeof import("./variant.ts")>("main")`. */
  module<T extends object>(name: string, options?: RunOptions): ModuleProxy<T>;
  /** Sums over all runs, and a fresh sample of the heap. */
  usage(): Promise<TotalUsage>;
  /** Changes limits. `isRebuilt` says that a larger memory needed a new isolate: module variables began anew. */
  updateLimits(limits: Partial<Limits>): Promise<{ readonly limits: Limits; readonly isRebuilt: boolean }>;
  info(): Promise<SandboxInfo>;
  /** The console lines that are kept, oldest first. */
  logs(): Promise<readonly LogLine[]>;
  restart(): Promise<void>;
  destroy(): Promise<void>;
}
