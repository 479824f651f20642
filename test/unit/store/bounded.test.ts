// A store of the caller's own may be gone: whoever waits for it is told so in the end.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { MemoryStore, type Store } from "../../../src/index.ts";
import { BoundedStore, storeMs } from "../../../src/store/bounded.ts";
import { FakeClock } from "../../../src/testing/index.ts";

suite("a store that is gone", () => {
  const never = (): Promise<never> => new Promise(() => {});
  const gone: Store = { open: never, save: never, remove: never, close: never };

  for (const [name, ask] of Object.entries<(store: Store) => Promise<unknown>>({
    open: (store) => store.open(),
    save: (store) => store.save({} as never),
    remove: (store) => store.remove("a"),
    close: (store) => store.close(),
  })) {
    test(`${name}() ends all the same, and says how long it had`, async () => {
      const clock = new FakeClock();
      const asked = ask(new BoundedStore(gone, clock));
      clock.advance(storeMs);
      await assert.rejects(asked, new RegExp(`${name}\\(\\) must be done within ${storeMs} ms`));
    });
  }

  test("one that is there answers as it would alone", async () => {
    const store = new BoundedStore(new MemoryStore(), new FakeClock());
    assert.deepEqual(await store.open(), []);
    await store.close();
  });
});
