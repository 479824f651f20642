// A record that could not be written is written later, but never over something newer.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { KnownVersions } from "../../../../src/store/folder/known-versions.ts";
import { OwedRecords } from "../../../../src/store/folder/owed-records.ts";
import { record, stored } from "../../../support/data-folders.ts";

const gone = { code: "STORE_FAILED", message: "disk full", isDisk: true } as const;
const [first, second] = [record({ restarts: 1 }), record({ restarts: 2 })];

function owing(): OwedRecords {
  const known = new KnownVersions();
  known.remember(stored("a"));
  return new OwedRecords(known);
}

suite("a record that could not be written", () => {
  test("is owed once, in its latest form", () => {
    const owed = owing();
    owed.begin("a", first)(gone);
    owed.begin("a", second)(gone);
    assert.deepEqual(owed.take(), [["a", second]]);
    assert.deepEqual(owed.take(), []);
  });

  test("is not owed where something later was written, or the request itself was at fault, or would fail again, or nothing is stored", () => {
    const owed = owing();
    owed.begin("a", first)(gone);
    owed.begin("a")();
    owed.begin("a", first)({ ...gone, isDisk: false });
    owed.begin("a", first)({ ...gone, isLasting: true });
    owed.begin("b", first)(gone);
    assert.deepEqual(owed.take(), []);
  });

  test("waits for the answers of later requests about the same sandbox", () => {
    const owed = owing();
    owed.begin("a", first)(gone);
    const [one, other] = [owed.begin("a"), owed.begin("a", second)];
    assert.deepEqual(owed.take(), []);
    one(gone);
    assert.deepEqual(owed.take(), []);
    other(gone);
    assert.deepEqual(owed.take(), [["a", second]]);
  });
});
