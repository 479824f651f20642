// Batches over the sandboxes of this process's runtime.
import { asVivariumError, CancelledError, LoadError, type VivariumError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import { RunningBatch, type Batch, type BatchRun } from "../../orchestration/evaluation/batch.ts";
import type { CodeLimits } from "../../orchestration/code/build.ts";
import { untilCancelled } from "../options/cancellation.ts";
import { concurrencyOf, deadlineOf, modulesFor, readIds, splitSpec } from "../options/batch-options.ts";
import type { Engine } from "../wiring/engine.ts";
import { EvaluationLaunch } from "../evaluation/evaluations.ts";
import type { EvaluateOptions, Fitness } from "../types/fitness.ts";
import { evaluateNames, readEvaluation, readFitness } from "../options/fitness-options.ts";
import { checkReload, reloadNames } from "./local-versions.ts";
import { readFields, readList, readSignal, type Fields } from "../options/options.ts";
import { cancelledBy, cutSentence, failed } from "./outcomes.ts";
import { RunLaunch } from "./batch-runs.ts";
import { calleeOf, checkRunFields, functionSource, type Callee } from "../options/run-options.ts";
import type {
  BatchCallOptions,
  Batches,
  BatchEvaluation,
  BatchLimits,
  BatchOutcome,
  BatchResult,
  SandboxSpec,
} from "../types/runtime.ts";
import type { ReloadReport } from "../../orchestration/reload/reload-plan.ts";
import type { HotReloadOptions, ReloadModules, Sandbox } from "../types/sandbox.ts";

const limitNames = ["concurrency", "signal", "deadlineMs"];
const callNames = [...limitNames, "args", "timeoutMs", "cpuMs", "fuel", "repeatable"];
const callsAtOnce = 1_024;
const changesAtOnce = 64;
const evaluationsAtOnce = 256;

export interface BatchActions {
  readonly create: (id: unknown, spec: SandboxSpec) => Promise<Sandbox>;
  readonly destroy: (id: string) => Promise<void>;
  readonly get: (id: string) => Promise<Sandbox>;
}

/** What a batch is about, and how it is bounded. */
interface Head {
  readonly operation: string;
  readonly ids: readonly string[];
  readonly fields: Fields;
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
    options?: BatchLimits,
  ): Batch<BatchResult<Sandbox>> {
    return this.#accepted("create", () => {
      const fields = readFields(options, "options", limitNames);
      const given = readList(specs, "specs") as readonly (SandboxSpec & { readonly id?: string })[];
      const ids = given.map((spec) => spec?.id ?? "");
      return this.#each({ operation: "create", ids, fields }, (index, signal) => {
        const { id, spec } = splitSpec(given[index], signal);
        return this.#actions.create(id, spec);
      });
    });
  }

  destroy(ids: readonly string[], options?: BatchLimits): Batch<BatchResult<void>> {
    return this.#accepted("destroy", () => {
      const fields = readFields(options, "options", limitNames);
      const given = readList(ids, "ids") as readonly string[];
      // What was begun goes on; the batch does not wait for it beyond its bounds.
      return this.#each({ operation: "destroy", ids: given, fields }, (index, signal) =>
        untilCancelled({ signal }, "an item of the batch", () =>
          this.#actions.destroy(given[index] as string),
        ),
      );
    });
  }

  hotReload(
    ids: readonly string[],
    modules: ReloadModules | ((id: string, index: number) => ReloadModules),
    options?: BatchLimits & HotReloadOptions,
  ): Batch<BatchResult<ReloadReport>> {
    return this.#accepted("hotReload", () => {
      const fields = readFields(options, "options", [...limitNames, ...reloadNames]);
      const { concurrency: _, signal: __, deadlineMs: ___, ...own } = fields;
      checkReload(modules, own);
      return this.#each({ operation: "hotReload", ids: readIds(ids), fields }, async (index, signal) => {
        const id = ids[index] as string;
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
      const head = {
        operation: "call",
        ids: readIds(ids),
        fields: readFields(options, "options", callNames),
      };
      const callee = calleeOf(target);
      return this.#runs(head, () => callee) as Batch<BatchOutcome<T>>;
    });
  }

  run<R, A extends readonly unknown[], M extends object>(
    ids: readonly string[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A>,
  ): Batch<BatchOutcome<Awaited<R>>> {
    return this.#accepted("run", () => {
      const head = { operation: "run", ids: readIds(ids), fields: readFields(options, "options", callNames) };
      functionSource(fn);
      return this.#runs(head, this.#shipping(fn)) as Batch<BatchOutcome<Awaited<R>>>;
    });
  }

  evaluate(ids: readonly string[], fitness: Fitness, options?: EvaluateOptions): Batch<BatchEvaluation> {
    return this.#accepted("evaluate", () => {
      const fields = readFields(options, "options", [...limitNames, ...evaluateNames]);
      const { timeoutMs, cpuMs, fuel } = fields;
      const runFields = { timeoutMs, cpuMs, fuel };
      checkRunFields(runFields);
      const given = readIds(ids);
      const deadlineMs = deadlineOf(fields);
      const evaluation = readEvaluation(fields, deadlineMs);
      const plan = { fitness: readFitness(fitness), evaluation, runFields, deadlineMs };
      const launch = new EvaluationLaunch(this.#engine, plan);
      return this.#begin<BatchEvaluation>(
        { operation: "evaluate", ids: given, fields },
        {
          concurrency: concurrencyOf(fields, evaluationsAtOnce),
          start: (index, done) => launch.start({ index, id: given[index] as string, done }),
          cancel: (index, reason) => launch.cancel(index, cancelledBy(reason)),
          unstarted: (index, reason) => launch.unstarted(index, given[index] as string, cancelledBy(reason)),
          onEnd: () => launch.end(),
        },
      );
    });
  }

  // A batch that is refused as a whole is told as such; nothing of it has begun.
  #accepted<T>(operation: string, begin: () => Batch<T>): Batch<T> {
    try {
      return begin();
    } catch (error) {
      const { code, message } = asVivariumError(error);
      this.#engine.parts.bus.emit("sandbox.batch.exception", { operation, code, message });
      throw error;
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
    return this.#engine.ship(fn, limits).then(
      (shipped) => {
        if ("callee" in shipped) return shipped.callee;
        const { message, diagnostics } = shipped.failed;
        return { kind: "compile", message, diagnostics } satisfies GuestFailure;
      },
      (error: unknown) => ({ kind: "cancelled", reason: "closed", message: String(error) }),
    );
  }

  // One run into each sandbox. Results of any kind are values: a batch never rejects for an item.
  #runs(
    head: Head,
    aimFor: (id: string) => Callee | Promise<Callee | GuestFailure>,
  ): Batch<BatchOutcome<unknown>> {
    const { ids, fields } = head;
    const launch = new RunLaunch(this.#engine, fields, deadlineOf(fields));
    return this.#begin<BatchOutcome<unknown>>(head, {
      concurrency: concurrencyOf(fields, callsAtOnce),
      start: (index, done) => {
        const id = ids[index] as string;
        launch.start({ index, id, done }, aimFor(id));
      },
      cancel: (index, reason) => launch.cancel(index, reason),
      unstarted: (index, reason) => ({ index, id: ids[index] as string, ...failed(cancelledBy(reason)) }),
    });
  }

  // One change of each sandbox.
  #each<T>(head: Head, act: (index: number, signal: AbortSignal) => Promise<T>): Batch<BatchResult<T>> {
    const controllers: AbortController[] = [];
    return this.#begin<BatchResult<T>>(head, {
      concurrency: concurrencyOf(head.fields, changesAtOnce),
      start: (index, done) => {
        const controller = (controllers[index] = new AbortController());
        const id = head.ids[index] as string;
        Promise.try(act, index, controller.signal).then(
          (value) => done({ index, id: isSandbox(value) ? value.id : id, ok: true, value }),
          (error: unknown) =>
            done({ index, id: idOf(error) ?? id, ok: false, error: errorOf(error, controller.signal) }),
        );
      },
      cancel: (index, reason) => controllers[index]?.abort(cutSentence(reason)),
      unstarted: (index, reason) => {
        const error = new CancelledError("an item of the batch", cutSentence(reason));
        return { index, id: head.ids[index] as string, ok: false, error };
      },
    });
  }

  #begin<T extends { readonly ok: boolean }>(
    { operation, ids, fields }: Head,
    how: Pick<BatchRun<T>, "start" | "cancel" | "unstarted" | "concurrency"> & Partial<BatchRun<T>>,
  ): Batch<T> {
    this.#engine.checkOpen("start a batch");
    const { bus, config } = this.#engine.parts;
    const { clock } = config;
    const signal = readSignal(fields["signal"], "signal");
    const size = ids.length;
    const startedMs = clock.monotonic();
    const batchId = ++this.#lastId;
    bus.emit("sandbox.batch.start", { batchId, operation, size });
    const onSignal = (): void => batch.cut("signal");
    const timer = clock.after(deadlineOf(fields), () => batch.cut("deadline"));
    const batch: RunningBatch<T> = new RunningBatch({
      ...how,
      size,
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
