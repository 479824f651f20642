// Cells killed and stopped at random under load: every promise settles in time, no sandbox is lost, every value is right.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Outcome, PlacementSpec, Sandbox } from "../../src/index.ts";
import { seededRandom } from "../../src/std/random.ts";
import { startBreakable } from "../support/breakable.ts";
import { isAlive } from "../support/processes.ts";
import { fulfilled, settled, until } from "../support/waiting.ts";

const seed = Number(process.env["CHAOS_SEED"] ?? 20_260_101);
const sandboxCount = 200;
const signalCount = 50;

const sourceOf = (own: number): string => `
  export const add = (n) => n + ${own};
  export const later = (n) => new Promise((resolve) => setTimeout(resolve, 5, n + ${own}));
  export const long = (n) => { const end = Date.now() + 4; while (Date.now() < end); return n + ${own}; };
  export const own = () => ${own};`;

/** Every third is dense. */
const placementOf = (own: number): PlacementSpec => ({ dense: own % 3 === 0 });

const kindOf = (outcome: Outcome): string => (outcome.ok ? "ok" : outcome.error.kind);

interface Tally {
  calls: number;
  longestMs: number;
  readonly lost: { repeatable: number; other: number };
  readonly wrong: string[];
}

/** Calls one sandbox repeatedly until it is stopped. */
async function keepCalling(
  sandbox: Sandbox,
  own: number,
  at: { tally: Tally; signal: AbortSignal },
): Promise<void> {
  const { tally, signal } = at;
  const targets = ["main.add", "main.later", "main.add", "main.long"] as const;
  // One in ten is not marked as repeatable.
  const repeatable = own % 10 !== 0;
  for (let n = 1; !signal.aborted; n++) {
    const target = targets[(n + own) % targets.length] as "main.add";
    const startedMs = performance.now();
    const call = sandbox.call(target, { args: [n], repeatable });
    const outcome = await fulfilled(`${sandbox.id} ${target}`, call);
    tally.calls++;
    tally.longestMs = Math.max(tally.longestMs, performance.now() - startedMs);
    if (outcome.ok && outcome.value === n + own) continue;
    if (!outcome.ok && outcome.error.kind === "cell-lost") tally.lost[repeatable ? "repeatable" : "other"]++;
    else
      tally.wrong.push(`${target}(${n}) of ${own}: ${outcome.ok ? String(outcome.value) : kindOf(outcome)}`);
  }
}

suite("chaos", () => {
  test(`${signalCount} signals to the cells of ${sandboxCount} sandboxes under load lose no sandbox and no promise`, async () => {
    const random = seededRandom(seed);
    await using broken = await startBreakable({ cells: { count: 2, spare: 1 } });
    const { runtime } = broken;
    const made = await runtime.batch.create(
      Array.from({ length: sandboxCount }, (_, own) => ({
        id: `s-${own}`,
        modules: { main: sourceOf(own) },
        placement: placementOf(own),
      })),
    );
    const tally: Tally = { calls: 0, longestMs: 0, lost: { repeatable: 0, other: 0 }, wrong: [] };
    const stop = new AbortController();
    const loops = made.map((result, own) => {
      assert.ok(result.ok);
      return keepCalling(result.value, own, { tally, signal: stop.signal });
    });
    const stopped: number[] = [];
    for (let sent = 0; sent < signalCount; sent++) {
      const goal = tally.calls + 40 + Math.floor(random() * 300);
      await until("calls go on", () => tally.calls >= goal);
      const { cells } = await runtime.metrics();
      const victim = cells[Math.floor(random() * cells.length)];
      if (victim === undefined) continue;
      const signal = random() < 0.6 ? "SIGKILL" : "SIGSTOP";
      if (signal === "SIGSTOP") stopped.push(victim.pid);
      await broken.signal(signal, [victim.pid]);
    }
    stop.abort();
    await Promise.all(loops);
    console.log(
      `seed ${seed}: ${tally.calls} calls, ${signalCount} signals (${stopped.length} SIGSTOP), longest call ${tally.longestMs.toFixed(0)} ms, cell-lost: ${tally.lost.repeatable} repeatable, ${tally.lost.other} other`,
    );
    assert.deepEqual(tally.wrong, []);
    assert.equal(tally.lost.repeatable, 0);
    await until("the stopped ones were found", () => !stopped.some(isAlive));
    const answers = await fulfilled(
      "all",
      runtime.batch.call<number>(
        made.map(({ sandboxId }) => sandboxId),
        "main.own",
        { repeatable: true },
      ),
    );
    assert.ok(answers.every((outcome) => outcome.ok && outcome.value === outcome.index));
    assert.equal((await runtime.list({ status: "running" })).length, sandboxCount);
  });

  test("all cells killed at once under many calls at a time cost no repeatable call", async () => {
    await using broken = await startBreakable({ cells: { count: 2, spare: 1 } });
    const { runtime } = broken;
    const made = await runtime.batch.create(
      Array.from({ length: 100 }, (_, own) => ({
        modules: { main: sourceOf(own) },
        placement: placementOf(own),
      })),
    );
    const ids = made.map(({ sandboxId }) => sandboxId);
    for (const target of ["main.long", "main.later"] as const) {
      const batch = runtime.batch.call<number>(ids, target, { args: [7], repeatable: true });
      await until("some are done", () => batch.progress.done > 5);
      await broken.signal("SIGKILL");
      const outcomes = await fulfilled("batch", batch);
      assert.deepEqual(
        outcomes.filter((outcome) => !outcome.ok || outcome.value !== outcome.index + 7),
        [],
      );
    }
  });
});

