// What is damaged in a data folder costs the sandbox whose it is, and no other.
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { defaultLimits } from "../../../../src/model/limits.ts";
import { seedAncestry } from "../../../../src/model/sandboxes/ancestry.ts";
import type { StoredSandbox } from "../../../../src/store/store.ts";
import { capture, record, stored, version, withFolder } from "../../../support/data-folders.ts";
import { Folder } from "../../../support/folders.ts";

/** Three sandboxes, of which the second is then changed behind the folder's back. */
async function damagedFolder(folder: Folder, sql: string): Promise<void> {
  await withFolder(folder.path, async (data) => {
    const modules = { m: [version(1, "export const n = 1;"), version(2, "export const n = 2;")] };
    const revisions = [{ revision: 1, heads: { m: 2 } }];
    await data.save(stored("a"));
    await data.save(stored("b", { modules, revisions, state: capture("1"), labels: { kind: "x" } }));
    await data.save(stored("c"));
  });
  using database = new DatabaseSync(folder.at("vivarium.db"));
  database.exec(sql);
}

const blobOf = (number: number): string =>
  `hash = (SELECT source FROM versions WHERE module = 'm' AND version = ${number})`;

suite("a damaged sandbox", () => {
  const cases: Readonly<Record<string, { sql: string; why: RegExp; expect?: Partial<StoredSandbox> }>> = {
    "a changed source": {
      sql: `UPDATE blobs SET text = 'export const n = 6;' WHERE ${blobOf(2)}`,
      why: /^Cannot restore sandbox "b" as the source of module "m", version 2, is damaged in the store: its SHA-256 must be [0-9a-f]{64}: it is [0-9a-f]{64}$/,
      expect: {
        modules: {
          m: [version(1, "export const n = 1;"), { ...version(2, "export const n = 2;"), source: "" }],
        },
      },
    },
    "a lost source": {
      sql: `DELETE FROM blobs WHERE ${blobOf(1)}`,
      why: /the source of module "m", version 1, is damaged in the store: it is missing/,
    },
    "a lost version": {
      sql: "DELETE FROM versions WHERE module = 'm' AND version = 2",
      why: /module "m", version 2, is missing in the store/,
    },
    "cut limits": {
      sql: "UPDATE sandboxes SET limits = substr(limits, 1, 10) WHERE id = 'b'",
      why: /the column "limits" is damaged in the store: /,
      expect: { limits: defaultLimits },
    },
    "a number as ancestry": {
      sql: "UPDATE sandboxes SET ancestry = 7 WHERE id = 'b'",
      why: /the column "ancestry" is damaged in the store: got "7"|got 7/,
      expect: { ancestry: seedAncestry },
    },
    "labels that are no object": {
      sql: "UPDATE sandboxes SET labels = '[]' WHERE id = 'b'",
      why: /the column "labels"/,
      expect: { labels: {} },
    },
    "settings of bytes": {
      sql: "UPDATE sandboxes SET settings = x'00' WHERE id = 'b'",
      why: /the column "settings"/,
    },
    "cut revisions": {
      sql: "UPDATE sandboxes SET revisions = '[' WHERE id = 'b'",
      why: /the column "revisions"/,
      expect: { revisions: [] },
    },
    "settings that name what is not theirs": {
      sql: `UPDATE sandboxes SET settings = '{"id":"a","revisions":7,"createdAt":"x"}', restarts = 'x' WHERE id = 'b'`,
      why: /the column "restarts"/,
    },
    "restarts beyond all numbers": {
      sql: "UPDATE sandboxes SET restarts = 9223372036854775807 WHERE id = 'b'",
      why: /the column "restarts"/,
    },
    "a version beyond all numbers": {
      sql: "UPDATE versions SET version = 9223372036854775807 WHERE module = 'm' AND version = 2",
      why: /of module "m", version 9223372036854775807, the column "version"|version 2, is missing/,
    },
    "an unknown status": {
      sql: "UPDATE sandboxes SET status = 'odd' WHERE id = 'b'",
      why: /the column "status" is damaged in the store: got "odd"/,
    },
    "an unknown format": {
      sql: "UPDATE sandboxes SET format = 'vivarium.individual/9' WHERE id = 'b'",
      why: /its format must be vivarium.individual\/2: it is "vivarium.individual\/9"/,
    },
    "a cut fitness": {
      sql: "UPDATE sandboxes SET fitness = '{' WHERE id = 'b'",
      why: /the column "fitness"/,
    },
    "a text as age": {
      sql: "UPDATE sandboxes SET created_at = 'x' WHERE id = 'b'",
      why: /the column "created_at"/,
    },
    "cut states": {
      sql: "UPDATE states SET capture = '{'",
      why: /the column "capture"/,
      expect: { state: null },
    },
    "states of another form": { sql: "UPDATE states SET capture = '{}'", why: /the column "capture"/ },
    "a cut mutation": {
      sql: "UPDATE versions SET mutation = '{' WHERE module = 'm' AND version = 1",
      why: /of module "m", version 1, the column "mutation" is damaged/,
    },
  };
  for (const [name, { sql, why, expect = {} }] of Object.entries(cases))
    test(`comes back as failed without blame for ${name}, and the others as they were`, async () => {
      using folder = new Folder();
      await damagedFolder(folder, sql);
      await withFolder(folder.path, (data, [a, b, c, ...more]) => {
        assert.deepEqual([a, c, more], [stored("a"), stored("c"), []]);
        assert.equal(b?.id, "b");
        assert.match(b?.record?.reason ?? "", why);
        assert.deepEqual(
          b?.record,
          record({ status: "failed", blameless: true, reason: b?.record?.reason ?? "" }),
        );
        assert.deepEqual(data.damaged, [b?.record?.reason]);
        for (const [field, value] of Object.entries(expect))
          assert.deepEqual(b?.[field as keyof StoredSandbox], value);
      });
    });

  test("stays damaged when it is saved again, since its source is still unreadable", async () => {
    using folder = new Folder();
    await damagedFolder(folder, `UPDATE blobs SET text = 'x' WHERE ${blobOf(2)}`);
    const save = (): Promise<string | null | undefined> =>
      withFolder(folder.path, async (data, [, damaged]) => {
        assert.ok(damaged);
        await data.save(damaged);
        return damaged.record?.reason;
      });
    assert.match((await save()) ?? "", /its SHA-256 must be/);
    assert.match((await save()) ?? "", /its SHA-256 must be/);
  });

  test("is whole again when another sandbox with the same source is saved", async () => {
    using folder = new Folder();
    await damagedFolder(folder, `UPDATE blobs SET text = 'x' WHERE ${blobOf(2)}`);
    await withFolder(folder.path, (data) =>
      data.save(stored("d", { modules: { main: [version(1, "export const n = 2;")] } })),
    );
    await withFolder(folder.path, (data) => assert.deepEqual(data.damaged, []));
  });
});

