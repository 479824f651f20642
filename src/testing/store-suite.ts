// What every store must do, as a suite that its author can run with any test runner.
import { defaultLimits } from "../model/limits.ts";
import { individualFormat } from "../model/sandboxes/individual.ts";
import { seedAncestry } from "../model/sandboxes/ancestry.ts";
import { assert } from "../std/assert.ts";
import type { Store, StoredSandbox } from "../store/store.ts";

/** One promise that is checked: hand it to your test runner as name and body. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const sandbox = (id: string, more: Partial<StoredSandbox> = {}): StoredSandbox => ({
  format: individualFormat,
  id,
  createdAt: 1,
  modules: {
    main: [
      { version: 1, source: "export const n = 1", checksum: "", parent: null, mutation: null, createdAt: 1 },
    ],
  },
  revisions: [{ revision: 1, heads: { main: 1 } }],
  limits: defaultLimits,
  deterministic: null,
  ancestry: seedAncestry,
  labels: {},
  ...more,
});

/** The suite. `open` gives the same store each time it is called within one check; `fresh` an empty one. */
export function storeSuite(fresh: () => Promise<() => Store>): readonly Check[] {
  const check = (name: string, act: (open: () => Store) => Promise<void>): Check => ({
    name,
    run: async () => act(await fresh()),
  });
  return [
    check("a new store opens empty", async (open) => {
      assert((await open().open()).length === 0, "nothing is kept in a new store");
    }),
    check(
      "what was saved is there when the store is opened again, in the order of creation",
      async (open) => {
        const store = open();
        await store.open();
        await store.save(sandbox("b"));
        await store.save(sandbox("a"));
        await store.close();
        const ids = (await open().open()).map(({ id }) => id);
        assert(ids.join() === "b,a", "saved sandboxes are given back in the order of creation");
      },
    ),
    check("saving again replaces what was kept", async (open) => {
      const store = open();
      await store.open();
      await store.save(sandbox("a"));
      await store.save(sandbox("a", { createdAt: 2, labels: { kind: "new" } }));
      await store.close();
      const kept = await open().open();
      assert(kept.length === 1 && kept[0]?.createdAt === 2, "the latest state is kept, once");
      assert(kept[0]?.labels["kind"] === "new", "all of it");
    }),
    check("what was removed is gone, and removing what is not there is no mistake", async (open) => {
      const store = open();
      await store.open();
      await store.save(sandbox("a"));
      await store.remove("a");
      await store.remove("never");
      await store.close();
      assert((await open().open()).length === 0, "a removed sandbox does not come back");
    }),
  ];
}
