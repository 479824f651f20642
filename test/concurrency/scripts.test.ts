// Whatever else happens to a sandbox while scripts run in it or wait: each ends, and says how.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../src/index.ts";
import { errorOf } from "../support/errors.ts";
import { functionOf } from "../support/guests.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { fulfilled } from "../support/waiting.ts";

const runtime = await startRuntime({
  capabilities: { double: { run: (n: unknown) => Number(n) * 2 } },
});
const endless = "await new Promise((resolve) => setTimeout(resolve, 1e6))";

test("a session that is closed ends the script that runs and those that wait", async () => {
  const begun = Promise.withResolvers<unknown>();
  const session = await runtime.session({ onOutput: begun.resolve });
  const running = session.run(`console.log("begun"); ${endless}`);
  const waiting = session.run("1");
  await fulfilled("the first to begin", begun.promise);
  await session.close();
  assertFailed(await fulfilled("the running one", running), "cancelled");
  assertFailed(await fulfilled("the waiting one", waiting), "not-running");
  assertFailed(await session.run("2"), "not-running");
  await session.close();
  assert.equal(await runtime.has(session.id), false);
});

test("a runtime that is closed ends all scripts", async () => {
  const own = await createRuntime({ cells: { count: 1, spare: 0 } });
  const session = await own.session();
  const scripts = Promise.allSettled([session.run(endless), session.run("1"), own.once(endless)]);
  valueOf(await (await own.session()).run("1"));
  await own.close();
  const ended = await fulfilled("all scripts", scripts);
  for (const end of ended)
    if (end.status === "fulfilled") assert.equal(end.value.ok, false);
    else assert.equal((end.reason as { code?: string }).code, "RUNTIME_CLOSED");
  await session.close();
  await errorOf(() => session.run("1"), "RUNTIME_CLOSED");
  await errorOf(() => own.session(), "RUNTIME_CLOSED");
});

test("a script is cancelled by its signal, where it waits at once", async () => {
  await using session = await runtime.session();
  const first = new AbortController();
  const second = new AbortController();
  const running = session.run(endless, { signal: first.signal });
  const waiting = session.run("1", { signal: second.signal });
  second.abort();
  const cancelled = await waiting;
  assert.equal(failureOf(cancelled).reason, "signal");
  first.abort();
  assert.equal(failureOf(await running).reason, "signal");
  assert.equal(valueOf(await session.run("2")), 2);
});

test("the output of a script has every line that was written while it ran, a call's too", async () => {
  const begun = Promise.withResolvers<unknown>();
  await using session = await runtime.session({
    modules: { main: "export const say = () => { console.log('called'); globalThis.isSaid = true; };" },
    onOutput: begun.resolve,
  });
  const script = session.run(
    `console.log("begins");
     while (globalThis.isSaid !== true) await new Promise((go) => setTimeout(go, 1));
     console.log("ends")`,
  );
  await fulfilled("the script to begin", begun.promise);
  valueOf(await session.sandbox.call("main.say"));
  assert.deepEqual(
    (await script).output.map(({ text }) => text),
    ["begins", "called", "ends"],
  );
});

test("a run that is cancelled while its code is compiled ends at once, whatever comes of the code", async () => {
  await using sandbox = await runtime.create({ modules: { main: "" } });
  await using session = await runtime.session();
  const unclosed = `f(${"1,\n".repeat(50_000)}`;
  const signals = [0, 1, 2, 3].map(() => new AbortController());
  const [run, once, ofSession, ofFunction] = signals.map(({ signal }) => ({ signal }));
  const runs = [
    sandbox.run(unclosed, run),
    runtime.once(unclosed, once),
    session.run(unclosed, ofSession),
    sandbox.run(functionOf("() => __vivarium_x"), ofFunction),
  ];
  const next = session.run("1");
  // A session begins with a script in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  for (const controller of signals) controller.abort();
  for (const outcome of await Promise.all(runs)) assert.equal(failureOf(outcome).reason, "signal");
  assert.equal(valueOf(await next), 1);
});

test("once() ends as cancelled whenever its signal is aborted, as every run does", async () => {
  const reason = new Error("enough");
  const script = "await new Promise((resolve) => setTimeout(resolve, 1e6))";
  const slowly = "console.log('loads'); await new Promise((resolve) => setTimeout(resolve, 1e6));";
  for (const source of [
    script,
    `${slowly} export default 1`,
    await runtime.compile.source("export default 1"),
  ]) {
    const outcome = await runtime.once(source, { signal: AbortSignal.abort(reason) });
    assert.deepEqual([failureOf(outcome).kind, failureOf(outcome).reason], ["cancelled", "signal"]);
    assert.equal(failureOf(outcome).message, "Cannot finish the run as its signal was aborted");
  }
  const controller = new AbortController();
  const outcome = await runtime.once(`${slowly} export default 1`, {
    signal: controller.signal,
    onOutput: () => controller.abort(reason),
  });
  assert.equal(failureOf(outcome).message, "Cannot finish the run as its signal was aborted");
  assert.deepEqual(
    outcome.output.map(({ text }) => text),
    ["loads"],
  );
});

