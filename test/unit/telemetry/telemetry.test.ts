// What a runtime exports to other tools: Prometheus, OpenTelemetry, Node's own channels, and a journal.
import assert from "node:assert/strict";
import { subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import { after, suite, test } from "node:test";
import * as otel from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import parsePrometheus from "parse-prometheus-text-format";
import { instrument, Journal, prometheusText } from "../../../src/telemetry/index.ts";
import { valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const source = `
export const twice = (n) => 2 * n;
export const fail = () => { throw new Error("no"); };`;

/** What a parser finds in the text; `untyped` has the samples of a histogram unchanged, each with its labels. */
async function scrape(untyped?: string) {
  const lines = (await prometheusText(runtime)).split("\n");
  const families = parsePrometheus(lines.filter((line) => !line.startsWith(`# TYPE ${untyped} `)).join("\n"));
  const find = (name: string): (typeof families)[number] => {
    const family = families.find((each) => each.name === name);
    assert.ok(family !== undefined, `${name} is missing`);
    return family;
  };
  return { families, find };
}

test("Prometheus reads every figure, with runs by outcome and a histogram that adds up", async () => {
  await using sandbox = await createMain(runtime, source);
  for (let i = 0; i < 3; i++) valueOf(await sandbox.call("main.twice", { args: [i] }));
  await sandbox.call("main.fail");
  const { families, find } = await scrape();
  const runs = find("vivarium_runs_total");
  assert.equal(runs.type, "COUNTER");
  const values = Object.fromEntries(
    runs.metrics.map(({ labels, value }) => [labels?.["result"], Number(value)]),
  );
  assert.deepEqual([values["ok"], values["crashed"]], [3, 1]);
  const durations = find("vivarium_run_duration_seconds");
  assert.equal(durations.type, "HISTOGRAM");
  assert.equal(Number(durations.metrics[0]?.count), 4);
  assert.equal(Number(find("vivarium_cells").metrics[0]?.value), 1);
  assert.equal(Number(find("vivarium_cell_resident_memory_bytes").metrics[0]?.value) > 0, true);
  for (const { help } of families) assert.ok(help !== "");
});

test("Prometheus reads the fitness of each population as a histogram, and failures by kind", async () => {
  await using sandbox = await createMain(runtime, source);
  const names = { island: 'the "first"\\\n', other: "other" };
  for (const score of [-2, 0.5, 0.5, 3_000])
    await runtime.batch.evaluate([sandbox.id], () => score, { population: names.island });
  await runtime.batch.evaluate([sandbox.id], () => Number.NaN, { population: names.island });
  await runtime.batch.evaluate([sandbox.id], () => 7, { population: names.other });

  assert.equal((await scrape()).find("vivarium_fitness").type, "HISTOGRAM");
  const { families, find } = await scrape("vivarium_fitness");
  const samplesOf = (part: string, population: string): Record<string, number> =>
    Object.fromEntries(
      families
        .filter(({ name }) => name === `vivarium_fitness_${part}`)
        .flatMap(({ metrics }) => metrics)
        .filter(({ labels }) => labels?.["population"] === population)
        .map(({ labels, value }) => [labels?.["le"] ?? part, Number(value)]),
    );
  const buckets = samplesOf("bucket", names.island);
  assert.deepEqual([buckets["-2"], buckets["0.5"], buckets["+Inf"]], [1, 3, 4]);
  assert.deepEqual(samplesOf("sum", names.island), { sum: 2_999 });
  assert.deepEqual(samplesOf("count", names.island), { count: 4 });
  assert.deepEqual(samplesOf("sum", names.other), { sum: 7 });
  assert.deepEqual(
    find("vivarium_evaluations_total")
      .metrics.filter(({ labels }) => labels?.["population"] === names.island)
      .map(({ labels, value }) => [labels?.["result"], value]),
    [
      ["ok", "4"],
      ["invalid-score", "1"],
    ],
  );
});

test("metrics() has no fitness where telemetry.fitness is off, and the event is emitted all the same", async () => {
  const silent = await startRuntime({ telemetry: { fitness: false } });
  const { id } = await createMain(silent, source);
  let heard = 0;
  silent.events.on("fitness.computed", () => heard++);
  await silent.batch.evaluate([id], () => 1);
  assert.deepEqual([(await silent.metrics()).fitness, heard], [{}, 1]);
});

suite("OpenTelemetry", () => {
  const spans = new InMemorySpanExporter();
  const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 60_000 });
  otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  otel.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  otel.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const stop = instrument(runtime, otel);
  after(async () => {
    stop();
    await reader.shutdown();
    otel.context.disable();
  });

  const named = (name: string): ReadableSpan[] =>
    spans.getFinishedSpans().filter((span) => span.name === name);

  test("gets a span for each operation, below the caller's, and one below that for the time in the cell", async () => {
    const tracer = otel.trace.getTracer("test");
    const id = await tracer.startActiveSpan("caller", async (span) => {
      await using sandbox = await createMain(runtime, source);
      valueOf(await sandbox.call("main.twice", { args: [1] }));
      await sandbox.call("main.fail");
      await runtime.batch.call([sandbox.id], "main.twice", { args: [2] });
      span.end();
      return sandbox.id;
    });
    const [caller] = named("caller");
    const created = named("vivarium.sandbox.create").find(
      (span) => span.attributes["vivarium.sandbox.id"] === id,
    );
    assert.equal(created?.parentSpanContext?.spanId, caller?.spanContext().spanId);
    const runs = named("vivarium.sandbox.run").filter(
      (span) => span.attributes["vivarium.sandbox.id"] === id,
    );
    assert.equal(runs.length, 3);
    assert.equal(runs[0]?.parentSpanContext?.spanId, caller?.spanContext().spanId);
    assert.deepEqual(
      runs.map(({ attributes, status }) => [attributes["vivarium.result"], status.code]),
      [
        ["ok", otel.SpanStatusCode.UNSET],
        ["crashed", otel.SpanStatusCode.ERROR],
        ["ok", otel.SpanStatusCode.UNSET],
      ],
    );
    for (const run of runs) {
      const inside = named("vivarium.cell.run").find(
        (span) => span.parentSpanContext?.spanId === run.spanContext().spanId,
      );
      assert.equal(inside?.spanContext().traceId, run.spanContext().traceId);
      assert.equal(typeof inside?.attributes["vivarium.cell"], "number");
    }
    assert.equal(named("vivarium.sandbox.batch").at(-1)?.attributes["vivarium.size"], 1);
    assert.equal(named("vivarium.sandbox.destroy").length > 0, true);
  });

  test("gets counters and gauges", async () => {
    await using sandbox = await createMain(runtime, source);
    for (const score of [-3, 1]) await runtime.batch.evaluate([sandbox.id], () => score, { population: "p" });
    await reader.forceFlush();
    const metrics = figures
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((scope) => scope.metrics);
    const names = metrics.map(({ descriptor }) => descriptor.name);
    for (const name of ["vivarium.runs", "vivarium.run.duration", "vivarium.sandboxes", "vivarium.cells"])
      assert.ok(names.includes(name), `${name} is missing among ${names.join(", ")}`);
    const valuesOf = (name: string): unknown[] =>
      metrics
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints as readonly DataPoint<unknown>[])
        .filter(({ attributes }) => attributes["population"] === "p")
        .map(({ value }) => value);
    assert.deepEqual(
      ["min", "mean", "max"].map((name) => valuesOf(`vivarium.fitness.${name}`)),
      [[-3], [-1], [1]],
    );
    assert.deepEqual(valuesOf("vivarium.evaluations"), [2]);
  });

  test("gets nothing any more once it is stopped", async () => {
    stop();
    const before = spans.getFinishedSpans().length;
    await using sandbox = await createMain(runtime, source);
    valueOf(await sandbox.call("main.twice", { args: [1] }));
    assert.equal(spans.getFinishedSpans().length, before);
  });
});

