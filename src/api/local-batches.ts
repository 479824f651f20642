// Batches over the sandboxes of this process's runtime.
import { CancelledError, VivariumError } from "../model/errors.ts";
import type { SandboxId } from "../model/ids.ts";
import { resolveCallLimits, type Limits } from "../model/limits.ts";
import type { GuestFailure, Outcome } from "../model/outcome.ts";
import { show } from "../model/show.ts";
import { unusedAfter } from "../model/usage.ts";
import { RunningBatch, type Batch, type BatchRun, type CutReason } from "../orchestration/batch.ts";
import type { Resident } from "../orchestration/resident.ts";
import type { RunTerms, RunTicket, WireArgs } from "../orchestration/ticket.ts";
import type { Engine } from "./engine.ts";
import { readFields, readInteger, readSignal, type Fields } from "./options.ts";
import { aimAt, toTerms, toWireArgs, type Aim } from "./run-request.ts";
import type {
  BatchCallOptions,
  Batches,
  BatchLimits,
  BatchOutcome,
  BatchResult,
  SandboxSpec,
} from "./runtime.ts";
import type { Sandbox } from "./sandbox.ts";

const limitNames = ["concurrency", "signal", "deadlineMs"];
const callNames = [...limitNames, "args", "timeoutMs", "cpuMs", "repeatable"];
const hourMs = 3_600_000;
const callsAtOnce = 1_024;
const changesAtOnce = 64;

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

  create(
    specs: readonly (SandboxSpec & { readonly id?: string })[],
    options?: BatchLimits,
  ): Batch<BatchResult<Sandbox>> {
    const ids = specs.map((spec) => spec?.id ?? "");
    return this.#each("create", ids, options, (index, signal) => {
      const { id, ...spec } = specs[index] as SandboxSpec & { readonly id?: string };
      return this.#actions.create(id, { ...spec, signal });
    });
  }

  destroy(ids: readonly string[], options?: BatchLimits): Batch<BatchResult<void>> {
    return this.#each("destroy", ids, options, (index) => this.#actions.destroy(ids[index] as string));
  }

  call<T = unknown>(
    ids: readonly string[],
    target: `${string}.${string}`,
    options?: BatchCallOptions,
  ): Batch<BatchOutcome<T>> {
    const aim = aimAt(target);
    return this.#runs("call", ids, options, aim) as Batch<BatchOutcome<T>>;
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
    return this.#runs("run", ids, options as BatchCallOptions | undefined, aiming) as Batch<
      BatchOutcome<Awaited<R>>
    >;
  }

  // One run into each sandbox. Results of any kind are values: a batch never rejects for an item.
  #runs(
    operation: string,
    ids: readonly string[],
    options: BatchCallOptions | undefined,
    aim: Aim | Promise<Aim | GuestFailure>,
  ): Batch<BatchOutcome<unknown>> {
    const fields = readFields(options, "options", callNames);
    const bounds = this.#bounds(fields, callsAtOnce);
    const launch = new RunLaunch(this.#engine, fields, bounds.deadlineMs);
    return this.#begin<BatchOutcome<unknown>>(operation, ids, bounds, {
      start: (index, done) => {
        const id = ids[index] as string;
        if (!(aim instanceof Promise)) return launch.start({ index, id, done }, aim);
        aim.then(
          (known) => launch.start({ index, id, done }, known),
          (error: unknown) =>
            done({ index, id, ...failed({ kind: "cancelled", reason: "closed", message: String(error) }) }),
        );
      },
      cancel: (index, reason) => launch.cancel(index, reason),
      unstarted: (index, reason) => ({ index, id: ids[index] as string, ...failed(cancelledBy(reason)) }),
    });
  }

  #each<T>(
    operation: string,
    ids: readonly string[],
    options: BatchLimits | undefined,
    act: (index: number, signal: AbortSignal) => Promise<T>,
  ): Batch<BatchResult<T>> {
    const bounds = this.#bounds(readFields(options, "options", limitNames), changesAtOnce);
    const controllers: AbortController[] = [];
    return this.#begin<BatchResult<T>>(operation, ids, bounds, {
      start: (index, done) => {
        const controller = (controllers[index] = new AbortController());
        const id = ids[index] as string;
        act(index, controller.signal).then(
          (value) => done({ index, id: isSandbox(value) ? value.id : id, ok: true, value }),
          (error: unknown) => done({ index, id, ok: false, error: asVivariumError(error) }),
        );
      },
      cancel: (index, reason) => controllers[index]?.abort(cutSentence(reason)),
      unstarted: (index, reason) => ({
        index,
        id: ids[index] as string,
        ok: false,
        error: new CancelledError(`an item of the batch`, cutSentence(reason)),
      }),
    });
  }

  #bounds(
    fields: Fields,
    concurrency: number,
  ): { readonly concurrency: number; readonly deadlineMs: number; readonly signal: AbortSignal | undefined } {
    return {
      concurrency: readInteger(
        fields,
        { path: "options", name: "concurrency" },
        { min: 1, max: 100_000, default: concurrency },
      ),
      deadlineMs: readInteger(
        fields,
        { path: "options", name: "deadlineMs" },
        { min: 1, max: hourMs * 24, default: hourMs },
      ),
      signal: readSignal(fields["signal"], "signal"),
    };
  }

  #begin<T extends { readonly ok: boolean }>(
    operation: string,
    ids: readonly string[],
    bounds: {
      readonly concurrency: number;
      readonly deadlineMs: number;
      readonly signal: AbortSignal | undefined;
    },
    how: Pick<BatchRun<T>, "start" | "cancel" | "unstarted">,
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
        bus.emit("sandbox.batch.stop", {
          operation,
          size: ids.length,
          failures,
          durationMs: config.clock.monotonic() - startedMs,
        });
      },
    });
    if (bounds.signal?.aborted === true) onSignal();
    else bounds.signal?.addEventListener("abort", onSignal, { once: true });
    return batch;
  }
}

