// Journals as files: lines, lists and documents; what is damaged is counted, and nothing is too long.
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { readFile } from "../../../src/cli/replay/from-file.ts";
import { linesOf } from "../../../src/cli/replay/lines.ts";
import type { ReadingOptions, Recording } from "../../../src/cli/replay/recording.ts";
import { Folder } from "../../support/folders.ts";

const folder = new Folder();
after(() => folder[Symbol.dispose]());

const { signal } = new AbortController();
const options: ReadingOptions = { direction: undefined, signal, onProgress: () => undefined };

function born(id: string, parentIds: readonly string[] = []): object {
  const event = { sandboxId: id, parentIds, generation: parentIds.length, mutation: null, depth: 0 };
  return {
    name: "lineage.born",
    at: 1,
    event: { ...event, checksum: `c-${id}`, createdAt: 1, sources: { main: `// ${id}` } },
  };
}

function scored(id: string, score: number): object {
  const event = { sandboxId: id, score, result: "ok", population: "north", components: { size: 3 } };
  const more = { revision: 1, generation: 0, createdAt: 1, evaluatedAt: 2, durationMs: 3, message: null };
  return { name: "fitness.computed", at: 2, event: { ...event, ...more } };
}

const adjusted = {
  name: "fitness.adjusted",
  at: 3,
  event: { sandboxId: "b", delta: 2, score: 9, reason: "slow" },
};
const gone = {
  name: "sandbox.destroy.stop",
  at: 4,
  event: { sandboxId: "a", durationMs: 1, reason: "destroyed" },
};
const journal = [born("a"), scored("a", 5), born("b", ["a"]), scored("b", 7), adjusted, gone];

function read(text: string, more: Partial<ReadingOptions> = {}): Promise<Recording> {
  folder.write({ journal: text });
  return readFile(folder.at("journal"), { ...options, ...more });
}

const linesText = (values: readonly unknown[]): string =>
  values.map((one) => `${JSON.stringify(one)}\n`).join("");

describe("a journal as a file", () => {
  for (const [form, text] of [
    ["lines", linesText(journal)],
    [
      "lines without a last line feed, with empty ones and carriage returns",
      `\n${linesText(journal).trim().replaceAll("\n", "\r\n\r\n")}`,
    ],
    [
      "a stream of events as it came",
      `: hello\n\nevent: live\ndata: {}\n\n${journal.map((one, at) => `id: ${at}\ndata: ${JSON.stringify(one)}\n\n`).join("")}`,
    ],
    ["a list", JSON.stringify(journal)],
    ["a list on many lines", JSON.stringify(journal, null, 2)],
    ["a document with entries", JSON.stringify({ entries: journal })],
    ["lines that begin with the mark of their encoding", `\uFEFF${linesText(journal)}`],
    ["a list that begins with the mark of its encoding", `\uFEFF${JSON.stringify(journal)}`],
  ] as const)
    test(`as ${form} tells its individuals`, async () => {
      const { dump, damaged } = await read(text);
      assert.equal(damaged, 0);
      assert.deepEqual(
        dump.individuals.map(({ id, state, score, parentIds, population }) => [
          id,
          state,
          score,
          parentIds,
          population,
        ]),
        [
          ["a", "dead", 5, [], "north"],
          ["b", "living", 9, ["a"], "north"],
        ],
      );
      assert.deepEqual(dump.individuals[1]?.adjustments, [{ delta: 2, reason: "slow" }]);
      assert.deepEqual(dump.texts, ["// a", "// b"]);
      assert.deepEqual(dump.individuals[1]?.parentSources, { main: 0 });
      assert.equal(dump.events.length, journal.length);
      assert.equal(dump.direction, "maximise");
      assert.equal(dump.origin, "journal journal");
    });

  test("with damaged lines has the others, and says how many were damaged", async () => {
    const text = `{"name": "lineage.bo\n${linesText(journal)}null\n{"name":"strange","at":1,"event":{}}\n{"name":"fitness.computed","at":1,"event":{"sandboxId":"a","score":"x","createdAt":1}}\n`;
    const { dump, damaged } = await read(text);
    assert.equal(damaged, 4);
    assert.equal(dump.individuals.length, 2);
  });

  test("tells of an id that is used again though its end is missing", async () => {
    const again = born("a") as { event: { createdAt: number } };
    again.event.createdAt = 9;
    const { dump, damaged } = await read(linesText([born("a"), again]));
    assert.equal(damaged, 0);
    assert.deepEqual(
      dump.individuals.map(({ id, state }) => [id, state]),
      [
        ["a", "dead"],
        ["a", "living"],
      ],
    );
  });

  test("of which the first events are gone says how many", async () => {
    const { dump } = await read(
      linesText([
        { ...gone, number: 41 },
        { ...gone, number: 42 },
      ]),
    );
    assert.equal(dump.eventsMissing, 40);
  });

  test("is given up where its reader is aborted in the middle, as a list too", async () => {
    for (const text of [
      linesText(journal),
      JSON.stringify(journal.flatMap((one) => Array(2_000).fill(one))),
    ]) {
      const end = new AbortController();
      const reading = read(text, { signal: end.signal });
      setImmediate(() => end.abort());
      await assert.rejects(reading, { name: "AbortError" });
    }
  });

  test("is as good as the direction that is given", async () => {
    assert.equal((await read(linesText(journal), { direction: "minimise" })).dump.direction, "minimise");
  });

  for (const [what, text, rule] of [
    ["no events", "hello\nworld\n", /it must be a journal, .*: got 2 of something else, and no event$/],
    ["nothing", "", /got an empty file$/],
    ["other JSON", '{"a": 1}', /got 1 of something else, and no event$/],
    [
      "a dump of a later version",
      '{"format": "vivarium-dump", "formatVersion": 2}',
      /its format must be version 1: got 2; another version of vivarium wrote it$/,
    ],
    [
      "half a dump",
      '{"format": "vivarium-dump", "formatVersion": 1}',
      /its individuals must be a list: got undefined$/,
    ],
    [
      "a dump with a damaged individual",
      '{"format": "vivarium-dump", "formatVersion": 1, "individuals": [{}, null], "events": [], "runs": [], "texts": []}',
      /its individuals\[1\] must be a record: got null$/,
    ],
    [
      "a dump with a damaged text",
      '{"format": "vivarium-dump", "formatVersion": 1, "individuals": [], "events": [], "runs": [], "texts": [5]}',
      /its texts\[0\] must be a text: got 5$/,
    ],
  ] as const)
    test(`that has ${what} is refused`, async () => {
      await assert.rejects(read(text), { code: "INVALID_OPTIONS", message: rule });
    });

  test("that is a dump is taken as it is", async () => {
    const { dump } = await read(linesText(journal));
    assert.deepEqual((await read(JSON.stringify(dump))).dump, dump);
  });

  test("ends with its signal", async () => {
    await assert.rejects(read(linesText(journal), { signal: AbortSignal.abort() }), { name: "AbortError" });
  });
});

test("a line that is too long is given up, wherever its parts lie, and the next one is read", async () => {
  const long = "x".repeat(200_000);
  folder.write({ lines: `é1\n${long}\n2\n${"y".repeat(11)}\n3\n${long}` });
  const lines: (string | null)[] = [];
  let read = 0;
  const bounds = { lengthMax: 10, signal, onRead: (bytes: number) => (read = bytes) };
  for await (const line of linesOf(folder.at("lines"), bounds)) lines.push(line);
  assert.deepEqual(lines, ["é1", null, "2", null, "3", null]);
  assert.ok(read > 400_000);
});