test("what a script declared before it timed out is there", async () => {
  await using session = await runtime.session({ limits: { timeoutMs: 200 } });
  const stuck = await session.run("let n = 1; console.log('begun'); while (true) n++");
  assertFailed(stuck, "timeout", "timeoutMs");
  const after = await session.run("n > 1");
  assert.deepEqual([valueOf(after), after.fresh], [true, false]);
  assertFailed(await session.run("while (true);", { timeoutMs: 50 }), "timeout", "timeoutMs");
});

test("scripts wait while their sandbox is suspended, and keep what they declared", async () => {
  await using session = await runtime.session();
  valueOf(await session.run("let n = 1"));
  await session.sandbox.suspend();
  const waiting = session.run("n + 1");
  await session.sandbox.resume();
  assert.equal(valueOf(await waiting), 2);
});

test("a reload under way and scripts do not meet", async () => {
  await using session = await runtime.session({ modules: { main: "export const v = 1;" } });
  const reloads = [2, 3, 4].map((n) => session.sandbox.hotReload({ main: `export const v = ${n};` }));
  const runs = Array.from({ length: 10 }, () => session.run("import { v } from 'main'; v"));
  await Promise.all(reloads);
  for (const run of runs) assert.ok([1, 2, 3, 4].includes(valueOf(await run) as number));
  assert.equal(valueOf(await session.run("v")), 4);
});

test("a verification may run scripts in the new revision", async () => {
  await using sandbox = await runtime.create({ modules: { main: "export const v = 1;" } });
  await sandbox.hotReload(
    { main: "export const v = 2;" },
    { verify: async (it) => valueOf(await it.run("import { v } from 'main'; v")) === 2 },
  );
  assert.equal(await sandbox.version("main"), 2);
});

test("fuel, processor time and output are bounded as those of calls", async () => {
  await using session = await runtime.session({ limits: { fuel: 10_000, outputBytes: 1_000 } });
  const counted = await session.run("let n = 0; for (let i = 0; i < 100; i++) n += i; n");
  assert.equal(valueOf(counted), 4_950);
  const same = await session.run("let n = 0; for (let i = 0; i < 100; i++) n += i; n");
  assert.ok((counted.usage.fuel ?? 0) >= 100);
  assert.equal(counted.usage.fuel, same.usage.fuel);
  assertFailed(await session.run("while (true);"), "fuel", "fuel");
  assertFailed(await session.run("for (;;) console.log('x'.repeat(100))"), "output-limit", "outputBytes");
  assert.equal(valueOf(await session.run("n")), 4_950);
  assertFailed(await runtime.once("while (true);", { cpuMs: 50, timeoutMs: 60_000 }), "cpu", "cpuMs");
});

test("scripts in a deterministic sandbox give the same for the same seed", async () => {
  const source =
    "const xs = [Math.random(), Date.now()]; await new Promise((go) => setTimeout(go, 5)); [...xs, Date.now()]";
  const deterministic = { seed: 7, now: 1_000 };
  const [one, two] = [
    await runtime.once(source, { deterministic }),
    await runtime.once(source, { deterministic }),
  ];
  assert.deepEqual(valueOf(one), valueOf(two));
  await using session = await runtime.session({ deterministic });
  assert.deepEqual(valueOf(await session.run(source)), valueOf(one));
});

test("scripts use what their sandbox was granted, and once waits for it", async () => {
  const source = `import { double } from "vivarium/capabilities"\nawait double(4)`;
  assert.equal(valueOf(await runtime.once(source, { capabilities: ["double"] })), 8);
  assertFailed(await runtime.once(source), "denied");
  await using session = await runtime.session({ capabilities: ["double"] });
  assert.equal(valueOf(await session.run(source)), 8);
  assert.equal(valueOf(await session.run("await double(5)")), 10);
  const later = await runtime.once(
    `import { double } from "vivarium/capabilities"\ndouble(6).then((n) => setTimeout(() => console.log(n), 1)); 0`,
    { capabilities: ["double"] },
  );
  assert.deepEqual(
    later.output.map(({ text }) => text),
    ["12"],
  );
});

test("lines come as they are written, and mistakes of a caller are told as such", async () => {
  const lines: string[] = [];
  await using session = await runtime.session({
    id: "lines",
    modules: { main: "console.log('loaded');" },
    onOutput: ({ text }) => lines.push(text),
  });
  assert.equal(session.id, "lines");
  const { output } = await session.run("console.log('a'); console.log('b')");
  assert.deepEqual(
    [lines, output.map(({ text }) => text)],
    [
      ["loaded", "a", "b"],
      ["a", "b"],
    ],
  );
  await errorOf(() => runtime.session({ id: "lines" }), "SANDBOX_EXISTS");
  await errorOf(() => runtime.session({ tiemoutMs: 1 } as never), "INVALID_OPTIONS");
  await errorOf(() => runtime.session({ onOutput: 1 } as never), "INVALID_OPTIONS");
  await errorOf(() => runtime.session({ modules: {} }), "INVALID_OPTIONS");
  await errorOf(() => session.run(5 as never), "INVALID_OPTIONS");
  await errorOf(() => session.run("1", { timeout: 5 } as never), "INVALID_OPTIONS");
  await errorOf(() => session.run("1", { timeoutMs: -5 }), "INVALID_LIMITS");
  await errorOf(() => runtime.session({ modules: { main: "export const = 1" } }), "PARSE_FAILED");
  assert.equal(valueOf(await session.run("3")), 3);
});