interface LaunchItem {
  readonly index: number;
  readonly id: string;
  readonly done: (result: BatchOutcome<unknown>) => void;
}

/** Starts the runs of one batch. Those with the same limits share their terms, so that they travel together. */
class RunLaunch {
  readonly #engine: Engine;
  readonly #fields: Fields;
  readonly #waitMs: number;
  readonly #terms = new Map<Limits, RunTerms>();
  readonly #args = new Map<number, WireArgs>();
  readonly #tickets: RunTicket[] = [];

  constructor(engine: Engine, fields: Fields, waitMs: number) {
    this.#engine = engine;
    this.#fields = fields;
    this.#waitMs = waitMs;
    // A mistake that all items share is the caller's, and is told at once.
    if (typeof fields["args"] !== "function")
      toWireArgs(fields["args"], engine.parts.config.limits.argsBytes);
    resolveCallLimits(engine.parts.config.limits, { cpuMs: fields["cpuMs"] as number | undefined });
  }

  /** Starts one item. */
  start({ index, id, done }: LaunchItem, aim: Aim | GuestFailure): void {
    const settle = (outcome: Outcome): void => done(itemOf(index, id, outcome));
    const resident = this.#engine.parts.registry.find(id as SandboxId);
    if ("kind" in aim) settle(failed(aim));
    else if (resident === undefined)
      settle(
        failed({
          kind: "not-running",
          message: `Cannot call sandbox ${show(id)} as there is none of this id`,
        }),
      );
    else this.#submit(resident, aim, { index, settle });
  }

  cancel(index: number, reason: CutReason): void {
    const ticket = this.#tickets[index];
    if (ticket !== undefined) this.#engine.parts.runs.cancel(ticket, reason, cutSentence(reason));
  }

  #submit(
    resident: Resident,
    aim: Aim,
    item: { readonly index: number; readonly settle: (outcome: Outcome) => void },
  ): void {
    const { limits, id } = resident;
    const { index, settle } = item;
    try {
      const order = {
        terms: this.#termsFor(aim, limits),
        args: this.#argsFor(id, index, limits.argsBytes),
        settle,
      };
      this.#tickets[index] = this.#engine.submit(resident, order, undefined);
    } catch (error) {
      // A mistake in one item's own arguments ends that item.
      if (!(error instanceof VivariumError)) throw error;
      settle(failed({ kind: "unserializable", message: error.message }));
    }
  }

  #termsFor(aim: Aim, limits: Limits): RunTerms {
    const known = this.#terms.get(limits);
    if (known !== undefined) return known;
    const terms = toTerms(aim, this.#fields, { limits, waitMs: this.#waitMs });
    this.#terms.set(limits, terms);
    return terms;
  }

  #argsFor(id: string, index: number, bytesMax: number): WireArgs {
    const { args } = this.#fields;
    if (typeof args === "function")
      return toWireArgs((args as (id: string, index: number) => unknown)(id, index), bytesMax);
    const known = this.#args.get(bytesMax);
    if (known !== undefined) return known;
    const wire = toWireArgs(args, bytesMax);
    this.#args.set(bytesMax, wire);
    return wire;
  }
}

// Written out: a spread costs as much as all the rest of a short run's way through here.
function itemOf(index: number, id: string, outcome: Outcome): BatchOutcome<unknown> {
  const { usage, logs } = outcome;
  return outcome.ok
    ? { index, id, ok: true, value: outcome.value, usage, logs }
    : { index, id, ok: false, error: outcome.error, usage, logs };
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
