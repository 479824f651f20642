// Sources and states that were changed behind the runtime's back: the sandbox whose they are is failed with the reason and can
// be looked at, the report of the start says so, and the others run.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorOf } from "../../support/errors.ts";
import { Folder } from "../../support/folders.ts";
import { contentsOf, counter, next, open, plain, seenIn, sql, tagOf } from "./folders.ts";

const sourceOf = (id: string): string =>
  `hash = (SELECT source FROM versions JOIN sandboxes ON number = sandbox WHERE id = '${id}')`;

interface Damage {
  readonly id: string;
  readonly by: string;
  readonly reason: RegExp;
}
const damages: Readonly<Record<string, Damage>> = {
  "a source that was cut off": {
    id: "a",
    by: `UPDATE blobs SET text = substr(text, 1, 9) WHERE ${sourceOf("a")}`,
    reason:
      /the source of module "main", version 1, is damaged in the store: its SHA-256 must be \w+: it is \w+/,
  },
  "a source in which one character was changed": {
    id: "b",
    by: `UPDATE blobs SET text = replace(text, 'tag', 'tah') WHERE ${sourceOf("b")}`,
    reason: /is damaged in the store: its SHA-256 must be/,
  },
  "a source that was deleted": {
    id: "a",
    by: `DELETE FROM blobs WHERE ${sourceOf("a")}`,
    reason: /is damaged in the store: it is missing/,
  },
  "states that were cut off": {
    id: "b",
    by: "UPDATE states SET capture = substr(capture, 1, 9) WHERE sandbox = (SELECT number FROM sandboxes WHERE id = 'b')",
    reason: /the column "capture" is damaged in the store/,
  },
};

suite("a sandbox with", () => {
  for (const [what, { id, by, reason }] of Object.entries(damages))
    test(`${what} is failed with the reason and stays, and the others run`, async () => {
      using folder = new Folder();
      await using first = await open(folder.path);
      await first.runtime.create("a", plain(1));
      for (const [name, tag] of [
        ["b", 2],
        ["c", 3],
      ] as const)
        await next(await first.runtime.create(name, counter(tag)));
      await first.runtime.create("d", plain(4));
      const all = await seenIn(first.runtime);
      await first.runtime.close();
      sql(folder.path, `${by} RETURNING 1`);
      await using second = await open(folder.path);
      const { runtime } = second;
      const { status, reason: why } = await runtime.info(id);
      assert.equal(status, "failed");
      assert.match(why ?? "", reason);
      const { recovered } = (await runtime.health()).store;
      assert.deepEqual(
        [recovered?.sandboxes, recovered?.failed, recovered?.problems],
        [4, 1, [`Sandbox "${id}" has failed: ${why}`]],
      );
      const { [id]: _, ...others } = all;
      const { [id]: damaged, ...found } = await seenIn(runtime);
      assert.deepEqual(found, others);
      assert.match(damaged ?? "", /^failed /);
      assert.equal(await next(await runtime.get("c")), 2);
      assert.equal(await tagOf(await runtime.get("d")), 4);
      // Without its source it does not run as something else; without its states it begins anew, where its owner wants that.
      if (by.includes("blobs")) await errorOf(() => runtime.restart(id), "SANDBOX_NOT_RUNNING");
      await runtime.close();
      await using last = await open(folder.path);
      assert.equal((await last.runtime.info(id)).reason, why);
      await last.runtime.destroy(id);
      await last.runtime.create(id, plain(9));
      await last.runtime.close();
    });
});

test("a version that is damaged and not current is left out: restart() runs the current one, and there is no way back to it", async () => {
  using folder = new Folder();
  await using first = await open(folder.path);
  const sandbox = await first.runtime.create("a", plain(1));
  for (const tag of [2, 3]) await sandbox.hotReload(plain(tag).modules ?? {});
  await first.runtime.close();
  sql(folder.path, "UPDATE blobs SET text = 'x' WHERE text LIKE '%tag = () => 2;' RETURNING 1");
  await using second = await open(folder.path);
  const again = await second.runtime.get("a");
  assert.match((await again.info()).reason ?? "", /version 2, is damaged in the store/);
  await again.restart();
  assert.equal(await tagOf(again), 3);
  await errorOf(() => again.rollback("main", 2), "VERSION_NOT_FOUND");
  await again.rollback("main", 1);
  assert.equal(await tagOf(again), 1);
  await second.runtime.close();
  assert.deepEqual(await contentsOf(folder.path), { a: "running revision 4 code 3" });
});
