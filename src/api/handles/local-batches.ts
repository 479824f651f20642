// Batches over the sandboxes of this process's runtime.
import { nobody } from "../../code/compiler/compile-owner.ts";
import { asVivariumError, CancelledError, LoadError, type VivariumError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
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
  modulesFor,
  reloadOptions,
  runOptions,
  splitSpec,
  type BatchBounds,
} from "../options/batch-options.ts";
import type { Engine } from "../wiring/engine.ts";
import { EvaluationLaunch } from "../evaluation/evaluations.ts";
import type { Fitness } from "../types/fitness.ts";
import { readFitness } from "../options/fitness-options.ts";
import { checkChanges } from "./local-versions.ts";
import { anyList } from "../options/options.ts";
import { cancelledBy, cutSentence, failed } from "./outcomes.ts";
import { RunLaunch, type LaunchItem } from "./batch-runs.ts";
import { calleeOf, functionSource, type Callee, type RunFields } from "../options/run-options.ts";
import type {
  BatchCallOptions,
  Batches,
  BatchEvaluation,
  BatchOptions,
  BatchOutcome,
  BatchResult,
  EvaluateOptions,
} from "../types/batch.ts";
import type { SandboxSpec } from "../types/spec.ts";
import type { ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import type { HotReloadOptions, ReloadModules, Sandbox } from "../types/sandbox.ts";

export interface BatchActions {
  readonly create: (id: unknown, spec: unknown) => Promise<Sandbox>;
  readonly destroy: (id: string) => Promise<void>;
  readonly get: (id: string) => Promise<Sandbox>;
}

type Item = Pick<LaunchItem, "index" | "id">;

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

  create(
    specs: readonly (SandboxSpec & { readonly id?: string })[],
    options?: BatchOptions,
  ): Batch<BatchResult<Sandbox>> {
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
    ids: readonly string[],
    target: `${string}.${string}`,
    options?: BatchCallOptions,
  ): Batch<BatchOutcome<T>> {
    return this.#accepted("call", () => {
      const given = runOptions.read(options, "options");
      const head = { operation: "call", ids: readIds(ids), bounds: given };
      const callee = calleeOf(target);
      return this.#runs(head, given, () => callee) as Batch<BatchOutcome<T>>;
    });
  }

  run<R, A extends readonly unknown[], M extends object>(
    ids: readonly string[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A>,
  ): Batch<BatchOutcome<Awaited<R>>> {
    return this.#accepted("run", () => {
      const given = runOptions.read(options, "options");
      const head = { operation: "run", ids: readIds(ids), bounds: given };
      functionSource(fn);
      return this.#runs(head, given, this.#shipping(fn)) as Batch<BatchOutcome<Awaited<R>>>;
    });
  }

  evaluate(ids: readonly string[], fitness: Fitness, options?: EvaluateOptions): Batch<BatchEvaluation> {
    return this.#accepted("evaluate", () => {
      const evaluation = evaluateOptions.read(options, "options");
      const given = readIds(ids);
      const launch = new EvaluationLaunch(this.#engine, { fitness: readFitness(fitness), evaluation });
      return this.#begin<BatchEvaluation>(
        { operation: "evaluate", ids: given, bounds: evaluation },
        {
          start: ({ index, id }, done) => launch.start({ index, id, done }),
          cancel: ({ index }, reason) => launch.cancel(index, cancelledBy(reason)),
          unstarted: ({ index, id }, reason) => launch.unstarted(index, id, cancelledBy(reason)),
          onEnd: () => launch.end(),
        },
      );
    });
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
    head: Head,
    given: RunFields,
    calleeFor: (id: string) => Callee | Promise<Callee | GuestFailure>,
  ): Batch<BatchOutcome<unknown>> {
    const launch = new RunLaunch(this.#engine, given, head.bounds.deadlineMs);
    return this.#begin<BatchOutcome<unknown>>(head, {
      start: ({ index, id }, done) => launch.start({ index, id, done }, calleeFor(id)),
      cancel: ({ index }, reason) => launch.cancel(index, reason),
      unstarted: ({ index, id }, reason) => ({ index, sandboxId: id, ...failed(cancelledBy(reason)) }),
    });
  }

  // One change of each sandbox.
  #each<T>(head: Head, act: (item: Item, signal: AbortSignal) => Promise<T>): Batch<BatchResult<T>> {
    const controllers: AbortController[] = [];
    return this.#begin<BatchResult<T>>(head, {
      start: (item, done) => {
        const { index, id } = item;
        const controller = (controllers[index] = new AbortController());
        Promise.try(act, item, controller.signal).then(
          (value) => done({ index, sandboxId: isSandbox(value) ? value.id : id, ok: true, value }),
          (error: unknown) =>
            done({
              index,
              sandboxId: idOf(error) ?? id,
              ok: false,
              error: errorOf(error, controller.signal),
            }),
        );
      },
      cancel: ({ index }, reason) => controllers[index]?.abort(cutSentence(reason)),
      unstarted: ({ index, id }, reason) => {
        const error = new CancelledError("an item of the batch", cutSentence(reason));
        return { index, sandboxId: id, ok: false, error };
      },
    });
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
    const onSignal = (): void => batch.cut("signal");
    const timer = clock.after(deadlineMs, () => batch.cut("deadline"));
    const batch: RunningBatch<Item, T> = new RunningBatch({
      ...how,
      concurrency,
      items: Array.from(ids, (id, index) => ({ index, id })),
      cut: signal?.aborted === true ? "signal" : undefined,
      onEnd: (results) => {
        how.onEnd?.(results);
        timer.cancel();
        signal?.removeEventListener("abort", onSignal);
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

// Whether there is such a sandbox is reported item by item.
function readIds(ids: unknown): readonly string[] {
  return anyList.read(ids, "ids") as readonly string[];
}

// A sandbox that was given no id has one all the same, also where its code failed.
function idOf(error: unknown): string | undefined {
  return error instanceof LoadError ? error.sandboxId : undefined;
}

// An item that its batch cut short says so.
function errorOf(error: unknown, { aborted, reason }: AbortSignal): VivariumError {
  const isCut = aborted && error instanceof CancelledError;
  return isCut ? new CancelledError("an item of the batch", String(reason)) : asVivariumError(error);
}

function isSandbox(value: unknown): value is Sandbox {
  return typeof value === "object" && value !== null && "id" in value;
}
