// Options that are unknown or of another form are a caller's mistake: told at once, by name, at every level.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, InvalidOptionsError } from "../../../../src/index.ts";
import { mistakeOf } from "../../../support/errors.ts";
import { valueOf } from "../../../support/outcomes.ts";
import { startRuntime } from "../../../support/runtimes.ts";

const runtime = await startRuntime();
const main = "export const f = (x) => x; export default () => 1;";
const sandbox = await runtime.create("kept", { modules: { main } });

/** The name of the option that a call complains about. */
async function optionOf(act: () => unknown): Promise<string> {
  const error = await mistakeOf(act, "INVALID_OPTIONS");
  assert.ok(error instanceof InvalidOptionsError, error.name);
  return error.option;
}

// Everything that takes options, as a function of them.
const takers: Readonly<
  Record<string, { readonly path: string; readonly act: (options: unknown) => unknown }>
> = {
  "createRuntime()": { path: "options", act: (options) => createRuntime(options as never) },
  "createRuntime({cells})": { path: "cells", act: (cells) => createRuntime({ cells } as never) },
  "createRuntime({capacity})": { path: "capacity", act: (capacity) => createRuntime({ capacity } as never) },
  "createRuntime({collector})": {
    path: "collector",
    act: (collector) => createRuntime({ collector } as never),
  },
  "createRuntime({telemetry})": {
    path: "telemetry",
    act: (telemetry) => createRuntime({ telemetry } as never),
  },
  "create()": { path: "spec", act: (spec) => runtime.create(spec as never) },
  "create() with an id": { path: "spec", act: (spec) => runtime.create("new", spec as never) },
  "create({deterministic})": {
    path: "deterministic",
    act: (deterministic) => runtime.create({ modules: { main }, deterministic } as never),
  },
  "create({ancestry})": {
    path: "ancestry",
    act: (ancestry) => runtime.create({ modules: { main }, ancestry } as never),
  },
  "fork()": { path: "options", act: (options) => runtime.fork("kept", options as never) },
  "once()": { path: "options", act: (options) => runtime.once(main, options as never) },
  "list()": { path: "filter", act: (filter) => runtime.list(filter as never) },
  "call()": { path: "options", act: (options) => sandbox.call("main.f", options as never) },
  "run()": { path: "options", act: (options) => sandbox.run(() => 1, options as never) },
  "module()": { path: "options", act: (options) => sandbox.module("main", options as never) },
  "batch.create()": { path: "options", act: (options) => runtime.batch.create([], options as never) },
  "batch.destroy()": { path: "options", act: (options) => runtime.batch.destroy([], options as never) },
  "batch.call()": { path: "options", act: (options) => runtime.batch.call([], "main.f", options as never) },
  "batch.run()": { path: "options", act: (options) => runtime.batch.run([], () => 1, options as never) },
  "compile.source()": { path: "options", act: (options) => runtime.compile.source(main, options as never) },
  "compile.check()": { path: "options", act: (options) => runtime.compile.check(main, options as never) },
};

for (const [name, { path, act }] of Object.entries(takers)) {
  test(`${name} refuses an option that it does not know, by name`, async () => {
    assert.equal(await optionOf(() => act({ timeoutMS: 5 })), `${path}.timeoutMS`);
  });

  test(`${name} refuses options that are no object`, async () => {
    for (const value of [null, 5, "fast", true, [], () => 1])
      assert.equal(await optionOf(() => act(value)), path);
  });
}