suite("Node's own channels", () => {
  test("carry each event under its name", async () => {
    const heard: unknown[] = [];
    const hear = (message: unknown): void => void heard.push(message);
    subscribe("vivarium:sandbox.run.stop", hear);
    await using sandbox = await createMain(runtime, source);
    valueOf(await sandbox.call("main.twice", { args: [1] }));
    unsubscribe("vivarium:sandbox.run.stop", hear);
    valueOf(await sandbox.call("main.twice", { args: [1] }));
    assert.equal(heard.length, 1);
    assert.equal((heard[0] as { event: { sandboxId: string } }).event.sandboxId, sandbox.id);
  });

  test("trace a run from its start to its outcome", async () => {
    const steps: string[] = [];
    const channel = tracingChannel("vivarium:sandbox.run");
    const handlers = {
      start: () => void steps.push("start"),
      end: () => void steps.push("end"),
      asyncStart: () => void steps.push("asyncStart"),
      asyncEnd: (message: unknown) => {
        steps.push(`asyncEnd ${(message as { result: { value: number } }).result.value}`);
      },
      error: () => void steps.push("error"),
    };
    channel.subscribe(handlers);
    await using sandbox = await createMain(runtime, source);
    valueOf(await sandbox.call("main.twice", { args: [21] }));
    channel.unsubscribe(handlers);
    assert.deepEqual(steps, ["start", "end", "asyncStart", "asyncEnd 42"]);
  });
});

suite("a journal", () => {
  test("holds events in their order, numbered, and replays them to late subscribers", async () => {
    const journal = new Journal(runtime.events);
    await using sandbox = await createMain(runtime, source);
    valueOf(await sandbox.call("main.twice", { args: [1] }));
    const names: string[] = [];
    journal.replay(({ name }) => names.push(name));
    const wanted = ["sandbox.create.start", "sandbox.create.stop", "sandbox.run.start", "sandbox.run.stop"];
    assert.deepEqual(
      names.filter((name) => wanted.includes(name)),
      wanted,
    );
    const { lastNumber } = journal;
    valueOf(await sandbox.call("main.twice", { args: [1] }));
    assert.deepEqual(
      journal.entries(lastNumber).map(({ name }) => name),
      ["sandbox.run.start", "sandbox.run.stop"],
    );
    journal.close();
    const closedAt = journal.lastNumber;
    valueOf(await sandbox.call("main.twice", { args: [1] }));
    assert.equal(journal.lastNumber, closedAt);
  });

  test("is bounded: the oldest go first, and are counted", async () => {
    const journal = new Journal(runtime.events, { bytesMax: 2_000 });
    await using sandbox = await createMain(runtime, source);
    for (let i = 0; i < 50; i++) valueOf(await sandbox.call("main.twice", { args: [i] }));
    assert.ok(journal.dropped > 50);
    assert.ok(JSON.stringify(journal.entries()).length < 3_000);
    assert.equal(journal.entries().at(-1)?.number, journal.lastNumber);
    journal.close();
  });
});
