// A data folder behaves as the store in memory does, whatever is asked of it in whatever order.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { IndividualVersion } from "../../../../src/model/sandboxes/individual.ts";
import type { DataFolder } from "../../../../src/store/folder/data-folder.ts";
import { MemoryStore } from "../../../../src/store/memory.ts";
import type { Store, StoredSandbox, Tombstone } from "../../../../src/store/store.ts";
import { capture, dataFolder, endWriter, record, stored, version } from "../../../support/data-folders.ts";
import { Folder } from "../../../support/folders.ts";

/** Both stores do the same; a batch is sent without waiting in between. */
type Step =
  | { readonly step: "batch"; readonly acts: readonly ((store: Store) => Promise<unknown> | undefined)[] }
  | { readonly step: "reopen" | "end writer" | "compare" };

const ids = fc.constantFrom("a", "b", "c", "d");
const keys = fc.constantFrom("k1", "k2", "k3", "__proto__");
const collections = fc.constantFrom("one", "two");
const sources = fc.constantFrom("export const n = 1;", "export const n = 2;", "", "// é\u{1f600}\0");

const versions = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), sources, fc.option(fc.jsonValue())), {
    selector: ([number]) => number,
    minLength: 1,
    maxLength: 3,
  })
  .map((entries): readonly IndividualVersion[] =>
    entries
      .sort(([a], [b]) => a - b)
      .map(([number, source, mutation]) => version(number, source, { mutation: plain(mutation) })),
  );

// As JSON has it: no negative zero, and nothing that is named like a prototype's.
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

const records = fc
  .record({
    status: fc.constantFrom("running", "suspended", "failed"),
    reason: fc.option(fc.string({ unit: "grapheme" })),
    blameless: fc.boolean(),
    restarts: fc.nat(),
  })
  .map((fields) => record(fields));
const states = fc.string({ unit: "grapheme" }).map((text) => capture(text));

const sandboxes = fc
  .record({
    id: ids,
    createdAt: fc.nat(),
    modules: fc.dictionary(fc.constantFrom("main", "lib/x", "z"), versions, {
      minKeys: 1,
      noNullPrototype: true,
    }),
    labels: fc.dictionary(fc.constantFrom("x", "y"), fc.string(), { noNullPrototype: true }),
    record: records,
    state: fc.option(states, { freq: 2 }),
    hasState: fc.boolean(),
  })
  .map(({ id, state, hasState, ...fields }): StoredSandbox => {
    const heads = Object.fromEntries(
      Object.entries(fields.modules).map(([name, log]) => [name, log.at(-1)?.version ?? 1]),
    );
    return stored(id, { ...fields, revisions: [{ revision: 1, heads }], ...(hasState ? { state } : {}) });
  });

const tombstoneOf = (id: string, line: string): Tombstone =>
  // Any data is kept.
  ({ info: { id }, logs: [{ text: line }] }) as unknown as Tombstone;

const acts = fc.oneof(
  { weight: 4, arbitrary: sandboxes.map((sandbox) => (store: Store) => store.save(sandbox)) },
  {
    weight: 2,
    arbitrary: fc.tuple(ids, states).map(
      ([id, state]) =>
        (store: Store) =>
          store.saveState?.(id, state),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(ids, records).map(
      ([id, value]) =>
        (store: Store) =>
          store.saveRecord?.(id, value),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(ids, fc.option(fc.string())).map(
      ([id, line]) =>
        (store: Store) =>
          store.remove(id, line === null ? undefined : tombstoneOf(id, line)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        collections,
        fc.array(fc.tuple(keys, fc.option(fc.jsonValue(), { nil: undefined })), { maxLength: 4 }),
      )
      .map(
        ([collection, rows]) =>
          (store: Store) =>
            store.documents?.write(collection, new Map(rows)),
      ),
  },
);

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc
        .array(acts, { minLength: 1, maxLength: 8 })
        .map((batch): Step => ({ step: "batch", acts: batch })),
    },
    { weight: 2, arbitrary: fc.constant<Step>({ step: "reopen" }) },
    { weight: 1, arbitrary: fc.constant<Step>({ step: "end writer" }) },
    { weight: 2, arbitrary: fc.constant<Step>({ step: "compare" }) },
  ),
  { minLength: 1, maxLength: 16 },
);

/** Everything that can be read beside the sandboxes. */
async function readable(store: Store): Promise<unknown> {
  const documents = [];
  for (const collection of ["one", "two"])
    for (const after of [undefined, "k1"]) documents.push(await store.documents?.read(collection, after));
  return { documents, tombstones: await store.tombstones?.() };
}

async function drive(path: string, plan: readonly Step[]): Promise<void> {
  const memory = new MemoryStore();
  let folder: DataFolder = dataFolder(path);
  await folder.open();
  for (const step of [...plan, { step: "reopen" } as const]) {
    if (step.step === "batch") {
      const stores: readonly Store[] = [memory, folder];
      await Promise.all(stores.flatMap((store) => step.acts.map(async (act) => act(store))));
    } else if (step.step === "end writer") await endWriter(folder);
    else if (step.step === "compare") assert.deepEqual(await readable(folder), await readable(memory));
    else {
      await folder.close();
      folder = dataFolder(path);
      assert.deepEqual(await folder.open(), await memory.open());
      assert.deepEqual(await readable(folder), await readable(memory));
      assert.deepEqual(folder.damaged, []);
    }
  }
  await folder.close();
}

test("a data folder and a store in memory have the same after any requests, reopened or with a writer that ended", async () => {
  const property = fc.asyncProperty(steps, async (plan) => {
    using folder = new Folder();
    await drive(folder.at("data"), plan);
  });
  await fc.assert(property, { numRuns: 15 });
});
