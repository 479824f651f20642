// A runtime's events as OpenTelemetry's spans and metrics. The API comes from the caller, so that it is no dependency.
import type * as Otel from "@opentelemetry/api";
import type { Runtime } from "../api/types/runtime.ts";
import type { EventMap } from "../observability/catalogue.ts";
import { isRecord, refuseOption, requiredMethods } from "../model/schema.ts";
import { inBackground, type Bus } from "../observability/bus.ts";
import { OpenSpans, type OtelApi } from "./open-spans.ts";

export type { OtelApi };

type Spans = "sandbox.create" | "sandbox.hotReload" | "sandbox.restart" | "sandbox.destroy";

const operations: readonly Spans[] = [
  "sandbox.create",
  "sandbox.hotReload",
  "sandbox.restart",
  "sandbox.destroy",
];
const scope = "vivarium";

/** Reports to OpenTelemetry what happens, until the returned function is called. */
export function instrument(runtime: Runtime, api: OtelApi): () => void {
  requiredMethods<Runtime>("metrics").read(runtime, "runtime");
  for (const name of ["trace", "metrics", "context", "SpanStatusCode"] as const) {
    const part: unknown = isRecord(api) ? api[name] : undefined;
    if (!isRecord(part))
      throw refuseOption({ verb: "use", path: `api.${name}`, rule: "that of @opentelemetry/api", got: part });
  }
  const spans = new OpenSpans(api, api.trace.getTracer(scope));
  const stops = [
    ...traceOperations(runtime, spans),
    ...traceRuns(runtime, spans),
    ...traceEvaluations(runtime, spans),
    ...measure(runtime, api),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function traceOperations(runtime: Runtime, spans: OpenSpans): (() => void)[] {
  const events = inBackground(runtime.events);
  return operations.flatMap((operation) => {
    const keyOf = ({ sandboxId }: { readonly sandboxId: string }): string => `${operation} ${sandboxId}`;
    const name = `${scope}.${operation}`;
    return [
      events.on(`${operation}.start`, (event) =>
        spans.begin(keyOf(event), { name, attributes: { "vivarium.sandbox.id": event.sandboxId } }),
      ),
      events.on(`${operation}.stop`, (event) => spans.end(keyOf(event), event.result)),
      events.on(`${operation}.exception`, (event) => spans.end(keyOf(event), event.code)),
    ];
  });
}

function traceRuns(runtime: Runtime, spans: OpenSpans): (() => void)[] {
  const events = inBackground(runtime.events);
  return [
    events.on("sandbox.run.start", ({ sandboxId, runId, target, seriesId }) => {
      const attributes = { "vivarium.sandbox.id": sandboxId, "vivarium.target": target };
      // A case that came with others is told of when all are over, wherever that is noticed.
      const beside = seriesId === null ? undefined : runKey(seriesId);
      spans.begin(runKey(runId), { name: `${scope}.sandbox.run`, attributes, beside });
    }),
    events.on("sandbox.run.stop", ({ runId, usage, cell, result }) => {
      // By the clock of the cell, which is that of the machine: it began so long after the run was accepted.
      const { queuedMs: afterMs, wallMs: durationMs } = usage;
      const attributes = { "vivarium.cell": cell ?? -1, "vivarium.cpu_ms": usage.cpuMs };
      if (cell !== null && durationMs > 0)
        spans.inside(runKey(runId), `${scope}.cell.run`, { afterMs, durationMs, attributes });
      spans.end(runKey(runId), result);
    }),
  ];
}

// What belongs to a batch or an evaluation is done within its span, so that whatever it begins, now or later, is below it.
function traceEvaluations(runtime: Runtime, spans: OpenSpans): (() => void)[] {
  const events = inBackground(runtime.events);
  const evaluationKey = (id: number): string => `evaluation ${id}`;
  const batchKey = (id: number): string => `batch ${id}`;
  // The events of a runtime are always a bus; others, as in a test, have spans side by side.
  const bus = runtime.events as Partial<Bus>;
  const stop = bus.encloseBy?.((scope, id, act) =>
    spans.within(scope === "batch" ? batchKey(id) : evaluationKey(id), act),
  );
  return [
    events.on("sandbox.batch.start", ({ batchId, operation, size }) => {
      const attributes = { "vivarium.operation": operation, "vivarium.size": size };
      spans.begin(batchKey(batchId), { name: `${scope}.sandbox.batch`, attributes });
    }),
    events.on("sandbox.batch.stop", ({ batchId, failures }) => {
      // The end of the last run ends its batch before it is told of itself; nobody who awaits the batch is told sooner.
      queueMicrotask(() => spans.end(batchKey(batchId), "ok", { "vivarium.failures": failures }));
    }),
    events.on("sandbox.evaluate.start", ({ sandboxId, evaluationId }) => {
      const attributes = { "vivarium.sandbox.id": sandboxId };
      spans.begin(evaluationKey(evaluationId), { name: `${scope}.sandbox.evaluate`, attributes });
    }),
    events.on("sandbox.evaluate.stop", ({ evaluationId, result }) =>
      spans.end(evaluationKey(evaluationId), result),
    ),
    events.on("sandbox.evaluate.exception", ({ evaluationId, code }) =>
      spans.end(evaluationKey(evaluationId), code),
    ),
    () => stop?.(),
  ];
}

function runKey(runId: number): string {
  return `run ${runId}`;
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
