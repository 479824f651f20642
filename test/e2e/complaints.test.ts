// Frequent complaints of users of evolution engines, one test each, which shows that it does not hold here.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createRuntime, unwrap, type BatchEvaluation, type Fitness, type Runtime } from "../../src/index.ts";
import { Tracker } from "../../src/evolution/index.ts";
import { seededRandom } from "../../src/std/random.ts";
import { busySource } from "../support/guests.ts";
import { assertFailed } from "../support/outcomes.ts";
import { cpuMsOf, offspringOf } from "../support/processes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime({
  cells: { count: 2, spare: 1 },
  limits: { timeoutMs: 1_000, memoryBytes: 2 ** 25 },
});
const good = "export const f = (x: number) => x * x;";
/** What the engine cannot interrupt: its cell must be killed. */
const immortal = "export const f = () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);";
const bad: Readonly<Record<string, string>> = {
  "loops for ever": "export const f = () => { while (true); };",
  "cannot be interrupted": immortal,
  throws: "export const f = () => { throw new Error('no'); };",
  "eats memory":
    "export const f = () => { const all = []; while (true) all.push(new Array(1_000).fill(1)); };",
  "never answers": "export const f = () => new Promise(() => {});",
  "calls itself": "export const f = (): unknown => f();",
  "answers with what is no number": "export const f = () => 'a lot';",
  "is no program": "export const f = (",
};

/** The square of five is the score; what is no number is no score. */
const answer: Fitness = async (candidate) => unwrap(await candidate.call<number>("main.f", { args: [5] }));

async function evaluated(
  sources: readonly string[],
  own: Runtime = runtime,
): Promise<readonly BatchEvaluation[]> {
  const created = await own.batch.create(sources.map((main) => ({ modules: { main } })));
  const ids = created.map(({ sandboxId }) => sandboxId);
  const results = await own.batch.evaluate(ids, answer);
  await own.batch.destroy(ids);
  return results;
}

const cellsOf = async (own: Runtime): Promise<readonly number[]> =>
  (await own.metrics()).cells.map(({ pid }) => pid);

const cpuMsOfAll = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0);

/** Resolves when the cells have used next to no processor time for a while. */
async function untilAtRest(): Promise<void> {
  const restMs = 300;
  let since = { ms: performance.now(), cpuMs: 0 };
  await until("the cells are at rest", async () => {
    const cpuMs = cpuMsOfAll(await cellsOf(runtime));
    if (Math.abs(cpuMs - since.cpuMs) > 10) since = { ms: performance.now(), cpuMs };
    return performance.now() - since.ms > restMs;
  });
}

suite("a timeout stops the candidate", () => {
  for (const [what, source] of Object.entries({
    loops: "export const f = () => { while (true); };",
    "loops and waits in turn": "export const f = async () => { for (;;) await null; };",
    "catches everything":
      "export const f = () => { for (;;) try { for (;;); } catch {} finally { continue; } };",
    "cannot be interrupted": immortal,
  })) {
    test(`the processor is free again after one that ${what}`, async () => {
      const sandbox = await createMain(runtime, source);
      const before = cpuMsOfAll(await cellsOf(runtime));
      const run = sandbox.call("main.f", { timeoutMs: 1_000 });
      await until("it keeps a processor busy", async () => cpuMsOfAll(await cellsOf(runtime)) - before > 30);
      assertFailed(await run, "timeout", "timeoutMs");
      await untilAtRest();
      await sandbox.destroy();
    });
  }
});

test("one bad candidate fails alone, and all others have their score", async () => {
  const sources = Object.values(bad).flatMap((source) => [good, source, good]);
  const results = await evaluated(sources);
  assert.equal(results.length, sources.length);
  for (const [index, result] of results.entries())
    if (sources[index] === good) assert.equal(result.ok && result.score, 25, `candidate ${index}`);
    else assert.equal(result.ok, false, `candidate ${index}`);
});

test("a failure has no score, is not ranked and not counted among scores, in either direction", async () => {
  for (const direction of ["maximise", "minimise"] as const) {
    const tracker = new Tracker({ direction });
    const unfollow = tracker.follow(runtime.events);
    const results = await evaluated([good, ...Object.values(bad)]);
    unfollow();
    const ids = results.map(({ sandboxId }) => sandboxId);
    assert.deepEqual(
      results.map((result) => ("score" in result ? result.score : "error" in result)),
      [25, ...Object.keys(bad).map(() => true)],
    );
    assert.deepEqual(tracker.fitness.top(ids.length), [{ id: ids[0], score: 25 }]);
    const { scored, failed, mean } = tracker.fitness.statistics(ids);
    assert.deepEqual({ scored, failed, mean }, { scored: 1, failed: Object.keys(bad).length, mean: 25 });
  }
});

