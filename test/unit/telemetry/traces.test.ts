// Traces as OpenTelemetry's own SDK gets them: batch, evaluation, run and the time in the cell, each inside the other.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as otel from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { unwrap, type Fitness } from "../../../src/index.ts";
import { instrument } from "../../../src/telemetry/index.ts";
import { startRuntime } from "../../support/runtimes.ts";

const exporter = new InMemorySpanExporter();
otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
otel.trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
const tracer = otel.trace.getTracer("test");
const runtime = await startRuntime();
const stop = instrument(runtime, otel);
after(() => {
  stop();
  otel.context.disable();
});

const source = "export const f = (x) => x * x; export const spin = () => { for (;;); };";

/** Does something below a span of the caller's own; gives all spans of that trace. */
async function traced(act: () => PromiseLike<unknown>): Promise<readonly ReadableSpan[]> {
  exporter.reset();
  const traceId = await tracer.startActiveSpan("caller", async (span) => {
    await act();
    span.end();
    return span.spanContext().traceId;
  });
  return exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId);
}

interface Tree {
  readonly [name: string]: readonly Tree[];
}

/** The names of a span and of those below it, without what the sandboxes' own lives add. */
function treeOf(span: ReadableSpan, spans: readonly ReadableSpan[]): Tree {
  const below = spans.filter(
    ({ name, parentSpanContext }) =>
      parentSpanContext?.spanId === span.spanContext().spanId && !/create|destroy/.test(name),
  );
  return { [span.name.replace("vivarium.", "")]: below.map((one) => treeOf(one, spans)) };
}

function rootOf(spans: readonly ReadableSpan[]): Tree {
  const root = spans.find(({ name }) => name === "caller");
  assert.ok(root !== undefined);
  return treeOf(root, spans);
}

const inMs = ([seconds, nanoseconds]: readonly [number, number]): number => seconds * 1e3 + nanoseconds / 1e6;

/** Every span of ours is within the one of ours that it is below. */
function checkInside(spans: readonly ReadableSpan[]): void {
  for (const span of spans) {
    const parent = spans.find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId);
    if (parent === undefined || !parent.name.startsWith("vivarium.")) continue;
    if (/create|destroy/.test(span.name)) continue;
    assert.ok(inMs(span.startTime) >= inMs(parent.startTime), `${span.name} starts before ${parent.name}`);
    assert.ok(inMs(span.endTime) <= inMs(parent.endTime) + 0.001, `${span.name} ends after ${parent.name}`);
  }
}

const run: Tree = { "sandbox.run": [{ "cell.run": [] }] };

test("a batch, its evaluations, their runs and the time in the cell are spans below each other", async () => {
  await runtime.batch.create(["a", "b", "c"].map((id) => ({ id, modules: { main: source } })));
  const fitness: Fitness = async (candidate) => {
    await candidate.call("main.f", { args: [1] });
    // The caller's own spans are where they belong, also after waiting.
    await tracer.startActiveSpan("thinking", async (span) => {
      await candidate.call("main.f", { args: [2] });
      span.end();
    });
    return 1;
  };
  // One after the other: the second and third are started by the end of the one before.
  const spans = await traced(() => runtime.batch.evaluate(["a", "b", "c"], fitness, { concurrency: 1 }));
  const evaluation: Tree = { "sandbox.evaluate": [run, { thinking: [run] }] };
  assert.deepEqual(rootOf(spans), {
    caller: [{ "sandbox.batch": [evaluation, evaluation, evaluation] }],
  });
  checkInside(spans);
});

test("evaluations of the same sandbox at the same time have spans of their own", async () => {
  await runtime.create("twice", { modules: { main: source } });
  const fitness: Fitness = async (candidate) => ((await candidate.call("main.f", { args: [3] })).ok ? 1 : 0);
  const spans = await traced(() => runtime.batch.evaluate(["twice", "twice"], fitness));
  const evaluation: Tree = { "sandbox.evaluate": [run] };
  assert.deepEqual(rootOf(spans), { caller: [{ "sandbox.batch": [evaluation, evaluation] }] });
});

test("the cases of a suite are spans below their evaluation, one after the other in the cell", async () => {
  await runtime.create("suite", { modules: { main: source } });
  const tests = [1, 2, 3, 4].map(
    (n) => ({ name: `${n}`, call: "main.f", args: [n], expected: n * n }) as const,
  );
  const spans = await traced(() => runtime.batch.evaluate(["suite"], { tests }));
  assert.deepEqual(rootOf(spans), {
    caller: [{ "sandbox.batch": [{ "sandbox.evaluate": [run, run, run, run] }] }],
  });
  checkInside(spans);
  const cells = spans.filter(({ name }) => name === "vivarium.cell.run");
  const starts = cells.map(({ startTime }) => inMs(startTime)).sort((a, b) => a - b);
  assert.equal(new Set(starts).size, 4);
});

test("candidates that are made for their batch are created and evaluated below it", async () => {
  const specs = [1, 2].map(() => ({ modules: { main: source } }));
  const fitness: Fitness = async (candidate) => ((await candidate.call("main.f", { args: [3] })).ok ? 1 : 0);
  const spans = await traced(() => runtime.batch.evaluate(specs, fitness));
  const batch = spans.find(({ name }) => name === "vivarium.sandbox.batch");
  const created = spans.filter(({ name }) => name === "vivarium.sandbox.create");
  assert.deepEqual(
    created.map(({ parentSpanContext }) => parentSpanContext?.spanId),
    [batch?.spanContext().spanId, batch?.spanContext().spanId],
  );
  const evaluation: Tree = { "sandbox.evaluate": [run] };
  assert.deepEqual(rootOf(spans), { caller: [{ "sandbox.batch": [evaluation, evaluation] }] });
});

test("an evaluation that fails is a span with its failure, and so is its run", async () => {
  await runtime.create("stuck", { modules: { main: source } });
  const fitness: Fitness = async (candidate) => unwrap(await candidate.call<number>("main.spin"));
  const spans = await traced(() => runtime.batch.evaluate(["stuck"], fitness, { timeoutMs: 50 }));
  const results = ["vivarium.sandbox.evaluate", "vivarium.sandbox.run"].map((name) => {
    const span = spans.find((one) => one.name === name);
    return [span?.attributes["vivarium.result"], span?.status.code];
  });
  const failed = ["timeout", otel.SpanStatusCode.ERROR];
  assert.deepEqual(results, [failed, failed]);
  checkInside(spans);
});

test("runs of batch.call are below their batch, and a run of its own is below its caller", async () => {
  const sandbox = await runtime.create("plain", { modules: { main: source } });
  const spans = await traced(async () => {
    await runtime.batch.call(["plain", "plain"], "main.f", { args: [2], concurrency: 1 });
    await sandbox.call("main.f", { args: [3] });
  });
  assert.deepEqual(rootOf(spans), { caller: [{ "sandbox.batch": [run, run] }, run] });
  checkInside(spans);
});
