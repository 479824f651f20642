// A stream of parts out of a sandbox: each is asked for by a run of its own, so that nothing is produced that nobody asked for.
// It ends once: by its generator, by its caller, or by one of its bounds.
import type { Outcome } from "../../model/runs/outcome.ts";
import { askedMax, streamEndMs, streamsMax } from "../../model/runs/stream-bounds.ts";
import { traced } from "../../observability/tracing.ts";
import { targetOf } from "../../orchestration/runs/run-table.ts";
import { streamGone } from "../../orchestration/runs/stream-steps.ts";
import type { StreamVerb } from "../../execution/protocol/run-parts.ts";
import type { RunTerms, WireArgs } from "../../orchestration/runs/ticket.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { Timer } from "../../std/clock.ts";
import { Turns } from "../../std/turns.ts";
import { calleeOf, toTerms, toWireArgs } from "../options/run-options.ts";
import { readStream, type StreamBounds } from "../options/stream-options.ts";
import type { SandboxStream } from "../types/sandbox.ts";
import type { Engine } from "../wiring/engine.ts";
import { cancelledBySignal } from "../../model/runs/unbegun.ts";
import {
  closed,
  exceeded,
  failureOf,
  idle,
  isGone,
  isStep,
  late,
  tooMany,
  tooManyAsked,
  unreadable,
} from "../../model/runs/stream-failures.ts";

interface StreamPlan {
  readonly terms: RunTerms;
  readonly args: WireArgs;
  readonly bounds: StreamBounds;
  readonly signal: AbortSignal | undefined;
  readonly isPrivileged: boolean;
}

interface StreamRequest {
  readonly target: unknown;
  readonly options: unknown;
  readonly isPrivileged: boolean;
}

/** A stream of what a function yields; throws for options that are wrong. Nothing runs before its first part is asked for. */
export function streamOf<T>(
  engine: Engine,
  sandbox: ManagedSandbox,
  { target, options, isPrivileged }: StreamRequest,
): SandboxStream<T> {
  const { run, args, signal, ...bounds } = readStream(options);
  const { limits } = sandbox;
  const { waitMs } = engine.parts.config.cells;
  const terms = toTerms(calleeOf(target), run, { limits, waitMs });
  return new LocalStream<T>(engine, sandbox, {
    terms,
    args: toWireArgs(args, limits.argsBytes),
    bounds,
    signal,
    isPrivileged,
  });
}

/** `new` until the first part is asked for. */
type Phase = "new" | "open" | "over";

let lastId = 0;
const openStreams = new WeakMap<ManagedSandbox, number>();
const noArgs: WireArgs = [];

class LocalStream<T> implements SandboxStream<T> {
  readonly #engine: Engine;
  readonly #sandbox: ManagedSandbox;
  readonly #plan: StreamPlan;
  readonly #id = ++lastId;
  readonly #cutting = new AbortController();
  #phase: Phase = "new";
  /** Why it was cut, until a caller was told. */
  #cutBy: Error | undefined;
  /** What callers asked for is done one after the other. */
  readonly #turns = new Turns();
  #isPulling = false;
  #timer: Timer | undefined;
  #deadlineMs = Infinity;
  #parts = 0;
  #bytes = 0;

  constructor(engine: Engine, sandbox: ManagedSandbox, plan: StreamPlan) {
    this.#engine = engine;
    this.#sandbox = sandbox;
    this.#plan = plan;
  }

  next(): Promise<IteratorResult<T, unknown>> {
    return this.#inTurn(() => this.#pull(), askedMax);
  }

  return(value?: unknown): Promise<IteratorResult<T, unknown>> {
    return this.#inTurn(async () => {
      const wasOpen = this.#phase === "open";
      this.#cutBy = undefined;
      this.#finish();
      const ended = wasOpen ? await this.#endInside() : undefined;
      if (ended?.ok === false && ended.error.kind === "crashed") throw failureOf(ended.error);
      return { done: true, value };
    }, askedMax + 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  // One that is refused ends nothing.
  #inTurn<R>(act: () => Promise<R>, waitingMax: number): Promise<R> {
    if (this.#turns.waiting >= waitingMax) return Promise.reject(failureOf(tooManyAsked));
    return this.#turns.take(act);
  }

