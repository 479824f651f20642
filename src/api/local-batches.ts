// Batches over the sandboxes of this process's runtime.
import { CancelledError, VivariumError } from "../model/errors.ts";
import type { SandboxId } from "../model/ids.ts";
import type { GuestFailure, Outcome } from "../model/outcome.ts";
import { unusedAfter } from "../model/usage.ts";
import { RunningBatch, type Batch } from "../orchestration/batch.ts";
import type { Engine } from "./engine.ts";
import { readFields, readInteger, readSignal, type Fields } from "./options.ts";
import { aimAt, encodeArgs, toRequest, type Aim } from "./run-request.ts";
import type { BatchCallOptions, Batches, BatchLimits, BatchOutcome, BatchResult, SandboxSpec } from "./runtime.ts";
import type { Sandbox } from "./sandbox.ts";

const limitNames = ["concurrency", "signal", "deadlineMs"];
const callNames = [...limitNames, "args", "timeoutMs", "cpuMs", "repeatable"];
const hourMs = 3_600_000;
const callsAtOnce = 1_024;
const changesAtOnce = 64;

type CutReason = "signal" | "deadline";

export interface BatchActions {
  readonly create: (id: unknown, spec: SandboxSpec) => Promise<Sandbox>;
  readonly destroy: (id: string) => Promise<void>;
}

export class LocalBatches implements Batches {
  readonly #engine: Engine;
  readonly #actions: BatchActions;

  constructor(engine: Engine, actions: BatchActions) {
    this.#engine = engine;
    this.#actions = actions;
  }