suite("what else may be damaged", () => {
  test("a row whose id is not valid is left out, and said", async () => {
    using folder = new Folder();
    await damagedFolder(folder, "UPDATE sandboxes SET id = 'not valid!' WHERE id = 'b'");
    await withFolder(folder.path, (data, sandboxes) => {
      assert.deepEqual(sandboxes, [stored("a"), stored("c")]);
      assert.equal(data.damaged.length, 1);
      assert.match(
        data.damaged[0] ?? "",
        /^Cannot restore row 2: Cannot use this sandbox id as it must be 1–128 of/,
      );
    });
  });

  test("a tombstone or a document that cannot be read is left out, and said", async () => {
    using folder = new Folder();
    await withFolder(folder.path, async (data) => {
      await data.documents.write("c", new Map(["a", "b", "c"].map((key) => [key, key])));
      for (const id of ["x", "y"]) await data.remove(id, { info: { id } as never, logs: [] }); // Any data.
    });
    using database = new DatabaseSync(folder.at("vivarium.db"));
    database.exec(
      "UPDATE tombstones SET info = '{' WHERE id = 'x'; UPDATE documents SET value = '{' WHERE key = 'b'",
    );
    await withFolder(folder.path, async (data) => {
      assert.deepEqual(
        (await data.tombstones()).map(({ info }) => info.id),
        ["y"],
      );
      assert.deepEqual(await data.documents.read("c"), [
        ["a", "a"],
        ["c", "c"],
      ]);
      assert.equal(data.damaged.length, 2);
      await data.documents.read("c");
      assert.equal(data.damaged.length, 2, "what is read twice is said once");
    });
  });

  test("an artifact whose text was changed is missing", async () => {
    using folder = new Folder();
    await withFolder(folder.path, async (data) => {
      await data.save(stored("a"));
      const [entry] = stored("a").modules["main"] ?? [];
      await data.artifacts.write(`${entry?.checksum}.ts`, "compiled");
    });
    {
      using database = new DatabaseSync(folder.at("vivarium.db"));
      database.exec("UPDATE blobs SET text = 'changed' WHERE text = 'compiled'");
    }
    await withFolder(folder.path, async (data) => {
      const [entry] = stored("a").modules["main"] ?? [];
      assert.equal(await data.artifacts.read(`${entry?.checksum}.ts`), undefined);
    });
  });

  test("a database whose pages are damaged is refused, with what to do about it", async () => {
    using folder = new Folder({ "vivarium.db": Buffer.alloc(8_192, "nonsense") });
    await assert.rejects(
      withFolder(folder.path, () => {}),
      {
        code: "STORE_FAILED",
        message:
          /^Cannot open the data folder ".*" as its database must be whole: .*vivarium store check.*vivarium store repair/,
      },
    );
  });
});