  async #pull(): Promise<IteratorResult<T, unknown>> {
    if (this.#phase === "over") return this.#afterEnd();
    const verb = this.#phase === "new" ? "open" : "next";
    if (verb === "open") this.#open();
    this.#isPulling = true;
    this.#watch();
    let outcome: Outcome;
    try {
      outcome = await this.#step(verb);
    } catch (error) {
      this.#finish();
      throw error;
    } finally {
      this.#isPulling = false;
    }
    // It was cut while it waited, and has been told why.
    if (this.#cutBy !== undefined) return this.#fail(this.#cutBy, true);
    if (!outcome.ok) return this.#fail(failureOf(outcome.error), !isGone(outcome.error));
    return this.#deliver(outcome.value);
  }

  #deliver(value: unknown): IteratorResult<T, unknown> {
    if (value === null) return this.#fail(failureOf(streamGone), false);
    // A cell is not trusted.
    if (!isStep(value)) return this.#fail(failureOf(unreadable), true);
    if (value.done) {
      this.#finish();
      return { done: true, value: value.value };
    }
    const { partsMax, bytesMax } = this.#plan.bounds;
    if (++this.#parts > partsMax) return this.#fail(failureOf(exceeded("partsMax", partsMax)), true);
    if (this.#bytes > bytesMax) return this.#fail(failureOf(exceeded("bytesMax", bytesMax)), true);
    this.#watch();
    // What it holds is the caller's own claim, as that of a call's result is.
    return { done: false, value: value.value as T };
  }

  // As a generator after its end; one that was cut while nobody asked tells why once.
  #afterEnd(): IteratorResult<T, unknown> {
    const cutBy = this.#cutBy;
    this.#cutBy = undefined;
    if (cutBy !== undefined) throw cutBy;
    return { done: true, value: undefined };
  }

  #open(): void {
    const count = openStreams.get(this.#sandbox) ?? 0;
    const { signal, bounds } = this.#plan;
    if (count >= streamsMax) {
      this.#phase = "over";
      throw failureOf(tooMany);
    }
    openStreams.set(this.#sandbox, count + 1);
    this.#phase = "open";
    this.#deadlineMs = this.#clock.monotonic() + bounds.deadlineMs;
    if (signal?.aborted === true) this.#onSignal();
    signal?.addEventListener("abort", this.#onSignal, { once: true });
    this.#engine.closed.addEventListener("abort", this.#onClosed, { once: true });
  }

  // One timer: for the deadline, and while nobody asks for a part for that too.
  #watch(): void {
    this.#timer?.cancel();
    const { idleMs, deadlineMs } = this.#plan.bounds;
    const leftMs = Math.max(0, this.#deadlineMs - this.#clock.monotonic());
    const isIdle = !this.#isPulling && idleMs < leftMs;
    this.#timer = this.#clock.after(isIdle ? idleMs : leftMs, () =>
      this.#cut(failureOf(isIdle ? idle(idleMs) : late(deadlineMs))),
    );
  }

  readonly #onSignal = (): void => this.#cut(failureOf(cancelledBySignal));
  readonly #onClosed = (): void => this.#cut(failureOf(closed));

  // Ends it at once, whether or not somebody waits for a part.
  #cut(why: Error): void {
    if (this.#phase === "over" || this.#cutBy !== undefined) return;
    this.#cutBy = why;
    this.#cutting.abort();
    if (this.#isPulling) return;
    this.#finish();
    void this.#endInside();
  }

  #fail(error: Error, isLeftInside: boolean): never {
    this.#cutBy = undefined;
    this.#finish();
    if (isLeftInside) void this.#endInside();
    throw error;
  }

  #finish(): void {
    if (this.#phase === "open")
      openStreams.set(this.#sandbox, Math.max(0, (openStreams.get(this.#sandbox) ?? 0) - 1));
    this.#phase = "over";
    this.#timer?.cancel();
    this.#plan.signal?.removeEventListener("abort", this.#onSignal);
    this.#engine.closed.removeEventListener("abort", this.#onClosed);
  }

  get #clock(): Engine["parts"]["config"]["clock"] {
    return this.#engine.parts.config.clock;
  }

  #step(verb: "open" | "next"): Promise<Outcome> {
    const { terms, args } = this.#plan;
    try {
      this.#engine.checkOpen(`call sandbox "${this.#sandbox.id}"`);
    } catch (error) {
      return this.#engine.refuseRun(this.#sandbox.id, targetOf(terms), error);
    }
    return this.#submit(this.#termsOf(verb), verb === "open" ? args : noArgs, this.#cutting.signal);
  }

  // Lets the generator's `finally` blocks run, within a bound. Whoever is gone has none left.
  async #endInside(): Promise<Outcome | undefined> {
    if (this.#engine.isClosed) return undefined;
    const terms = this.#termsOf("end");
    const timeoutMs = Math.min(terms.timeoutMs, streamEndMs);
    // Whoever stops reading does not wait for somebody to resume the sandbox.
    const waitMs = this.#sandbox.status === "suspended" ? Math.min(terms.waitMs, streamEndMs) : terms.waitMs;
    return this.#submit({ ...terms, timeoutMs, waitMs }, noArgs);
  }

  #termsOf(verb: StreamVerb): RunTerms {
    const onAnswer = (bytes: number): void => {
      this.#bytes += bytes;
    };
    return { ...this.#plan.terms, stream: { id: this.#id, verb, onAnswer } };
  }

  #submit(terms: RunTerms, args: WireArgs, cutBy?: AbortSignal): Promise<Outcome> {
    const { isPrivileged } = this.#plan;
    const submit = (): Promise<Outcome> =>
      new Promise((settle) => {
        this.#engine.submit(this.#sandbox, { terms, args, settle, isPrivileged }, cutBy);
      });
    return traced("sandbox.run", () => ({ sandboxId: this.#sandbox.id, target: targetOf(terms) }), submit);
  }
}