/** Integer options with the values at both ends, which are fine, and those just outside. */
const integers: readonly (readonly [string, number, number, (value: unknown) => unknown])[] = [
  ["cells.count", 1, 64, (count) => createRuntime({ cells: { count } } as never)],
  ["cells.spare", 0, 8, (spare) => createRuntime({ cells: { spare } } as never)],
  ["cells.sandboxesMax", 1, 4_000, (value) => createRuntime({ cells: { sandboxesMax: value } } as never)],
  ["cells.warm", 0, 256, (warm) => createRuntime({ cells: { warm } } as never)],
  ["cells.lanes", 1, 16, (lanes) => createRuntime({ cells: { lanes } } as never)],
  ["cells.sliceMs", 1, 1_000, (sliceMs) => createRuntime({ cells: { sliceMs } } as never)],
  ["cells.startMs", 100, 300_000, (startMs) => createRuntime({ cells: { startMs } } as never)],
  ["cells.waitMs", 1, 3_600_000, (waitMs) => createRuntime({ cells: { waitMs } } as never)],
  [
    "cells.memoryBytesMax",
    2 ** 26,
    2 ** 40,
    (value) => createRuntime({ cells: { memoryBytesMax: value } } as never),
  ],
  ["capacity.sandboxes", 1, 1e6, (value) => createRuntime({ capacity: { sandboxes: value } } as never)],
  [
    "capacity.memoryBytes",
    2 ** 26,
    2 ** 40,
    (value) => createRuntime({ capacity: { memoryBytes: value } } as never),
  ],
  [
    "collector.intervalMs",
    1,
    86_400_000,
    (value) => createRuntime({ collector: { intervalMs: value } } as never),
  ],
  [
    "collector.tombstonesMax",
    0,
    1e6,
    (value) => createRuntime({ collector: { tombstonesMax: value } } as never),
  ],
  ["options.watchIntervalMs", 10, 86_400_000, (value) => createRuntime({ watchIntervalMs: value } as never)],
  [
    "options.compileCacheBytesMax",
    0,
    2 ** 34,
    (value) => createRuntime({ compileCacheBytesMax: value } as never),
  ],
  [
    "deterministic.seed",
    0,
    2 ** 32 - 1,
    (seed) => runtime.create({ modules: { main }, deterministic: { seed } } as never),
  ],
  [
    "deterministic.now",
    0,
    8.64e15,
    (now) => runtime.create({ modules: { main }, deterministic: { seed: 1, now } } as never),
  ],
  [
    "ancestry.generation",
    0,
    2 ** 31,
    (generation) => runtime.create({ modules: { main }, ancestry: { generation } } as never),
  ],
  ["filter.limit", 1, 1e6, (limit) => runtime.list({ limit } as never)],
  ["options.concurrency", 1, 100_000, (concurrency) => runtime.batch.create([], { concurrency } as never)],
  ["options.deadlineMs", 1, 86_400_000, (deadlineMs) => runtime.batch.destroy([], { deadlineMs } as never)],
];

for (const [option, min, max, act] of integers) {
  test(`${option} is refused just outside ${min}–${max} and when it is no whole number`, async () => {
    for (const value of [min - 1, max + 1, min + 0.5, Number.NaN, Infinity, "5", null, true, {}, 5n]) {
      const error = await mistakeOf(() => act(value), "INVALID_OPTIONS");
      assert.equal((error as InvalidOptionsError).option, option);
      assert.match(error.message, new RegExp(`${min}–${max}`));
    }
  });
}

const manyLabels = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, "x"]));

test("as many and as long labels as are admitted are there in the sandbox's info", async () => {
  for (const labels of [manyLabels(256), { text: "x".repeat(65_532) }]) {
    await using sandbox = await runtime.create({ modules: { main }, labels });
    assert.deepEqual((await sandbox.info()).labels, labels);
  }
});

