// What is in the store is not lost by a start that cannot use it, and is written only where it changed.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  createRuntime,
  MemoryStore,
  type Outcome,
  type Sandbox,
  type StateCapture,
  type StoredSandbox,
} from "../../src/index.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { startBreakable } from "../support/breakable.ts";
import { startRuntime } from "../support/runtimes.ts";
import { scaledMs } from "../support/machine.ts";
import { fulfilled, rejectionCode, until } from "../support/waiting.ts";

const cells = { count: 1, spare: 0, warm: 1 };
const plain = (n: number): string => `export const f = () => ${n};`;
const counter = `import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "c", init: () => 0, handleCall: (m, n) => ({ reply: n + 1, state: n + 1 }) });
  export default supervisor({ children: [{ id: "c", start: Counter }] });`;

/** A store that outlives its runtimes and counts its requests. */
class CountingStore extends MemoryStore {
  saves = 0;
  states = 0;
  /** What must be done before states are saved. */
  beforeStates: () => Promise<void> = () => Promise.resolve();
  override save(sandbox: StoredSandbox): Promise<void> {
    this.saves++;
    return super.save(sandbox);
  }
  override async saveState(id: string, state: StateCapture): Promise<void> {
    this.states++;
    await this.beforeStates();
    return super.saveState(id, state);
  }
  async ids(): Promise<string[]> {
    return (await this.open()).map(({ id }) => id).sort();
  }
}

async function filled(): Promise<CountingStore> {
  const store = new CountingStore();
  await using runtime = await createRuntime({
    store,
    cells,
    capabilities: { charge: () => 1 },
    profiles: { odd: { base: "medium" } },
  });
  await runtime.create("a", { modules: { main: plain(1) }, capabilities: ["charge"] });
  await runtime.create("b", { modules: { main: plain(2) }, profile: "odd" });
  for (const id of ["c", "d", "e"]) await runtime.create(id, { modules: { main: plain(3) } });
  return store;
}

suite("a start with a filled store", () => {
  test("restores as failed, with the reason, what needs a capability or a profile that is unknown now, and the others as running", async () => {
    const store = await filled();
    await using runtime = await createRuntime({ store, cells });
    const statuses = (await runtime.list()).map(({ id, status }) => `${id} ${status}`).sort();
    assert.deepEqual(statuses, ["a failed", "b failed", "c running", "d running", "e running"]);
    assert.match((await runtime.info("a")).reason ?? "", /charge/);
    const odd = await runtime.info("b");
    assert.match(odd.reason ?? "", /odd/);
    assert.equal(odd.profile, "odd");
    assert.deepEqual(await store.ids(), ["a", "b", "c", "d", "e"]);
    await runtime.collect();
    assert.deepEqual(await store.ids(), ["a", "b", "c", "d", "e"]);
    assert.equal(await rejectionCode("restart", runtime.restart("b")), "SANDBOX_NOT_RUNNING");
    await runtime.destroy("b");
    assert.deepEqual(await store.ids(), ["a", "c", "d", "e"]);
  });

  test("finds all of them again when what was missing is there", async () => {
    const store = await filled();
    await (await createRuntime({ store, cells })).close();
    const profiles = { odd: { base: "medium" } };
    await using runtime = await createRuntime({ store, cells, profiles, capabilities: { charge: () => 1 } });
    assert.deepEqual(
      (await runtime.list()).map(({ status }) => status),
      ["running", "running", "running", "running", "running"],
    );
  });

  test("that finds no cell for them loses none of them", async () => {
    const store = await filled();
    await using broken = await startBreakable({ cells: { ...cells, waitMs: 50, sandboxesMax: 1 }, store });
    const { runtime } = broken;
    assert.equal((await runtime.list()).length, 5);
    assert.deepEqual(await store.ids(), ["a", "b", "c", "d", "e"]);
  });

  test("that finds no cell for one saves its states again once it was restarted", async () => {
    const store = new CountingStore();
    const spec = { modules: { main: counter }, supervisor: "main", checkpoint: { everyMs: 10 } } as const;
    await using first = await createRuntime({ store, cells });
    for (const id of ["a", "b"]) await first.create(id, spec);
    await first.close();
    await using broken = await startBreakable({ cells: { ...cells, waitMs: 50, sandboxesMax: 1 }, store });
    const { runtime } = broken;
    await until("one is refused, and one is loaded", async () => {
      return (await runtime.list({ status: "creating" })).length === 0;
    });
    const [failed] = await runtime.list({ status: "failed" });
    const [running] = await runtime.list({ status: "running" });
    assert.ok(failed !== undefined && running !== undefined);
    await runtime.destroy(running.id);
    await runtime.restart(failed.id);
    const { states } = store;
    await until("it is written down", () => store.states > states + 1);
  });
});

