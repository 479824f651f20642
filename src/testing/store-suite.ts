// What every store must do, as a suite that its author can run with any test runner.
import { defaultLimits } from "../model/limits.ts";
import { individualFormat } from "../model/sandboxes/individual.ts";
import { seedAncestry } from "../model/sandboxes/ancestry.ts";
import { assert } from "../std/assert.ts";
import { documentsPage } from "../store/memory.ts";
import type { Store, StoredSandbox, Tombstone } from "../store/store.ts";

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
  const check = (name: string, act: Act): Check => ({
    name,
    run: async () => act(await fresh()),
  });
  return [
    check("a new store opens empty", async (open) => {
      assert((await reopened(open)).length === 0, "nothing is kept in a new store");
    }),
    check(
      "what was saved is there when the store is opened again, in the order of creation",
      async (open) => {
        const store = open();
        await store.open();
        await store.save(sandbox("b"));
        await store.save(sandbox("a"));
        await store.close();
        const ids = (await reopened(open)).map(({ id }) => id);
        assert(ids.join() === "b,a", "saved sandboxes are given back in the order of creation");
      },
    ),
    check("saving again replaces what was kept", async (open) => {
      const store = open();
      await store.open();
      await store.save(sandbox("a"));
      await store.save(sandbox("a", { createdAt: 2, labels: { kind: "new" } }));
      await store.close();
      const kept = await reopened(open);
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
      assert((await reopened(open)).length === 0, "a removed sandbox does not come back");
    }),
    ...optionalChecks.map(({ name, act }) => check(name, act)),
  ];
}

type Act = (open: () => Store) => Promise<void>;

/** What is stored, read by a store that is closed again. */
async function reopened(open: () => Store): Promise<readonly StoredSandbox[]> {
  const store = open();
  const stored = await store.open();
  await store.close();
  return stored;
}

/** Of what a store may leave out; one that does passes. */
const optionalChecks: readonly { readonly name: string; readonly act: Act }[] = [
  { name: "saveState() changes the states of a stored sandbox, and nothing else", act: checkStates },
  { name: "saveRecord() changes the record of a stored sandbox, and nothing else", act: checkRecords },
  { name: "remove() leaves a tombstone until the id is used again, the oldest first", act: checkTombstones },
  {
    name: "documents are there when the store is opened again, in the order of their keys",
    act: checkDocuments,
  },
  { name: "what is read of documents begins after a key", act: checkPages },
];

async function checkStates(open: () => Store): Promise<void> {
  const store = open();
  await store.open();
  await store.save(sandbox("a", { labels: { kind: "x" }, state: null }));
  const state = { servers: [{ path: "", key: "k", version: null, state: "1" }], children: [] };
  await store.saveState?.("a", state);
  await store.saveState?.("never", state);
  const isOptional = store.saveState === undefined;
  await store.close();
  const [kept, ...more] = await reopened(open);
  assert(kept?.labels["kind"] === "x" && more.length === 0, "what is not a state stays as it was");
  assert(isOptional || JSON.stringify(kept.state) === JSON.stringify(state), "the states are the latest");
}

async function checkRecords(open: () => Store): Promise<void> {
  const store = open();
  await store.open();
  await store.save(sandbox("a", { labels: { kind: "x" } }));
  const record = {
    status: "failed",
    reason: "why",
    blameless: true,
    restarts: 2,
    lastError: null,
    fitness: null,
  } as const;
  await store.saveRecord?.("a", record);
  await store.saveRecord?.("never", record);
  const isOptional = store.saveRecord === undefined;
  await store.close();
  const [kept, ...more] = await reopened(open);
  assert(kept?.labels["kind"] === "x" && more.length === 0, "what is not the record stays as it was");
  const { status, reason, blameless, restarts } = kept.record ?? {};
  const isKept = status === "failed" && reason === "why" && blameless === true && restarts === 2;
  assert(isOptional || isKept, "the record is the latest");
}

async function checkTombstones(open: () => Store): Promise<void> {
  const store = open();
  await store.open();
  for (const id of ["b", "a", "c", "d"]) {
    await store.save(sandbox(id));
    // A store gives back whatever it was given here.
    await store.remove(id, { info: { id } as unknown as Tombstone["info"], logs: [] });
  }
  await store.save(sandbox("a"));
  await store.remove("d");
  await store.close();
  const again = open();
  await again.open();
  const ids = (await again.tombstones?.())?.map(({ info }) => info.id);
  await again.close();
  assert(ids === undefined || ids.join() === "b,c", "tombstones are those of the removed, the oldest first");
}

async function checkDocuments(open: () => Store): Promise<void> {
  const store = open();
  await store.open();
  await store.documents?.write(
    "one",
    new Map<string, unknown>(Object.entries({ b: 1, a: { x: [null] }, c: 2 })),
  );
  await store.documents?.write(
    "one",
    new Map<string, unknown>(Object.entries({ b: 3, c: undefined, d: "d" })),
  );
  await store.documents?.write("two", new Map([["a", 9]]));
  await store.close();
  const again = open();
  await again.open();
  const rows = await again.documents?.read("one");
  await again.close();
  const expected = [
    ["a", { x: [null] }],
    ["b", 3],
    ["d", "d"],
  ];
  assert(rows === undefined || JSON.stringify(rows) === JSON.stringify(expected), "the latest rows are kept");
}

async function checkPages(open: () => Store): Promise<void> {
  const store = open();
  await store.open();
  const rows = Array.from(
    { length: documentsPage + 2 },
    (_, index) => [String(100_000 + index), index] as const,
  );
  await store.documents?.write("one", new Map(rows));
  const first = await store.documents?.read("one");
  const second = await store.documents?.read("one", first?.at(-1)?.[0]);
  await store.close();
  const isWhole =
    first?.length === documentsPage && second?.length === 2 && second[1]?.[1] === documentsPage + 1;
  assert(
    first === undefined || isWhole,
    `a page has ${documentsPage} rows, and the next one goes on behind it`,
  );
}