suite("values of another form", () => {
  const rows: readonly (readonly [string, () => unknown])[] = [
    ["telemetry.fitness", () => createRuntime({ telemetry: { fitness: 1 } } as never)],
    ["telemetry.resources", () => createRuntime({ telemetry: { resources: "yes" } } as never)],
    ["store", () => createRuntime({ store: {} } as never)],
    ["store", () => createRuntime({ store: "memory" } as never)],
    ["clock", () => createRuntime({ clock: { now: () => 0 } } as never)],
    ["signal", () => runtime.create({ modules: { main }, signal: "abort" } as never)],
    ["labels", () => runtime.create({ modules: { main }, labels: ["a"] } as never)],
    ["labels.n", () => runtime.create({ modules: { main }, labels: { n: 1 } } as never)],
    ["labels", () => runtime.create({ modules: { main }, labels: manyLabels(257) })],
    ["labels", () => runtime.create({ modules: { main }, labels: { text: "x".repeat(65_533) } })],
    [
      "ancestry.parentIds",
      () => runtime.create({ modules: { main }, ancestry: { parentIds: "a" } } as never),
    ],
    [
      "ancestry.parentIds",
      () =>
        runtime.create({ modules: { main }, ancestry: { parentIds: Array.from({ length: 65 }, () => "a") } }),
    ],
    ["mutation", () => runtime.create({ modules: { main }, ancestry: { mutation: () => 1 } })],
    ["mutation", () => runtime.create({ modules: { main }, ancestry: { mutation: "x".repeat(70_000) } })],
    ["mutation", () => runtime.fork("kept", { mutation: 5n })],
    ["deterministic.seed", () => runtime.create({ modules: { main }, deterministic: {} } as never)],
    ["signal", () => runtime.fork("kept", { signal: {} } as never)],
    ["signal", () => sandbox.call("main.f", { signal: {} } as never)],
    ["options.repeatable", () => sandbox.call("main.f", { repeatable: "yes" } as never)],
    ["args", () => sandbox.call("main.f", { args: "ab" } as never)],
    ["args", () => sandbox.call("main.f", { args: { length: 1 } } as never)],
    ["target", () => sandbox.call("main" as never)],
    ["target", () => sandbox.call(5 as never)],
    ["fn", () => sandbox.run(5 as never)],
    ["fn", () => sandbox.run(Math.max as never)],
    ["fn", () => sandbox.run(sandbox.info.bind(sandbox) as never)],
    [
      "fn",
      () =>
        sandbox.run(
          class Odd {
            n = 1;
          } as never,
        ),
    ],
    ["options.onOutput", () => runtime.once(main, { onOutput: "log" } as never)],
    ["signal", () => runtime.once(main, { signal: 5 } as never)],
    ["source", () => runtime.once(5 as never)],
    ["source", () => runtime.compile.source(5 as never)],
    ["source", () => runtime.compile.check(undefined as never)],
    ["filter.status", () => runtime.list({ status: "alive" } as never)],
    ["filter.status", () => runtime.list({ status: ["running", "alive"] } as never)],
    ["filter.status", () => runtime.list({ status: 5 } as never)],
    ["filter.labels", () => runtime.list({ labels: "a" } as never)],
    ["filter.labels.n", () => runtime.list({ labels: { n: 1 } } as never)],
  ];
  for (const [index, [option, act]] of rows.entries())
    test(`${option} of another form is refused (${index})`, async () =>
      assert.equal(await optionOf(act), option));
});

test("a module that is neither a source nor compiled by us is refused by its name", async () => {
  const compiled = await runtime.compile.source(main);
  const odd = [
    5,
    null,
    [],
    {},
    { code: "", checksum: "" },
    { ...compiled, imports: undefined },
    { ...compiled, code: 5 },
  ];
  for (const module of [...odd, { ...compiled, exports: [5] }, { ...compiled, sourceMaps: "{}" }]) {
    assert.equal(await optionOf(() => runtime.create({ modules: { odd: module } } as never)), "modules.odd");
    assert.equal(await optionOf(() => runtime.once(module as never)), "source");
  }
});

test("a name for diagnostics that is no module name is refused", async () => {
  for (const name of [5, "", "../x", "a b", "x".repeat(300), null])
    await mistakeOf(() => runtime.compile.source(main, { name } as never), "INVALID_ID");
});

test("compile takes no limits but its own", async () => {
  await mistakeOf(
    () => runtime.compile.source(main, { limits: { memoryBytes: 2 ** 26 } } as never),
    "INVALID_LIMITS",
  );
});

test("limits at every level are held to their bounds", async () => {
  const limits = { memoryBytes: 1 };
  for (const act of [
    () => createRuntime({ limits }),
    () => runtime.create({ modules: { main }, limits }),
    () => runtime.once(main, { limits }),
    () => sandbox.updateLimits(limits),
    () => sandbox.updateLimits({ memory: 5 } as never),
    () => sandbox.updateLimits(null as never),
    () => sandbox.call("main.f", { timeoutMs: 0 }),
    () => sandbox.run(() => 1, { cpuMs: 0.5 }),
    () => runtime.compile.source(main, { limits: { compileMs: 0 } }),
    () => runtime.compile.source(main, { limits: { sourceBytes: -1 } }),
  ])
    await mistakeOf(act, "INVALID_LIMITS");
});

test("after all these mistakes nothing is left behind and the sandbox answers", async () => {
  assert.deepEqual(
    (await runtime.list()).map(({ id }) => id),
    ["kept"],
  );
  assert.equal((await runtime.metrics()).runsUnderway, 0);
  assert.equal(valueOf(await sandbox.call("main.f", { args: [5] })), 5);
});
