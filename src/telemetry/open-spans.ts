// Spans of OpenTelemetry that are begun and not ended, found by a key of what they are about.
import type * as Otel from "@opentelemetry/api";
import { preciseNow, systemClock } from "../std/clock.ts";

/** The part of `@opentelemetry/api` that is used: `import * as otel from "@opentelemetry/api"`. */
export type OtelApi = Pick<typeof Otel, "trace" | "metrics" | "context" | "SpanStatusCode">;

/** More than this are not kept. */
const openMax = 100_000;
/** By how much the wall clock must differ from what we take for it, to have been set. */
const setMs = 50;

interface Open {
  readonly span: Otel.Span;
  /** That which its parent is in. */
  readonly context: Otel.Context;
  readonly startedMs: number;
  /** The one that it came together with. */
  readonly series: Open | undefined;
  /** How long those that came together with it were inside their cell so far, one after the other. */
  insideMs: number;
}

/** A span to be. */
export interface Beginning {
  readonly name: string;
  readonly attributes: Otel.Attributes;
  /** The key of an open one with the same parent and the same start; otherwise it is below the active one, and starts now. */
  readonly beside?: string | undefined;
}

/** What happened inside another span, measured elsewhere. */
export interface Inside {
  /** From the start of that span. */
  readonly afterMs: number;
  readonly durationMs: number;
  readonly attributes: Otel.Attributes;
}

export class OpenSpans {
  readonly #open = new Map<string, Open>();
  readonly #api: OtelApi;
  readonly #tracer: Otel.Tracer;
  readonly #clock = new SpanClock();

  constructor(api: OtelApi, tracer: Otel.Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  /** An event is emitted where its operation begins, so that the active span is the caller's own. */
  begin(key: string, { name, attributes, beside }: Beginning): void {
    if (this.#open.size >= openMax) return;
    const series = beside === undefined ? undefined : this.#open.get(beside);
    const context = series?.context ?? this.#api.context.active();
    const startedMs = series?.startedMs ?? this.#clock.now();
    const span = this.#tracer.startSpan(name, { attributes, startTime: startedMs }, context);
    this.#open.set(key, { span, context, startedMs, series, insideMs: 0 });
  }

  end(key: string, result: string, attributes: Otel.Attributes = {}): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    this.#open.delete(key);
    const { span, startedMs } = open;
    span.setAttributes({ "vivarium.result": result, ...attributes });
    if (result !== "ok") span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: result });
    span.end(Math.max(startedMs, this.#clock.now()));
  }

  /** Does something with this span as the active one. */
  within<T>(key: string, act: () => T): T {
    const { trace, context } = this.#api;
    const open = this.#open.get(key);
    return open === undefined ? act() : context.with(trace.setSpan(context.active(), open.span), act);
  }

  /** What happened inside an open span, added afterwards; never outside of it. */
  inside(key: string, name: string, { afterMs, durationMs, attributes }: Inside): void {
    const open = this.#open.get(key);
    if (open === undefined) return;
    const { trace } = this.#api;
    const nowMs = Math.max(open.startedMs, this.#clock.now());
    const series = open.series ?? open;
    const startTime = Math.min(nowMs, open.startedMs + afterMs + series.insideMs);
    series.insideMs += durationMs;
    const parent = trace.setSpan(open.context, open.span);
    const span = this.#tracer.startSpan(name, { startTime, attributes }, parent);
    span.end(Math.min(nowMs, startTime + durationMs));
  }
}

// One clock for all spans: none ends after the one it is in because of rounding.
class SpanClock {
  #offsetMs = preciseNow() - systemClock.monotonic();

  now(): number {
    const nowMs = this.#offsetMs + systemClock.monotonic();
    if (Math.abs(systemClock.now() - nowMs) < setMs) return nowMs;
    this.#offsetMs = preciseNow() - systemClock.monotonic();
    return this.#offsetMs + systemClock.monotonic();
  }
}