suite("a cell killed", () => {
  test("while a batch is created costs no item", async () => {
    await using broken = await startBreakable({ cells: { count: 2, spare: 1 } });
    const { runtime } = broken;
    const specs = Array.from({ length: 400 }, (_, own) => ({
      modules: { main: sourceOf(own) },
      placement: placementOf(own),
    }));
    const batch = runtime.batch.create(specs);
    for (let kills = 0; kills < 3; kills++) {
      const { done } = batch.progress;
      await until(
        "it goes on",
        () => batch.progress.done > done + 20 || batch.progress.done === specs.length,
      );
      await broken.signal(
        "SIGKILL",
        (await runtime.metrics()).cells.slice(0, 2).map(({ pid }) => pid),
      );
    }
    const results = await fulfilled("batch", batch);
    assert.deepEqual(
      results.flatMap((result) => (result.ok ? [] : [String(result.error)])),
      [],
    );
    const answers = runtime.batch.call<number>(
      results.map(({ sandboxId }) => sandboxId),
      "main.own",
      { repeatable: true },
    );
    assert.ok(
      (await fulfilled("answers", answers)).every((outcome) => outcome.ok && outcome.value === outcome.index),
    );
  });

  test("while a sandbox is loaded does not prevent its creation", async () => {
    await using broken = await startBreakable();
    const slow = `await new Promise((resolve) => setTimeout(resolve, 150)); export const f = () => 7;`;
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      await broken.whole();
      const creation = broken.runtime.create(`a-${signal}`, { modules: { main: slow } });
      await until("it is at a cell", async () =>
        (await broken.runtime.metrics()).cells.some(({ inFlight }) => inFlight > 0),
      );
      await broken.signal(signal, [await broken.cellOf(`a-${signal}`)]);
      const sandbox = await fulfilled("create", creation);
      assert.equal(kindOf(await sandbox.call("main.f")), "ok");
    }
  });

  test("while sandboxes are destroyed leaves none of them", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const made = await runtime.batch.create(
      Array.from({ length: 60 }, (_, own) => ({ modules: { main: sourceOf(own) } })),
    );
    const ids = made.map(({ sandboxId }) => sandboxId);
    const calls = runtime.batch.call(ids, "main.later", { args: [1], repeatable: true });
    const ends = runtime.batch.destroy(ids);
    await broken.signal("SIGKILL");
    assert.ok((await fulfilled("destroy", ends)).every(({ ok }) => ok));
    await fulfilled("calls", calls);
    assert.equal((await runtime.list()).length, 0);
    await broken.whole();
    assert.ok((await runtime.metrics()).cells.every(({ sandboxes }) => sandboxes === 0));
  });

  test("or stopped while the runtime is closed does not prevent it from closing", async () => {
    for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
      const broken = await startBreakable({ cells: { count: 2 } });
      const { runtime } = broken;
      const pids = (await runtime.metrics()).cells.map(({ pid }) => pid);
      const made = await runtime.batch.create(
        Array.from({ length: 20 }, (_, own) => ({ modules: { main: sourceOf(own) } })),
      );
      const calls = runtime.batch.call(
        made.map(({ sandboxId }) => sandboxId),
        "main.long",
        { args: [1] },
      );
      await broken.signal(signal, pids.slice(0, 2));
      await fulfilled("close", runtime.close());
      await settled("calls", calls);
      assert.ok(!pids.some(isAlive));
    }
  });

  test("while it is being started does not prevent the runtime from closing, nor outlives it", async () => {
    const broken = await startBreakable({ cells: { count: 1, spare: 2 } });
    const { runtime } = broken;
    await broken.signal("SIGKILL");
    await until("others are being started", async () => (await runtime.health()).cells.starting);
    await fulfilled("close", runtime.close());
    assert.equal((await runtime.health()).status, "closed");
  });
});