// Visits everything that can be reached from its own globals, from a thrown error, and from its arguments.
const thief = `
const seen = new Set();
const texts = [];
function walk(value, depth) {
  if (typeof value === "string") texts.push(value);
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
  if (seen.has(value) || depth > 8) return;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    texts.push(String(key));
    try { walk(value[key], depth + 1); } catch {}
  }
  walk(Object.getPrototypeOf(value), depth + 1);
}
export async function f(...args) {
  Error.prepareStackTrace = (_, frames) => (walk(frames, 0), "");
  for (const name of ["judge", "node:process", "node:fs", "/proc/self/environ"])
    try { walk(await import(name), 0); } catch (error) { walk(error, 0); }
  void new Error().stack;
  walk(globalThis, 0);
  walk(args, 0);
  Math.abs = () => 0; Object.is = () => true; Array.prototype.every = () => true; JSON.stringify = () => "25";
  return [...new Set(texts)].join("\\\\n").slice(0, 500_000);
}`;

test("a candidate that searches for secrets and the scorer finds neither, and gets no score", async () => {
  const secret = "sk-what-only-the-host-knows";
  process.env["VIVARIUM_PAINS_SECRET"] = secret;
  const own = await startRuntime({ profile: "low", limits: { timeoutMs: 20_000 } });
  const sandbox = await createMain(own, thief);
  const loot = unwrap(await sandbox.call<string>("main.f", { args: [5] }));
  const handed = unwrap(
    await (await createMain(own, thief)).call<string>("main.f", { args: [[{ secret }]] }),
  );
  assert.ok(loot.includes("globalThis") && handed.includes(secret), "it finds what is there");
  for (const word of [secret, "VIVARIUM_PAINS", process.cwd()]) assert.ok(!loot.includes(word), word);
  const [result] = await own.batch.evaluate([sandbox.id], {
    tests: [{ name: "square", call: "main.f", args: [5], expected: "the right answer" }],
  });
  assert.equal(result?.ok && result.score, 0);
  const again = unwrap(await sandbox.call<string>("main.f", { args: [5] }));
  assert.ok(!again.includes("the right answer"));
  delete process.env["VIVARIUM_PAINS_SECRET"];
});

test("after close no child of this process is left, running or as a zombie, whatever the candidates did", async () => {
  const before = new Set(offspringOf(process.pid));
  await using own = await createRuntime({ cells: { count: 2, spare: 1 }, limits: { timeoutMs: 300 } });
  const kept = (): number[] => offspringOf(process.pid).filter((pid) => !before.has(pid));
  await until("there are cells and a compiler", () => kept().length >= 2);
  await evaluated([immortal, immortal, ...Object.values(bad)], own);
  assert.ok(Object.keys((await own.metrics()).cellsExited).length > 0, "a cell had to go");
  await own.close();
  assert.deepEqual(kept(), []);
});

test("two candidates compute at the same time, each in a process of its own", async () => {
  const own = await startRuntime({ cells: { count: 2 }, limits: { timeoutMs: 60_000 } });
  const source = `${busySource}
    export const work = () => { const from = Date.now(); spin(800); return { from, to: Date.now() }; };`;
  await until("both cells stand", async () => (await own.health()).cells.ready === 2);
  const sandboxes = [await createMain(own, source), await createMain(own, source)];
  const homes = await Promise.all(sandboxes.map(async (sandbox) => (await sandbox.info()).cell));
  assert.equal(new Set(homes).size, 2);
  const outcomes = await own.batch.call<{ from: number; to: number }>(
    sandboxes.map(({ id }) => id),
    "main.work",
  );
  const spans = outcomes.map(unwrap);
  const [begun, ended] = [Math.max(...spans.map(({ from }) => from)), Math.min(...spans.map(({ to }) => to))];
  assert.ok(begun < ended, `one began at ${begun}, after the other had ended at ${ended}`);
});

/** A small evolution with randomness, time and bounds from the seed; returns the result of each generation. */
async function evolve(seed: number, cells: number): Promise<readonly unknown[]> {
  const own = await startRuntime({ cells: { count: cells } });
  const random = seededRandom(seed);
  const toSource = (gene: number): string => `
    export const f = (x) => {
      let sum = 0;
      for (let i = 0; i < ${Math.abs(gene) % 50}; i++) sum += Math.random() * x;
      return sum + Date.now() % 97;
    };`;
  let genes = Array.from({ length: 8 }, () => Math.floor(random() * 1_000));
  const history: unknown[] = [];
  for (let generation = 0; generation < 4; generation++) {
    const created = await own.batch.create(
      genes.map((gene) => ({
        modules: { main: toSource(gene) },
        limits: { fuel: 1_000 },
        deterministic: { seed: gene, now: 0 },
      })),
    );
    const results = await own.batch.evaluate(
      created.map(({ sandboxId }) => sandboxId),
      answer,
    );
    history.push(results.map((result) => [result.ok ? result.score : result.error.kind, result.usage.fuel]));
    const ranked = genes.toSorted(
      (a, b) => scoreAt(results, genes.indexOf(b)) - scoreAt(results, genes.indexOf(a)),
    );
    genes = genes.map((_, index) => (ranked[index % 3] as number) + Math.floor(random() * 20));
  }
  await own.close();
  return history;
}

const scoreAt = (results: readonly BatchEvaluation[], index: number): number => {
  const result = results[index];
  return result?.ok === true ? result.score : -Infinity;
};

test("the same seed gives the same scores and the same fuel, on any number of cells", async () => {
  const [one, again, other] = [await evolve(7, 1), await evolve(7, 2), await evolve(8, 1)];
  assert.deepEqual(again, one);
  assert.notDeepEqual(other, one);
});
