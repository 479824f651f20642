// The public API is written down in docs/api as it is built, so that no change of it goes unseen.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createTwoFilesPatch } from "diff";
import { reportsOf } from "../../tools/api/report.ts";
import { root } from "../e2e/program.ts";

const reports = reportsOf(root);
// Messages that processes receive: no signature names them, as a message may be anything.
const received = ["DownMessage", "ExitMessage"];
// What guests catch, and what they declare their own capabilities with.
const written = ["CapabilityError", "CapabilityFunction"];

suite("the report of the API", () => {
  for (const { path, text } of reports)
    test(`${path} is what was built; npm run api writes it`, () => {
      const before = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
      if (before === text) return;
      const difference = createTwoFilesPatch(path, "as built", before, text);
      assert.fail(`${path} is out of date: run npm run api, and tell users in CHANGELOG.md.\n${difference}`);
    });

  test("has no document of an entry that is gone", () => {
    const documents = globSync("docs/api/*", { cwd: root }).sort();
    assert.deepEqual(documents, reports.map(({ path }) => path).sort());
  });

  // A type that is derived from a constant needs only the type: the constant itself is none of a user's business.
  for (const { surface, unused } of reports)
    test(`${surface.entry} exports every type that its signatures use, and no other`, () => {
      const hidden = surface.hidden.filter(({ declaration }) => !declaration.isValue);
      assert.deepEqual(
        hidden.map(({ name }) => name),
        [],
      );
      assert.deepEqual(
        unused.filter((name) => ![...received, ...written].includes(name)),
        [],
      );
    });

  for (const { surface, entryFile } of reports)
    test(`lists of ${surface.entry} exactly what can be imported at run time, and types`, async () => {
      const imported = (await import(entryFile)) as object;
      const values = surface.exports.filter(
        ({ declaration, isTypeOnly }) => declaration.isValue && !isTypeOnly,
      );
      assert.deepEqual(values.map(({ name }) => name).sort(), Object.keys(imported).sort());
    });
});