  create(specs: readonly (SandboxSpec & { readonly id?: string })[], options?: BatchLimits): Batch<BatchResult<Sandbox>> {
    const ids = specs.map((spec) => spec?.id ?? "");
    return this.#each("create", ids, options, (index, signal) => {
      const { id, ...spec } = specs[index] as SandboxSpec & { readonly id?: string };
      return this.#actions.create(id, { ...spec, signal });
    });
  }

  destroy(ids: readonly string[], options?: BatchLimits): Batch<BatchResult<void>> {
    return this.#each("destroy", ids, options, (index) => this.#actions.destroy(ids[index] as string));
  }

  call<T = unknown>(ids: readonly string[], target: `${string}.${string}`, options?: BatchCallOptions): Batch<BatchOutcome<T>> {
    const aim = aimAt(target);
    return this.#runs("call", ids, options, () => aim) as Batch<BatchOutcome<T>>;
  }

  run<R, A extends readonly unknown[], M extends object>(
    ids: readonly string[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A>,
  ): Batch<BatchOutcome<Awaited<R>>> {
    const shipping = this.#engine.ship(fn, this.#engine.parts.config.limits);
    const aiming = shipping.then((shipped) => {
      if ("aim" in shipped) return shipped.aim;
      const { message, diagnostics } = shipped.failed;
      return { kind: "compile", message, diagnostics } satisfies GuestFailure;
    });
    return this.#runs("run", ids, options as BatchCallOptions | undefined, () => aiming) as Batch<BatchOutcome<Awaited<R>>>;
  }

  // One run into each sandbox. Results of any kind are values: a batch never rejects for an item.
  #runs(operation: string, ids: readonly string[], options: BatchCallOptions | undefined, aimOf: () => Aim | Promise<Aim | GuestFailure>): Batch<BatchOutcome<unknown>> {
    const fields = readFields(options, "options", callNames);
    const bounds = this.#bounds(fields, callsAtOnce);
    const { args, ...rest } = fields;
    const shared = typeof args === "function" ? undefined : encodeArgs(args, this.#engine.parts.config.limits.argsBytes);
    const startNow = (index: number, aim: Aim | GuestFailure, done: (result: BatchOutcome<unknown>) => void): ((reason: CutReason) => void) | undefined => {
      const id = ids[index] as string;
      const settle = (outcome: Outcome): void => done({ index, id, ...outcome });
      if ("kind" in aim) {
        settle(failed(aim));
        return undefined;
      }
      return this.#startRun(id, settle, (limits) => {
        const own = typeof args === "function" ? (args as (id: string, index: number) => unknown)(id, index) : args;
        const request = toRequest(aim, rest, { limits, waitMs: bounds.deadlineMs });
        const text = shared !== undefined && shared.length <= limits.argsBytes ? shared : encodeArgs(own, limits.argsBytes);
        return { ...request, args: text };
      });
    };
    return this.#begin<BatchOutcome<unknown>>(operation, ids, bounds, {
      start: (index, done) => {
        const aim = aimOf();
        if (!(aim instanceof Promise)) return startNow(index, aim, done);
        let cancel: ((reason: CutReason) => void) | undefined;
        aim.then(
          (known) => void (cancel = startNow(index, known, done)),
          (error: unknown) => done({ index, id: ids[index] as string, ...failed({ kind: "cancelled", reason: "closed", message: String(error) }) }),
        );
        return (reason) => cancel?.(reason);
      },
      unstarted: (index, reason) => ({ index, id: ids[index] as string, ...failed(cancelledBy(reason)) }),
    });
  }

  #startRun(id: string, settle: (outcome: Outcome) => void, requestOf: (limits: Parameters<typeof toRequest>[2]["limits"]) => ReturnType<typeof toRequest>): ((reason: CutReason) => void) | undefined {
    const { registry, runs } = this.#engine.parts;
    const resident = registry.find(id as SandboxId);
    if (resident === undefined) {
      settle(failed({ kind: "not-running", message: `Cannot call sandbox ${JSON.stringify(id)} as there is none of this id` }));
      return undefined;
    }
    try {
      const ticket = this.#engine.submit(resident, requestOf(resident.limits), { settle });
      return (reason) => runs.cancel(ticket, reason, cutSentence(reason));
    } catch (error) {
      // A mistake in one item's own arguments ends that item.
      if (!(error instanceof VivariumError)) throw error;
      settle(failed({ kind: "unserializable", message: error.message }));
      return undefined;
    }
  }

  #each<T>(operation: string, ids: readonly string[], options: BatchLimits | undefined, act: (index: number, signal: AbortSignal) => Promise<T>): Batch<BatchResult<T>> {
    const bounds = this.#bounds(readFields(options, "options", limitNames), changesAtOnce);
    return this.#begin<BatchResult<T>>(operation, ids, bounds, {
      start: (index, done) => {
        const controller = new AbortController();
        const id = ids[index] as string;
        act(index, controller.signal).then(
          (value) => done({ index, id: isSandbox(value) ? value.id : id, ok: true, value }),
          (error: unknown) => done({ index, id, ok: false, error: asVivariumError(error) }),
        );
        return (reason) => controller.abort(cutSentence(reason));
      },
      unstarted: (index, reason) => ({ index, id: ids[index] as string, ok: false, error: new CancelledError(`an item of the batch`, cutSentence(reason)) }),
    });
  }

  #bounds(fields: Fields, concurrency: number): { readonly concurrency: number; readonly deadlineMs: number; readonly signal: AbortSignal | undefined } {
    return {
      concurrency: readInteger(fields, { path: "options", name: "concurrency" }, { min: 1, max: 100_000, default: concurrency }),
      deadlineMs: readInteger(fields, { path: "options", name: "deadlineMs" }, { min: 1, max: hourMs * 24, default: hourMs }),
      signal: readSignal(fields["signal"], "signal"),
    };
  }

  #begin<T extends { readonly ok: boolean }>(
    operation: string,
    ids: readonly string[],
    bounds: { readonly concurrency: number; readonly deadlineMs: number; readonly signal: AbortSignal | undefined },
    how: { readonly start: (index: number, done: (result: T) => void) => ((reason: CutReason) => void) | undefined; readonly unstarted: (index: number, reason: CutReason) => T },
  ): Batch<T> {
    this.#engine.checkOpen(`start a batch`);
    const { bus, config } = this.#engine.parts;
    const startedMs = config.clock.monotonic();
    bus.emit("sandbox.batch.start", { operation, size: ids.length });
    const onSignal = (): void => batch.cut("signal");
    const timer = config.clock.after(bounds.deadlineMs, () => batch.cut("deadline"));
    const batch: RunningBatch<T> = new RunningBatch({
      ...how,
      size: ids.length,
      concurrency: bounds.concurrency,
      onEnd: (results) => {
        timer.cancel();
        bounds.signal?.removeEventListener("abort", onSignal);
        const failures = results.filter((result) => !result.ok).length;
        bus.emit("sandbox.batch.stop", { operation, size: ids.length, failures, durationMs: config.clock.monotonic() - startedMs });
      },
    });
    if (bounds.signal?.aborted === true) onSignal();
    else bounds.signal?.addEventListener("abort", onSignal, { once: true });
    return batch;
  }
}

function failed(error: GuestFailure): Outcome {
  return { ok: false, error, usage: unusedAfter(0), logs: [] };
}

function cancelledBy(reason: CutReason): GuestFailure {
  return { kind: "cancelled", reason, message: `Cannot finish the run as ${cutSentence(reason)}` };
}

function cutSentence(reason: CutReason): string {
  return reason === "signal" ? "the signal of its batch was aborted" : "its batch came to its deadline";
}

function isSandbox(value: unknown): value is Sandbox {
  return typeof value === "object" && value !== null && "id" in value;
}

function asVivariumError(error: unknown): VivariumError {
  if (error instanceof VivariumError) return error;
  throw error;
}
