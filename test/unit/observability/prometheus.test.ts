// Metrics as Prometheus reads them: every line parsed by the grammar of the text format.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toPrometheus } from "../../../src/index.ts";
import { startRuntime } from "../../support/runtimes.ts";

interface Sample {
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The text format, read strictly: each family has its help and its type once, before its samples. */
function parse(text: string): Map<string, Sample[]> {
  assert.ok(text.endsWith("\n"));
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const families = new Map<string, Sample[]>();
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)$/.exec(line);
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]\d+)?)$/.exec(line);
    if (help !== null) {
      assert.ok(!helped.has(help[1] ?? ""), line);
      helped.add(help[1] ?? "");
    } else if (type !== null) {
      assert.ok(helped.has(type[1] ?? "") && !types.has(type[1] ?? ""), line);
      types.set(type[1] ?? "", type[2] ?? "");
      families.set(type[1] ?? "", []);
    } else {
      assert.ok(sample !== null, `not a line of the format: ${line}`);
      const [, name = "", pairs = "", value] = sample;
      const labels = [...pairs.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/g)];
      assert.equal(labels.map(([whole]) => whole).join(""), pairs, line);
      families.get(name)?.push({
        type: types.get(name) ?? "",
        labels: Object.fromEntries(labels.map(([, label = "", word = ""]) => [label, word])),
        value: Number(value),
      });
    }
  }
  return families;
}

test("toPrometheus() tells a runtime's metrics in the text format", async () => {
  const runtime = await startRuntime();
  await runtime.create("living", { modules: { main: "export const f = () => 1;" } });
  await runtime.once("export default () => 1");
  await runtime.once("export default () => { throw new Error(); }");
  await runtime.once("export default () => { while (true); }", { timeoutMs: 50 });
  const families = parse(toPrometheus(await runtime.metrics()));
  const valueOf = (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    families
      .get(name)
      ?.find((sample) => Object.entries(labels).every(([label, word]) => sample.labels[label] === word))
      ?.value;
  assert.equal(valueOf("vivarium_runs_total", { outcome: "ok" }), 1);
  assert.equal(valueOf("vivarium_runs_total", { outcome: "crashed" }), 1);
  assert.equal(valueOf("vivarium_killed_total", { reason: "timeout" }), 1);
  assert.equal(valueOf("vivarium_sandboxes", { status: "running" }), 1);
  assert.equal(valueOf("vivarium_sandboxes_created_total"), 4);
  assert.ok((valueOf("vivarium_cell_rss_bytes") ?? 0) > 1e6);
  for (const [name, samples] of families)
    for (const { type } of samples) assert.equal(type, name.endsWith("_total") ? "counter" : "gauge");
});

test("toPrometheus() escapes what stands in labels", () => {
  const none = {
    created: 0,
    stillborn: 0,
    destroyed: 0,
    restarts: 0,
    rebuilds: 0,
    collected: 0,
    quarantined: 0,
  };
  const text = toPrometheus({
    ...none,
    outcomes: { 'a"b\\c\nd': 1 },
    killed: {},
    cellsStarted: 0,
    cellsExited: {},
    sandboxes: {},
    tombstones: 0,
    runsUnderway: 0,
    cells: [],
    subscriberFailures: 0,
  });
  assert.deepEqual(parse(text).get("vivarium_runs_total")?.[0]?.labels, { outcome: 'a\\"b\\\\c\\nd' });
});
