// The suite for stores passes for the store in memory, and notices stores that break their promises.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, type Store, type StoredSandbox } from "../../../src/index.ts";
import type { Documents, Tombstone } from "../../../src/store/store.ts";
import { storeSuite } from "../../../src/testing/index.ts";

const suiteOf = (make: () => Store): ReturnType<typeof storeSuite> =>
  storeSuite(() => {
    const store = make();
    return Promise.resolve(() => store);
  });

for (const { name, run } of suiteOf(() => new MemoryStore())) test(`MemoryStore: ${name}`, run);

class ForgetfulStore extends MemoryStore {
  override save(): Promise<void> {
    return Promise.resolve();
  }
}

class StubbornStore extends MemoryStore {
  override remove(): Promise<void> {
    return Promise.resolve();
  }
}

class SortingStore extends MemoryStore {
  override async open(): Promise<readonly StoredSandbox[]> {
    return [...(await super.open())].sort((a, b) => a.id.localeCompare(b.id));
  }
}

class FirstWinsStore extends MemoryStore {
  readonly #ids = new Set<string>();
  override save(sandbox: StoredSandbox): Promise<void> {
    if (this.#ids.has(sandbox.id)) return Promise.resolve();
    this.#ids.add(sandbox.id);
    return super.save(sandbox);
  }
}

class OldStatesStore extends MemoryStore {
  override saveState(): Promise<void> {
    return Promise.resolve();
  }
}

class OldRecordsStore extends MemoryStore {
  override saveRecord(): Promise<void> {
    return Promise.resolve();
  }
}

class NewestTombstoneFirstStore extends MemoryStore {
  override async tombstones(): Promise<readonly Tombstone[]> {
    return (await super.tombstones()).toReversed();
  }
}

class UnsortedDocumentsStore extends MemoryStore {
  override readonly documents: Documents = {
    write: (collection, rows) => this.#sorted.write(collection, rows),
    read: async (collection, after) => (await this.#sorted.read(collection, after)).toReversed(),
  };
  readonly #sorted = new MemoryStore().documents;
}

test("the suite passes for a store that has only what every store must have", async () => {
  const bare = (): Store => {
    const store = new MemoryStore();
    return {
      open: () => store.open(),
      save: (sandbox) => store.save(sandbox),
      remove: (id) => store.remove(id),
      close: () => store.close(),
    };
  };
  for (const { run } of suiteOf(bare)) await run();
});

for (const Broken of [
  OldStatesStore,
  OldRecordsStore,
  NewestTombstoneFirstStore,
  UnsortedDocumentsStore,
  ForgetfulStore,
  StubbornStore,
  SortingStore,
  FirstWinsStore,
]) {
  test(`the suite fails for a ${Broken.name}`, async () => {
    const results = await Promise.allSettled(suiteOf(() => new Broken()).map(({ run }) => run()));
    assert.ok(results.some(({ status }) => status === "rejected"));
  });
}
