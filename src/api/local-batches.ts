// Batches over the sandboxes of this process's runtime.
import { asVivariumError, CancelledError } from "../model/errors.ts";
import type { GuestFailure } from "../model/outcome.ts";
import { RunningBatch, type Batch, type BatchRun } from "../orchestration/batch.ts";
import type { Engine } from "./engine.ts";
import { readFields, readInteger, readSignal, type Fields } from "./options.ts";
import { cancelledBy, cutSentence, failed, RunLaunch } from "./run-launch.ts";
import { aimAt, type Aim } from "./run-request.ts";
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

/** What a batch is about, and how it is bounded. */
interface Head {
  readonly operation: string;
  readonly ids: readonly string[];
  readonly fields: Fields;
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
    const fields = readFields(options, "options", limitNames);
    const ids = specs.map((spec) => spec?.id ?? "");
    return this.#each({ operation: "create", ids, fields }, async (index, signal) => {
      const given = specs[index];
      if (typeof given !== "object" || given === null) return this.#actions.create(undefined, given as never);
      const { id, ...spec } = given;
      return this.#actions.create(id, { ...spec, signal });
    });
  }

  destroy(ids: readonly string[], options?: BatchLimits): Batch<BatchResult<void>> {
    const fields = readFields(options, "options", limitNames);
    return this.#each({ operation: "destroy", ids, fields }, (index) =>
      this.#actions.destroy(ids[index] as string),
    );
  }

  call<T = unknown>(
    ids: readonly string[],
    target: `${string}.${string}`,
    options?: BatchCallOptions,
  ): Batch<BatchOutcome<T>> {
    const fields = readFields(options, "options", callNames);
    return this.#runs({ operation: "call", ids, fields }, aimAt(target)) as Batch<BatchOutcome<T>>;
  }

  run<R, A extends readonly unknown[], M extends object>(
    ids: readonly string[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A>,
  ): Batch<BatchOutcome<Awaited<R>>> {
    const fields = readFields(options, "options", callNames);
    const aiming = this.#engine.ship(fn, this.#engine.parts.config.limits).then((shipped) => {
      if ("aim" in shipped) return shipped.aim;
      const { message, diagnostics } = shipped.failed;
      return { kind: "compile", message, diagnostics } satisfies GuestFailure;
    });
    return this.#runs({ operation: "run", ids, fields }, aiming) as Batch<BatchOutcome<Awaited<R>>>;
  }

  // One run into each sandbox. Results of any kind are values: a batch never rejects for an item.
  #runs(head: Head, aim: Aim | Promise<Aim | GuestFailure>): Batch<BatchOutcome<unknown>> {
    const { ids, fields } = head;
    const launch = new RunLaunch(this.#engine, fields, deadlineOf(fields));
    return this.#begin<BatchOutcome<unknown>>(head, {
      concurrency: concurrencyOf(fields, callsAtOnce),
      start: (index, done) => {
        const item = { index, id: ids[index] as string, done };
        if (aim instanceof Promise) launch.startLater(item, aim);
        else launch.start(item, aim);
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
        act(index, controller.signal).then(
          (value) => done({ index, id: isSandbox(value) ? value.id : id, ok: true, value }),
          (error: unknown) => done({ index, id, ok: false, error: asVivariumError(error) }),
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
    how: Pick<BatchRun<T>, "start" | "cancel" | "unstarted" | "concurrency">,
  ): Batch<T> {
    this.#engine.checkOpen("start a batch");
    const { bus, config } = this.#engine.parts;
    const { clock } = config;
    const signal = readSignal(fields["signal"], "signal");
    const size = ids.length;
    const startedMs = clock.monotonic();
    bus.emit("sandbox.batch.start", { operation, size });
    const onSignal = (): void => batch.cut("signal");
    const timer = clock.after(deadlineOf(fields), () => batch.cut("deadline"));
    const batch: RunningBatch<T> = new RunningBatch({
      ...how,
      size,
      onEnd: (results) => {
        timer.cancel();
        signal?.removeEventListener("abort", onSignal);
        const failures = results.filter((result) => !result.ok).length;
        const durationMs = clock.monotonic() - startedMs;
        bus.emit("sandbox.batch.stop", { operation, size, failures, durationMs });
      },
    });
    if (signal?.aborted === true) onSignal();
    else signal?.addEventListener("abort", onSignal, { once: true });
    return batch;
  }
}

function concurrencyOf(fields: Fields, usual: number): number {
  const at = { path: "options", name: "concurrency" };
  return readInteger(fields, at, { min: 1, max: 100_000, default: usual });
}

function deadlineOf(fields: Fields): number {
  const at = { path: "options", name: "deadlineMs" };
  return readInteger(fields, at, { min: 1, max: 24 * hourMs, default: hourMs });
}

function isSandbox(value: unknown): value is Sandbox {
  return typeof value === "object" && value !== null && "id" in value;
}
