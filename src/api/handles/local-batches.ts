// Batches over the sandboxes of this process's runtime.
import { nobody } from "../../code/compiler/compile-owner.ts";
import { asVivariumError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Read } from "../../model/schema.ts";
import {
  refusedBatch,
  RunningBatch,
  type Batch,
  type BatchRun,
} from "../../orchestration/evaluation/batch.ts";
import type { CodeLimits } from "../../orchestration/code/build.ts";
import { untilCancelled } from "../options/cancellation.ts";
import {
  changeOptions,
  evaluateOptions,
  joined,
  modulesFor,
  reloadOptions,
  runOptions,
  specEvaluateOptions,
  specRunOptions,
  splitSpec,
  type BatchBounds,
} from "../options/batch-options.ts";
import type { Engine } from "../wiring/engine.ts";
import { EvaluationLaunch } from "../evaluation/evaluations.ts";
import type { Fitness } from "../types/fitness.ts";
import { readFitness } from "../options/fitness-options.ts";
import { checkChanges } from "./local-versions.ts";
import { anyList } from "../options/options.ts";
import { cancelledBy } from "../../model/runs/unbegun.ts";
import { changing, type Item } from "./batch-changes.ts";
import { RunLaunch } from "./batch-runs.ts";
import { splitFork } from "./fork.ts";
import { idsOf, isSpec, readIds, readTargets } from "../options/batch-items.ts";
import { SpecSandboxes } from "./spec-sandboxes.ts";
import { functionSource } from "../../model/runs/function-source.ts";
import { calleeOf, type Callee } from "../options/run-options.ts";
import type {
  BatchCallOptions,
  Batches,
  BatchSpec,
  BatchTarget,
  BatchEvaluation,
  BatchFork,
  BatchOptions,
  BatchOutcome,
  BatchResult,
  EvaluateOptions,
  KeepBest,
  KeepChosen,
  Kept,
} from "../types/batch.ts";
import type { ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import { beginWait, endWait } from "../../std/keep-alive.ts";
import type { HotReloadOptions, ReloadModules, Sandbox } from "../types/sandbox.ts";
import type { ForkOptions } from "../types/spec.ts";

export interface BatchActions {
  readonly create: (id: unknown, spec: unknown) => Promise<Sandbox>;
  readonly fork: (parents: unknown, options: ForkOptions) => Promise<Sandbox>;
  readonly destroy: (id: string) => Promise<void>;
  readonly get: (id: string) => Promise<Sandbox>;
}

/** What a batch is about, and how it is bounded. */
interface Head {
  readonly operation: string;
  readonly ids: readonly string[];
  readonly bounds: BatchBounds;
}

export class LocalBatches implements Batches {
  readonly #engine: Engine;
  readonly #actions: BatchActions;
  #lastId = 0;

  constructor(engine: Engine, actions: BatchActions) {
    this.#engine = engine;
    this.#actions = actions;
  }

  create(specs: readonly BatchSpec[], options?: BatchOptions): Batch<BatchResult<Sandbox>> {
    return this.#accepted("create", () => {
      const bounds = changeOptions.read(options, "options");
      const given = anyList.read(specs, "specs") as typeof specs;
      const ids = given.map((spec) => spec?.id ?? "");
      return this.#each({ operation: "create", ids, bounds }, ({ index }, signal) => {
        const { id, spec } = splitSpec(given[index], signal);
        return this.#actions.create(id, spec);
      });
    });
  }

  fork(forks: readonly BatchFork[], options?: BatchOptions): Batch<BatchResult<Sandbox>> {
    return this.#accepted("fork", () => {
      const bounds = changeOptions.read(options, "options");
      const given = anyList.read(forks, "forks") as typeof forks;
      const ids = given.map((item) => item?.id ?? "");
      return this.#each({ operation: "fork", ids, bounds }, ({ index }, ended) => {
        const { parents, options: own } = splitFork(given[index]);
        return this.#actions.fork(parents, { ...own, signal: joined(own.signal, ended) });
      });
    });
  }

  destroy(ids: readonly string[], options?: BatchOptions): Batch<BatchResult<void>> {
    return this.#accepted("destroy", () => {
      const bounds = changeOptions.read(options, "options");
      // What was begun goes on; the batch does not wait for it beyond its bounds.
      return this.#each({ operation: "destroy", ids: readIds(ids), bounds }, ({ id }, signal) =>
        untilCancelled({ signal }, "an item of the batch", () => this.#actions.destroy(id)),
      );
    });
  }

  hotReload(
    ids: readonly string[],
    modules: ReloadModules | ((id: string, index: number) => ReloadModules),
    options: BatchOptions & HotReloadOptions = {},
  ): Batch<BatchResult<ReloadReport>> {
    return this.#accepted("hotReload", () => {
      const bounds = reloadOptions.read(options, "options");
      checkChanges(modules);
      const { concurrency: _, deadlineMs: __, ...own } = options;
      const head = { operation: "hotReload", ids: readIds(ids), bounds };
      return this.#each(head, async ({ index, id }, signal) => {
        const sandbox = await this.#actions.get(id);
        return sandbox.hotReload(modulesFor(modules, id, index), { ...own, signal });
      });
    });
  }

  call<T = unknown>(
    targets: readonly BatchTarget[],
    target: `${string}.${string}`,
    options?: BatchCallOptions & KeepChosen<BatchOutcome<T>>,
  ): Batch<BatchOutcome<T> & Kept> {
    return this.#accepted("call", () => {
      const { items, given } = readTargets(targets, options, { usual: runOptions, making: specRunOptions });
      const callee = calleeOf(target);
      return this.#runs("call", { items, given, calleeFor: () => callee }) as Batch<BatchOutcome<T> & Kept>;
    });
  }

  run<R, A extends readonly unknown[], M extends object>(
    targets: readonly BatchTarget[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A> & KeepChosen<BatchOutcome<Awaited<R>>>,
  ): Batch<BatchOutcome<Awaited<R>> & Kept> {
    return this.#accepted("run", () => {
      const { items, given } = readTargets(targets, options, { usual: runOptions, making: specRunOptions });
      functionSource(fn);
      const runs = this.#runs("run", { items, given, calleeFor: this.#shipping(fn) });
      return runs as Batch<BatchOutcome<Awaited<R>> & Kept>;
    });
  }

  evaluate(
    targets: readonly BatchTarget[],
    fitness: Fitness,
    options?: EvaluateOptions & (KeepBest | KeepChosen<BatchEvaluation>),
  ): Batch<BatchEvaluation & Kept> {
    return this.#accepted("evaluate", () => {
      const tables = { usual: evaluateOptions, making: specEvaluateOptions };
      const { items, given } = readTargets(targets, options, tables);
      const plan = { fitness: readFitness(fitness), evaluation: given, specs: this.#specsOf(items, given) };
      const launch = new EvaluationLaunch(this.#engine, plan);
      const batch = this.#begin<BatchEvaluation>(
        { operation: "evaluate", ids: idsOf(items), bounds: given },
        {
          start: ({ index, id }, done) => launch.start({ index, id, done }),
          cancel: ({ index }, reason) => launch.cancel(index, cancelledBy(reason)),
          unstarted: ({ index, id }, reason) => launch.unstarted(index, id, cancelledBy(reason)),
          beforeEnd: plan.specs && (() => launch.settle()),
          onEnd: () => launch.end(),
        },
      );
      return batch as Batch<BatchEvaluation & Kept>;
    });
  }

  // Undefined where no sandbox is to be made.
  #specsOf(items: readonly BatchTarget[], { concurrency }: BatchBounds): SpecSandboxes | undefined {
    return items.some(isSpec) ? new SpecSandboxes(this.#engine, items, concurrency) : undefined;
  }

  // A batch that is refused as a whole is an event too; nothing of it has begun.
  #accepted<T>(operation: string, begin: () => Batch<T>): Batch<T> {
    try {
      return begin();
    } catch (error) {
      const { code, message } = asVivariumError(error);
      this.#engine.parts.bus.emit("sandbox.batch.exception", { operation, code, message });
      return refusedBatch(error);
    }
  }

  // What to run in a sandbox: the function with a fuel counter where one is wanted, compiled once for all that want it.
  #shipping(fn: unknown): (id: string) => Promise<Callee | GuestFailure> {
    const { registry, config } = this.#engine.parts;
    const ships = new Map<boolean, Promise<Callee | GuestFailure>>();
    return (id) => {
      const { fuel } = registry.find(id as SandboxId)?.limits ?? config.limits;
      const isMetered = fuel !== null;
      const known = ships.get(isMetered) ?? this.#ship(fn, { ...config.limits, fuel });
      ships.set(isMetered, known);
      return known;
    };
  }

  // What to run, or why it cannot be; never rejects.
  #ship(fn: unknown, limits: CodeLimits): Promise<Callee | GuestFailure> {
    return this.#engine.ship(fn, limits, nobody).catch((error: unknown) => {
      return { kind: "cancelled", reason: "closed", message: String(error) };
    });
  }

  // One run into each sandbox. Results of any kind are values: a batch never rejects for an item.
  #runs(
    operation: string,
    what: {
      readonly items: readonly BatchTarget[];
      readonly given: Read<typeof runOptions>;
      readonly calleeFor: (id: string) => Callee | Promise<Callee | GuestFailure>;
    },
  ): Batch<BatchOutcome<unknown>> {
    const { items, given, calleeFor } = what;
    const { keep, ...run } = given;
    const specs = this.#specsOf(items, given);
    const launch = new RunLaunch(this.#engine, run, { waitMs: given.deadlineMs, specs, keep });
    const head = { operation, ids: idsOf(items), bounds: given };
    return this.#begin<BatchOutcome<unknown>>(head, {
      start: ({ index, id }, done) => launch.start({ index, id, done }, calleeFor),
      cancel: ({ index }, reason) => launch.cancel(index, reason),
      unstarted: ({ index, id }, reason) => launch.unstarted(index, id, reason),
      beforeEnd: specs && (() => launch.settle()),
      onEnd: () => launch.end(),
    });
  }

  // One change of each sandbox.
  #each<T>(head: Head, act: (item: Item, signal: AbortSignal) => Promise<T>): Batch<BatchResult<T>> {
    return this.#begin<BatchResult<T>>(head, changing(act));
  }

  #begin<T extends { readonly ok: boolean }>(
    { operation, ids, bounds }: Head,
    how: Pick<BatchRun<Item, T>, "start" | "cancel" | "unstarted"> & Partial<BatchRun<Item, T>>,
  ): Batch<T> {
    this.#engine.checkOpen("start a batch");
    const { bus, config } = this.#engine.parts;
    const { clock } = config;
    const { signal, concurrency, deadlineMs } = bounds;
    const size = ids.length;
    const startedMs = clock.monotonic();
    const batchId = ++this.#lastId;
    bus.emit("sandbox.batch.start", { batchId, operation, size });
    beginWait();
    const onSignal = (): void => batch.cut("signal");
    const timer = clock.after(deadlineMs, () => batch.cut("deadline"));
    const batch: RunningBatch<Item, T> = new RunningBatch({
      ...how,
      start: (item, done) => bus.within("batch", batchId, () => how.start(item, done)),
      concurrency,
      items: Array.from(ids, (id, index) => ({ index, id })),
      cut: signal?.aborted === true ? "signal" : undefined,
      onEnd: (results) => {
        how.onEnd?.(results);
        timer.cancel();
        signal?.removeEventListener("abort", onSignal);
        endWait();
        const failures = results.filter((result) => !result.ok).length;
        const durationMs = clock.monotonic() - startedMs;
        bus.emit("sandbox.batch.stop", { batchId, operation, size, failures, durationMs });
      },
    });
    if (batch.progress.done === size) return batch;
    // An item may have aborted it while it was being started.
    if (signal?.aborted === true) onSignal();
    else signal?.addEventListener("abort", onSignal, { once: true });
    return batch;
  }
}