suite("a store that is slow for the states of one sandbox", () => {
  const later = `export const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms, ms));`;

  /** Two sandboxes in one cell, and a store that saves no states before it is released. */
  const slowed = async (): Promise<{ asked: Promise<Outcome>; a: Sandbox; b: Sandbox; goOn: () => void }> => {
    const store = new CountingStore();
    const runtime = await startRuntime({ store, cells: { count: 1, spare: 0 } });
    const spec = { modules: { main: counter, later }, supervisor: "main", checkpoint: "message" } as const;
    const a = await runtime.create("a", spec);
    const b = await runtime.create("b", { modules: { later } });
    const begun = Promise.withResolvers<void>();
    const kept = Promise.withResolvers<void>();
    store.beforeStates = () => {
      begun.resolve();
      return kept.promise;
    };
    const asked = Promise.resolve(a.ask("c", "next"));
    await begun.promise;
    return { asked, a, b, goOn: kept.resolve };
  };

  test("does not delay its neighbours", async () => {
    const { asked, b, goOn } = await slowed();
    const outcome = await fulfilled("the call", b.call("later.later", { args: [20] }));
    assert.equal(outcome.ok && outcome.value, 20);
    goOn();
    assert.equal((await asked).ok, true);
  });

  test("does not make runs late that were done in time", async () => {
    const { asked, a, b, goOn } = await slowed();
    // The run itself has time also on a machine that is held up for a moment: its result comes after that time all the same.
    const timeoutMs = Math.ceil(scaledMs(1_500));
    const call = a.call("later.later", { args: [20], timeoutMs });
    // Long enough for the check of deadlines to have run.
    const passed = b.call("later.later", { args: [timeoutMs + 1_000], timeoutMs: 300_000 });
    await fulfilled("the time", passed);
    goOn();
    const outcome = await call;
    assert.equal(outcome.ok ? outcome.value : outcome.error.message, 20);
    assert.equal((await asked).ok, true);
  });
});

suite("what is saved after every message", () => {
  test("is the states alone: the sources are written once", async () => {
    const store = new CountingStore();
    const runtime = await startRuntime({ store });
    const spec = { modules: { main: counter }, supervisor: "main", checkpoint: "message" } as const;
    const sandbox = await runtime.create("s", spec);
    const { saves } = store;
    for (const n of [1, 2, 3]) {
      const outcome = await sandbox.ask("c", "next");
      assert.equal(outcome.ok && outcome.value, n);
    }
    assert.equal(store.saves, saves);
    assert.ok(store.states >= 3, `${store.states} times`);
  });

  test("and once cannot be saved fails the sandbox, but leaves its record: it can be restarted at any time", async () => {
    const store = new CountingStore();
    const clock = new FakeClock({ now: 1_000 });
    await using runtime = await createRuntime({ store, clock, cells });
    const spec = { modules: { main: counter }, supervisor: "main", checkpoint: "message" } as const;
    const sandbox = await runtime.create("s", spec);
    await sandbox.ask("c", "next");
    store.beforeStates = () => Promise.reject(new TypeError("the disk is busy"));
    assert.equal((await sandbox.ask("c", "next")).ok, false);
    store.beforeStates = () => Promise.resolve();
    const gaveUp = new AbortController();
    clock.advance(3_600_000);
    await runtime.collect();
    assert.deepEqual([(await runtime.info("s")).status, await store.ids()], ["failed", ["s"]]);
    const restart = sandbox.restart({ signal: gaveUp.signal });
    gaveUp.abort();
    assert.equal(await rejectionCode("the restart", restart), "CANCELLED");
    clock.advance(3_600_000);
    await runtime.collect();
    assert.deepEqual([(await runtime.info("s")).status, await store.ids()], ["failed", ["s"]]);
    await sandbox.restart();
    const { state } = await sandbox.export();
    assert.ok(Number(state?.servers[0]?.state) >= 1, "what was answered is there");
  });

  test("includes restoreState(); where that is refused, the states saved before are used", async () => {
    const store = new CountingStore();
    const runtime = await startRuntime({ store });
    const sandbox = await runtime.create("s", { modules: { main: counter }, supervisor: "main" });
    await sandbox.ask("c", "next");
    const capture = await sandbox.checkpoint();
    for (let n = 0; n < 3; n++) await sandbox.ask("c", "next");
    await sandbox.restoreState(capture);
    assert.deepEqual((await store.open())[0]?.state, capture);
    const again = await sandbox.ask("c", "next");
    assert.equal(again.ok && again.value, 2);
    const changed = { ...capture, servers: [] };
    const refused = sandbox.restoreState(changed, { signal: AbortSignal.abort() });
    assert.equal(await rejectionCode("restoreState", refused), "CANCELLED");
    assert.deepEqual((await store.open())[0]?.state, capture);
    assert.equal((await sandbox.info()).status, "running");
  });
});
