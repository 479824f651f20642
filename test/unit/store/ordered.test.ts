// A store may be unavailable: every request to it settles in bounded time.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { MemoryStore, type StateCapture, type Store, type StoredSandbox } from "../../../src/index.ts";
import { OrderedStore, storeMs } from "../../../src/store/ordered.ts";
import { FakeClock } from "../../../src/testing/index.ts";

suite("a store that does not answer", () => {
  const never = (): Promise<never> => new Promise(() => {});
  const gone: Store = { open: never, save: never, remove: never, close: never };

  for (const [name, ask] of Object.entries<(store: Store) => Promise<unknown>>({
    open: (store) => store.open(),
    save: (store) => store.save({} as never),
    remove: (store) => store.remove("a"),
    close: (store) => store.close(),
  })) {
    test(`${name}() ends all the same, with an error that names its time`, async () => {
      const clock = new FakeClock();
      const asked = ask(new OrderedStore(gone, clock));
      await Promise.resolve();
      clock.advance(storeMs);
      await assert.rejects(asked, new RegExp(`${name}\\(\\) must be done within ${storeMs} ms`));
    });
  }

  test("is closed all the same after the time for its open writes", async () => {
    const clock = new FakeClock();
    let closes = 0;
    const stuck: Store = { ...gone, close: async () => void closes++ };
    const store = new OrderedStore(stuck, clock);
    const saved = assert.rejects(store.save({ id: "a" } as never), /save\(\) must be done/);
    const closed = store.close();
    assert.equal(closes, 0);
    clock.advance(storeMs);
    await Promise.all([saved, closed]);
    assert.equal(closes, 1);
  });

  test("one that answers behaves as it would alone", async () => {
    const store = new OrderedStore(new MemoryStore(), new FakeClock());
    assert.deepEqual(await store.open(), []);
    await store.close();
  });
});

suite("writes of one sandbox", () => {
  /** A store that records its requests, and completes each when the test releases it. */
  const slow = (): { store: Store; log: string[]; finish: () => void } => {
    const log: string[] = [];
    const open: (() => void)[] = [];
    const asked = (what: string): Promise<void> => {
      log.push(what);
      return new Promise((resolve) => open.push(resolve));
    };
    const store: Store = {
      open: () => Promise.resolve([]),
      save: ({ id, createdAt }) => asked(`save ${id} ${createdAt}`),
      saveState: (id, { servers }) => asked(`state ${id} ${servers.length}`),
      remove: (id) => asked(`remove ${id}`),
      close: () => Promise.resolve(),
    };
    return { store, log, finish: () => open.shift()?.() };
  };
  const record = (id: string, createdAt: number): StoredSandbox => ({ id, createdAt }) as StoredSandbox;
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test("are made one after the other: a removal waits for the save before it, and what is in between is left out", async () => {
    const { store, log, finish } = slow();
    const ordered = new OrderedStore(store, new FakeClock());
    const writes = [ordered.save(record("a", 1)), ordered.save(record("a", 2)), ordered.remove("a")];
    await turn();
    assert.deepEqual(log, ["save a 1"]);
    finish();
    await turn();
    assert.deepEqual(log, ["save a 1", "remove a"]);
    finish();
    await Promise.all(writes);
  });

  test("are in order even where a write took longer than its callers wait", async () => {
    const { store, log, finish } = slow();
    const clock = new FakeClock();
    const ordered = new OrderedStore(store, clock);
    const late = ordered.save(record("a", 1));
    await Promise.resolve();
    clock.advance(storeMs);
    await assert.rejects(late);
    const removed = ordered.remove("a");
    await turn();
    assert.deepEqual(log, ["save a 1"]);
    finish();
    await turn();
    finish();
    await removed;
    assert.deepEqual(log, ["save a 1", "remove a"]);
  });

  test("do not delay those of another", async () => {
    const { store, log } = slow();
    const ordered = new OrderedStore(store, new FakeClock());
    for (const id of ["a", "b"]) void ordered.save(record(id, 1)).catch(() => {});
    await turn();
    assert.deepEqual(log, ["save a 1", "save b 1"]);
  });

  test("of states that wait are written once, with the latest", async () => {
    const { store, log, finish } = slow();
    const ordered = new OrderedStore(store, new FakeClock());
    const state = (count: number): StateCapture => ({
      servers: Array.from({ length: count }, () => ({ path: "", key: "", version: null, state: "" })),
      children: [],
    });
    const writes = [1, 2, 3, 4].map(async (count) => ordered.saveState?.("a", state(count)));
    await turn();
    finish();
    await turn();
    finish();
    await Promise.all(writes);
    assert.deepEqual(log, ["state a 1", "state a 4"]);
  });
});
