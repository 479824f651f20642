// A runtime's events as OpenTelemetry's spans and metrics. The API comes from the caller, so that it is no dependency.
import type * as Otel from "@opentelemetry/api";
import type { Runtime } from "../api/types/runtime.ts";
import type { EventMap } from "../observability/catalogue.ts";
import { isRecord, refuseOption, requiredMethods } from "../model/schema.ts";
import { inBackground } from "../observability/bus.ts";
import { systemClock } from "../std/clock.ts";

/** The part of `@opentelemetry/api` that is used: `import * as otel from "@opentelemetry/api"`. */
export type OtelApi = Pick<typeof Otel, "trace" | "metrics" | "context" | "SpanStatusCode">;

type Spans = "sandbox.create" | "sandbox.hotReload" | "sandbox.restart" | "sandbox.destroy";

const operations: readonly Spans[] = [
  "sandbox.create",
  "sandbox.hotReload",
  "sandbox.restart",
  "sandbox.destroy",
];
const scope = "vivarium";
/** Spans that are begun and not ended: more than this are not kept. */
const openMax = 100_000;

/** Reports to OpenTelemetry what happens, until the returned function is called. */
export function instrument(runtime: Runtime, api: OtelApi): () => void {
  requiredMethods<Runtime>("metrics").read(runtime, "runtime");
  for (const name of ["trace", "metrics", "context", "SpanStatusCode"] as const) {
    const part: unknown = isRecord(api) ? api[name] : undefined;
    if (!isRecord(part))
      throw refuseOption({ verb: "use", path: `api.${name}`, rule: "that of @opentelemetry/api", got: part });
  }
  const stops = [...traceOperations(runtime, api), ...traceRuns(runtime, api), ...measure(runtime, api)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Open spans by a key of their operation. */
class OpenSpans {
  readonly #open = new Map<string, Otel.Span>();
  readonly #api: OtelApi;
  readonly #tracer: Otel.Tracer;

  constructor(api: OtelApi) {
    this.#api = api;
    this.#tracer = api.trace.getTracer(scope);
  }

  // An event is emitted where its operation begins, so that the active span is the caller's own.
  begin(key: string, name: string, attributes: Otel.Attributes): void {
    if (this.#open.size < openMax) this.#open.set(key, this.#tracer.startSpan(name, { attributes }));
  }

  end(key: string, result: string, attributes: Otel.Attributes = {}): void {
    const span = this.#open.get(key);
    if (span === undefined) return;
    this.#open.delete(key);
    span.setAttributes({ "vivarium.result": result, ...attributes });
    if (result !== "ok") span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: result });
    span.end();
  }

  /** What happened inside another span, added afterwards. */
  inside(
    key: string,
    name: string,
    about: { readonly durationMs: number; readonly attributes: Otel.Attributes },
  ): void {
    const parent = this.#open.get(key);
    if (parent === undefined) return;
    const { trace, context } = this.#api;
    const endTime = systemClock.now();
    const options = { startTime: endTime - about.durationMs, attributes: about.attributes };
    this.#tracer.startSpan(name, options, trace.setSpan(context.active(), parent)).end(endTime);
  }
}

function traceOperations(runtime: Runtime, api: OtelApi): (() => void)[] {
  const events = inBackground(runtime.events);
  const spans = new OpenSpans(api);
  return operations.flatMap((operation) => {
    const keyOf = ({ sandboxId }: { readonly sandboxId: string }): string => `${operation} ${sandboxId}`;
    const name = `${scope}.${operation}`;
    return [
      events.on(`${operation}.start`, (event) =>
        spans.begin(keyOf(event), name, { "vivarium.sandbox.id": event.sandboxId }),
      ),
      events.on(`${operation}.stop`, (event) => spans.end(keyOf(event), event.result)),
      events.on(`${operation}.exception`, (event) => spans.end(keyOf(event), event.code)),
    ];
  });
}

function traceRuns(runtime: Runtime, api: OtelApi): (() => void)[] {
  const events = inBackground(runtime.events);
  const spans = new OpenSpans(api);
  const batches = new OpenSpans(api);
  return [
    events.on("sandbox.run.start", ({ sandboxId, runId, target }) => {
      spans.begin(`${runId}`, `${scope}.sandbox.run`, {
        "vivarium.sandbox.id": sandboxId,
        "vivarium.target": target,
      });
    }),
    events.on("sandbox.run.stop", (event) => {
      spans.inside(`${event.runId}`, `${scope}.cell.run`, {
        durationMs: event.usage.wallMs,
        attributes: { "vivarium.cell": event.cell ?? -1, "vivarium.cpu_ms": event.usage.cpuMs },
      });
      spans.end(`${event.runId}`, event.result);
    }),
    events.on("sandbox.batch.start", ({ batchId, operation, size }) => {
      batches.begin(`${batchId}`, `${scope}.sandbox.batch`, {
        "vivarium.operation": operation,
        "vivarium.size": size,
      });
    }),
    events.on("sandbox.batch.stop", ({ batchId, failures }) => {
      batches.end(`${batchId}`, "ok", { "vivarium.failures": failures });
    }),
  ];
}

function measure(runtime: Runtime, { metrics }: OtelApi): (() => void)[] {
  const meter = metrics.getMeter(scope);
  const runs = meter.createCounter("vivarium.runs", { description: "Runs ended, by outcome" });
  const durations = meter.createHistogram("vivarium.run.duration", { unit: "ms" });
  const killed = meter.createCounter("vivarium.killed", {
    description: "Runs and turns ended by enforcement",
  });
  const sandboxes = meter.createObservableGauge("vivarium.sandboxes");
  const cells = meter.createObservableGauge("vivarium.cells");
  const evaluations = meter.createCounter("vivarium.evaluations", {
    description: "Evaluations ended, by population",
  });
  // Histograms of OpenTelemetry take no number below zero, and scores may be.
  const fitness = {
    min: meter.createObservableGauge("vivarium.fitness.min"),
    mean: meter.createObservableGauge("vivarium.fitness.mean"),
    max: meter.createObservableGauge("vivarium.fitness.max"),
  };
  const observables = [sandboxes, cells, ...Object.values(fitness)];
  const observe = async (observed: Otel.BatchObservableResult): Promise<void> => {
    const now = await runtime.metrics();
    for (const [status, count] of Object.entries(now.sandboxes))
      observed.observe(sandboxes, count ?? 0, { status });
    observed.observe(cells, now.cells.length);
    for (const [population, { results, scores }] of Object.entries(now.fitness)) {
      if (scores.min === null || scores.max === null) continue;
      observed.observe(fitness.min, scores.min, { population });
      observed.observe(fitness.mean, scores.sum / (results["ok"] ?? 1), { population });
      observed.observe(fitness.max, scores.max, { population });
    }
  };
  meter.addBatchObservableCallback(observe, observables);
  const events = inBackground(runtime.events);
  return [
    events.on("sandbox.run.stop", ({ result, durationMs }: EventMap["sandbox.run.stop"]) => {
      runs.add(1, { result });
      durations.record(durationMs, { result });
    }),
    events.on("sandbox.killed", ({ reason }) => killed.add(1, { reason })),
    events.on("fitness.computed", ({ population, result }) => evaluations.add(1, { population, result })),
    () => meter.removeBatchObservableCallback(observe, observables),
  ];
}
