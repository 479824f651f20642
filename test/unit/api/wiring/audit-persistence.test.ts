// The audit log in a store: what changed is written, what was dropped is removed, and a store that fails loses nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AuditPersistence } from "../../../../src/api/wiring/audit-persistence.ts";
import { Audit, type AuditNote } from "../../../../src/security/audit.ts";
import { nextTurn } from "../../../../src/std/clock.ts";
import { FakeClock } from "../../../../src/testing/index.ts";
import { breakableDocuments, full } from "../../../support/breakable-documents.ts";

const collection = "vivarium.audit";
const place = { what: "fs", module: "main", line: 1, column: 2 };
const note = (sandboxId: string, more: Partial<AuditNote> = {}): AuditNote => ({
  sandboxId,
  profile: "medium",
  kind: "denied",
  rule: "import",
  ...place,
  ...more,
});

async function starting(store = breakableDocuments(), entriesMax = 5) {
  const clock = new FakeClock();
  const audit = new Audit(
    { entriesMax, memoryBytesMax: 2 ** 20 },
    () => clock.now(),
    () => {},
  );
  const persistence = new AuditPersistence(audit, store.documents, clock);
  await persistence.load();
  const deny = (...ids: readonly string[]): void => {
    for (const id of ids) audit.record("everything", note(id));
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  return { store, clock, audit, persistence, deny, pass };
}

test("an opened audit log has the entries of the one before it, their counts, and its size", async () => {
  const before = await starting();
  before.deny("a", "b", "a");
  before.audit.record("everything", note("a", { what: "net", module: "other" }));
  await before.persistence.close();
  const after = await starting(before.store);
  assert.deepEqual(after.audit.query({}), before.audit.query({}));
  assert.deepEqual(after.audit.statistics(), before.audit.statistics());
  assert.deepEqual(after.store.writes, [[collection, 2]]);
  // What goes on soon after is the same entry still.
  after.deny("b", "c");
  assert.deepEqual(
    after.audit.query({}).map(({ sandboxId, count }) => `${sandboxId} ${count}`),
    ["a 3", "b 2", "c 1"],
  );
  await after.persistence.close();
  assert.deepEqual((await starting(after.store)).audit.query({}), after.audit.query({}));
});

test("a flood is one write in a while", async () => {
  const { store, deny, pass } = await starting();
  for (let time = 0; time < 1_000; time++) deny("a");
  await pass(100);
  assert.deepEqual(store.writes, [[collection, 1]]);
});

test("what was dropped is removed from the store, and numbers go on", async () => {
  const { store, deny, persistence, audit } = await starting();
  deny("a", "b", "c", "d", "e", "f", "g");
  await persistence.close();
  const after = await starting(store);
  after.deny("h");
  await after.persistence.close();
  const keys = (await store.documents.read(collection)).map(([key]) => Number(key));
  assert.deepEqual(keys, [4, 5, 6, 7, 8]);
  assert.deepEqual([audit.statistics().dropped, after.audit.statistics().entries], [2, 5]);
});

test("a lower bound drops the oldest from the store", async () => {
  const { store, deny, persistence } = await starting();
  deny("a", "b", "c");
  await persistence.close();
  const after = await starting(store, 1);
  await after.persistence.close();
  assert.deepEqual(
    (await store.documents.read(collection)).map(([key]) => Number(key)),
    [3],
  );
});

test("a store that fails for a while gets everything later", async () => {
  const { store, deny, pass, audit } = await starting();
  store.before = full;
  deny("a", "b");
  await pass(20);
  deny("a");
  await pass(5_000);
  assert.deepEqual(store.writes, []);
  store.before = () => {};
  await pass(1_000);
  assert.deepEqual((await starting(store)).audit.query({}), audit.query({}));
});

test("rows that are damaged are removed", async () => {
  const store = breakableDocuments();
  await store.documents.write(
    collection,
    new Map<string, unknown>([
      ["0000000000000001", 7],
      ["0000000000000002", { sandboxId: "a" }],
    ]),
  );
  const { audit, persistence } = await starting(store);
  assert.deepEqual(audit.query({}), []);
  await persistence.close();
  assert.deepEqual(await store.documents.read(collection), []);
});
