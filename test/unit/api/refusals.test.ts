// Every function of a runtime that takes options refuses those that it does not know and those of a wrong type, by name.
// What is accepted is in options.test.ts; what stands beside a runtime is in refusals-beside.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime, type Candidate } from "../../../src/index.ts";
import { refuseAll, type RefusalRow } from "../../support/refusals.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime({ capabilities: { echo: () => 1 } });
const main = "export const f = (x) => x; export default () => 1;";
const sandbox = await runtime.create("kept", { modules: { main } });
const individual = await sandbox.export();
const { batch } = runtime;
const modules = { main };
const suite = { name: "t", call: "main.f", expected: 1 } as const;
const scorer = { modules, call: "main.f" } as const;
const stage = { name: "s", fitness: () => 1 };

/** What is done with a candidate, as a caller's fitness does it: its mistake is the evaluation's failure. */
async function asCandidate(act: (candidate: Candidate) => unknown): Promise<void> {
  let thrown: unknown;
  await batch.evaluate(["kept"], async (candidate) => {
    try {
      await act(candidate);
    } catch (error) {
      thrown = error;
    }
    return 0;
  });
  if (thrown !== undefined) throw thrown;
}

const rows: Readonly<Record<string, RefusalRow>> = {
  "createRuntime()": [createRuntime, [["options.versionsMax", { versionsMax: -1 }]]],
  "createRuntime({audit})": [(audit) => createRuntime({ audit }), [["audit.entries", { entries: 0 }]]],
  "createRuntime({cells})": [(cells) => createRuntime({ cells }), [["cells.count", { count: "2" }]]],
  "createRuntime({capacity})": [
    (capacity) => createRuntime({ capacity }),
    [["capacity.runs", { runs: 0.5 }]],
  ],
  "createRuntime({collector})": [
    (collector) => createRuntime({ collector }),
    [["collector.tombstonesMax", { tombstonesMax: -1 }]],
  ],
  "createRuntime({compiler})": [
    (compiler) => createRuntime({ compiler }),
    [["compiler.backend", { backend: "swc" }]],
  ],
  "createRuntime({telemetry})": [
    (telemetry) => createRuntime({ telemetry }),
    [["telemetry.fitness", { fitness: "no" }]],
  ],
  "createRuntime({jail})": [(jail) => createRuntime({ jail }), [["jail.tripwire", { tripwire: 1 }]]],
  "createRuntime({jail: {user}})": [
    (user) => createRuntime({ jail: { user } }),
    [["jail.user.uid", { uid: "root" }]],
  ],
  "createRuntime({capabilities})": [
    (one: object) => createRuntime({ capabilities: { one: { run: () => 1, ...one } } }),
    [
      ["capabilities.one.timeoutMs", { timeoutMs: -1 }],
      ["capabilities.one.args", { args: "text" }],
    ],
  ],
  "createRuntime({limits})": [(limits) => createRuntime({ limits }), [], "INVALID_LIMITS"],
  "createRuntime({profiles})": [(own) => createRuntime({ profiles: { own } }), [], "INVALID_PROFILE"],
  "create()": [
    (spec: object) => runtime.create({ modules, ...spec }),
    [
      ["spec.autoReload", { autoReload: "yes" }],
      ["labels", { labels: 5 }],
    ],
  ],
  "create({placement})": [
    (placement) => runtime.create({ modules, placement }),
    [["placement.exclusive", { exclusive: "yes" }]],
  ],
  "create({restart})": [(restart) => runtime.create({ modules, restart }), [["restart.max", { max: -1 }]]],
  "create({checkpoint})": [
    (checkpoint) => runtime.create({ modules, supervisor: "main", checkpoint }),
    [["checkpoint.everyMs", { everyMs: 0 }]],
  ],
  "create({deterministic})": [
    (more: object) => runtime.create({ modules, deterministic: { seed: 1, ...more } }),
    [["deterministic.now", { now: -1 }]],
  ],
  "create({ancestry})": [
    (ancestry) => runtime.create({ modules, ancestry }),
    [["ancestry.generation", { generation: 0.5 }]],
  ],
  "create({capabilities})": [
    (echo) => runtime.create({ modules, capabilities: { echo } }),
    [["capabilities.echo.calls", { calls: -1 }]],
  ],
  "fork()": [(options) => runtime.fork("kept", options), [["options.state", { state: "yes" }]]],
  "import()": [(options) => runtime.import(individual, options), [["signal", { signal: "stop" }]]],
  "once()": [
    (options) => runtime.once(main, options),
    [
      ["options.onOutput", { onOutput: "log" }],
      ["options.repeatable", { repeatable: 1 }],
    ],
  ],
  "list()": [(filter) => runtime.list(filter), [["filter.limit", { limit: 0.5 }]]],
  "restart()": [(options) => runtime.restart("kept", options), [["signal", { signal: 1 }]]],
  "destroy()": [(options) => runtime.destroy("kept", options), [["signal", { signal: 1 }]]],
  "collect()": [(options) => runtime.collect(options), [["options.deadlineMs", { deadlineMs: "1 s" }]]],
  "close()": [(options) => runtime.close(options), [["options.deadlineMs", { deadlineMs: 0 }]]],
  "journal.entries()": [(options) => runtime.journal.entries({}, options), [["signal", { signal: 1 }]]],
  "documents.read()": [
    (options) => runtime.documents.read("rows", "", options),
    [["options.deadlineMs", { deadlineMs: 0 }]],
  ],
  "documents.write()": [
    (options) => runtime.documents.write("rows", new Map(), options),
    [["signal", { signal: 1 }]],
  ],
  "compile.types()": [(options) => runtime.compile.types(modules, options), [["signal", { signal: 1 }]]],
  "audit.query()": [
    (filter) => runtime.audit.query(filter),
    [
      ["filter.kind", { kind: "denide" }],
      ["filter.limit", { limit: -1 }],
      ["filter.since", { since: "now" }],
    ],
  ],
  "compile.source()": [(options) => runtime.compile.source(main, options), [["signal", { signal: 1 }]]],
  "compile.check()": [(options) => runtime.compile.check(main, options), [["signal", { signal: 1 }]]],
  "compile.file()": [(options) => runtime.compile.file("a.ts", options), [["signal", { signal: 1 }]]],
  "compile.directory()": [(options) => runtime.compile.directory(".", options), [["signal", { signal: 1 }]]],
  "sandbox.call()": [
    (options) => sandbox.call("main.f", options),
    [
      ["options.record", { record: "yes" }],
      ["args", { args: 5 }],
    ],
  ],
  "sandbox.run()": [
    (options) => sandbox.run(() => 1, options),
    [["options.repeatable", { repeatable: "yes" }]],
  ],
  "sandbox.module()": [
    (options) => sandbox.module<{ f: () => number }>("main", options).f(),
    [
      ["options.args", { args: [] }],
      ["signal", { signal: 1 }],
    ],
  ],
  "sandbox.ask()": [(options) => sandbox.ask("counter", 1, options), [["options.args", { args: [] }]]],
  "sandbox.send()": [(options) => sandbox.send("counter", 1, options), [["options.args", { args: [] }]]],
  "sandbox.hotReload()": [
    (options) => sandbox.hotReload(modules, options),
    [
      ["migrate", { migrate: "keep" }],
      ["verify", { verify: true }],
      ["options.verifyMs", { verifyMs: -1 }],
      ["options.dryRun", { dryRun: "yes" }],
    ],
  ],
  "sandbox.rollback()": [(options) => sandbox.rollback("main", 1, options), [["signal", { signal: 1 }]]],
  "sandbox.rollbackTo()": [(options) => sandbox.rollbackTo(1, options), [["signal", { signal: 1 }]]],
  "sandbox.checkpoint()": [(options) => sandbox.checkpoint(options), [["signal", { signal: 1 }]]],
  "sandbox.captureState()": [(options) => sandbox.captureState(options), [["signal", { signal: 1 }]]],
  "sandbox.restoreState()": [
    (options) => sandbox.restoreState({ servers: [], children: [] }, options),
    [["signal", { signal: 1 }]],
  ],
  "sandbox.restart()": [(options) => sandbox.restart(options), [["signal", { signal: 1 }]]],
  "sandbox.suspend()": [(options) => sandbox.suspend(options), [["options.deadlineMs", { deadlineMs: 0 }]]],
  "sandbox.resume()": [(options) => sandbox.resume(options), [["options.deadlineMs", { deadlineMs: 0 }]]],
  "sandbox.processes()": [
    (options) => sandbox.processes(options),
    [["options.deadlineMs", { deadlineMs: 0 }]],
  ],
  "sandbox.usage()": [(options) => sandbox.usage(options), [["options.deadlineMs", { deadlineMs: 0 }]]],
  "sandbox.export()": [(options) => sandbox.export(options), [["options.deadlineMs", { deadlineMs: 0 }]]],
  "sandbox.destroy()": [(options) => sandbox.destroy(options), [["options.deadlineMs", { deadlineMs: 0 }]]],
  "sandbox.updateLimits({}, options)": [
    (options) => sandbox.updateLimits({}, options),
    [["options.deadlineMs", { deadlineMs: 0.5 }]],
  ],
  "sandbox.updateLimits()": [(limits) => sandbox.updateLimits(limits), [], "INVALID_LIMITS"],
  "candidate.call()": [
    (options) => asCandidate((candidate) => candidate.call("main.f", options)),
    [["options.repeatable", { repeatable: true }]],
  ],
  "candidate.run()": [
    (options) => asCandidate((candidate) => candidate.run(() => 1, options)),
    [["args", { args: 1 }]],
  ],
  "candidate.module()": [
    (options) => asCandidate((candidate) => candidate.module<{ f: () => number }>("main", options).f()),
    [["signal", { signal: 1 }]],
  ],
  "batch.create()": [(options) => batch.create([], options), [["options.concurrency", { concurrency: 0 }]]],
  "batch.destroy()": [(options) => batch.destroy([], options), [["options.deadlineMs", { deadlineMs: -1 }]]],
  "batch.hotReload()": [
    (options) => batch.hotReload([], modules, options),
    [
      ["migrate", { migrate: "keep" }],
      ["options.concurrency", { concurrency: 1.5 }],
    ],
  ],
  "batch.call()": [(options) => batch.call([], "main.f", options), [["args", { args: 5 }]]],
  "batch.run()": [
    (options) => batch.run([], () => 1, options),
    [["options.repeatable", { repeatable: "no" }]],
  ],
  "batch.evaluate()": [
    (options) => batch.evaluate([], () => 1, options),
    [
      ["options.repeats", { repeats: 0 }],
      ["options.summary", { summary: "best" }],
      ["options.population", { population: "" }],
      ["options.itemDeadlineMs", { itemDeadlineMs: 0 }],
      ["options.onFailure", { onFailure: "ignore" }],
      ["options.onFailure.score", { onFailure: {} }],
    ],
  ],
  "a suite of tests": [
    (more: object) => batch.evaluate([], { tests: [suite], ...more }),
    [["fitness.failedRun", { failedRun: "skip" }]],
  ],
  "a test": [
    (more: object) => batch.evaluate([], { tests: [{ ...suite, ...more }] }),
    [
      ["fitness.tests[0].points", { points: -1 }],
      ["fitness.tests[0].hidden", { hidden: 1 }],
      ["fitness.tests[0].timeoutMs", { timeoutMs: 0 }],
    ],
  ],
  "a scorer": [
    (more: object) => batch.evaluate([], { questions: [{ call: "main.f" }], scorer: { ...scorer, ...more } }),
    [["modules", { modules: 5 }]],
  ],
  "a stage": [
    (more: object) => batch.evaluate([], { stages: [{ ...stage, ...more }] }),
    [["fitness.stages[0].atLeast", { atLeast: "1" }]],
  ],
};

refuseAll(rows);

test("after all these mistakes nothing is left behind and the sandbox answers", async () => {
  assert.deepEqual(
    (await runtime.list()).map(({ id }) => id),
    ["kept"],
  );
  assert.equal((await sandbox.call("main.f", { args: [5] })).ok, true);
});
