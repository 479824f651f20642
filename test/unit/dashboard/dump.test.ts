// A document that somebody else wrote: whatever stands in it, it is shown, or refused with a sentence that says where it is wrong.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fileNameOf } from "../../../dashboard/src/export/export.ts";
import { Model } from "../../../dashboard/src/model/model.ts";
import { writeRoute } from "../../../dashboard/src/route.ts";
import { readDump } from "../../../dashboard/src/source/dump.ts";
import { RecordedSource } from "../../../dashboard/src/source/recorded.ts";
import { dataText, dateText, numberText, oneLine, timeText } from "../../../dashboard/src/text.ts";
import { sampleDump } from "../../browser/support/sample-dump.ts";

/** As JSON has them: what a parser makes of it, prototypes' names included. */
const values = [
  ...[
    "null",
    "true",
    "-1",
    "0.5",
    "-0",
    "1e999",
    "1e308",
    "5e-324",
    "9007199254740993",
    "8.64e15",
    "8.64e15001",
  ],
  ...['""', '"__proto__"', '"\\ud800"', "[]", "{}", "[[]]", "[null]", '{"__proto__": {"a": 1}}'],
  ...['{"constructor": 1}', '{"toString": "x", "length": -1}', '{"0": {}, "length": 4294967296}'],
];

const mark = "\u{1f41b}";
type Path = readonly (string | number)[];

/** Each place of the document once: of lists the first entry stands for all. */
function placesOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Array.isArray(value)
    ? [...value.slice(0, 1).entries()]
    : Object.entries(value).filter(([name]) => name !== "format" && name !== "formatVersion");
  return [path, ...inside.flatMap(([name, child]) => placesOf(child, [...path, name]))];
}

function withMark(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return mark;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[name] = withMark(copy[name], rest);
  return copy;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /^Cannot show the evolution as .+ must be .+/s.test(error.message);

suite("a hostile document", () => {
  test("with anything at any place, it is shown, or refused with its reason", async () => {
    const sample = sampleDump({ individuals: 24 });
    // One of each kind of event, so that every shape is tried.
    const events = [...new Map(sample.events.map((event) => [event.name, event])).values()];
    const dump = { ...sample, individuals: sample.individuals.slice(-4), texts: sample.texts, events };
    let [shown, refused] = [0, 0];
    for (const path of events.keys().flatMap((place) => placesOf(events[place], ["events", place])))
      await tryAt(path);
    for (const path of placesOf({ ...dump, events: [] }).slice(1)) await tryAt(path);
    assert.ok(shown > 500 && refused > 500, `${shown} shown, ${refused} refused`);

    async function tryAt(path: Path): Promise<void> {
      const text = JSON.stringify(withMark(dump, path));
      for (const value of values) {
        let read;
        try {
          read = readDump(text.replace(`"${mark}"`, () => value));
        } catch (error) {
          assert.ok(isRefusal(error), `${path.join(".")} = ${value}: ${String(error)}`);
          refused++;
          continue;
        }
        shown++;
        const model = new Model();
        const source = new RecordedSource(read, model);
        source.slider.seek(source.slider.from);
        source.slider.seek(source.slider.to);
        for (const { id } of read.individuals)
          for (const source_ of Object.values((await source.individual(id))?.sources ?? {}))
            assert.equal(typeof source_, "string");
        fileNameOf(read, "json");
      }
    }
  });

  test("places of texts that there are not, and names of prototypes, are refused where they are", () => {
    const dump = sampleDump({ individuals: 8 });
    const [first, ...others] = dump.individuals;
    const withFirst = (more: object): string =>
      JSON.stringify({ ...dump, individuals: [{ ...first, ...more }, ...others] });
    const texts: readonly (readonly [string, RegExp])[] = [
      [
        withFirst({ sources: { m: 8 } }),
        /its individuals\[0\]\.sources\["m"\] must be a place in its 8 texts: got 8/,
      ],
      [withFirst({ sources: { m: "__proto__" } }), /must be a place in its 8 texts: got __proto__/],
      [withFirst({ evaluatedAt: 8.64e15 + 2 }), /evaluatedAt must be a time in milliseconds/],
      [withFirst({ generation: 2 ** 31 }), /generation must be a whole number, 0–2147483647: got 2147483648/],
      [withFirst({ parentIds: [{}] }), /parentIds\[0\] must be a text: got \{\}/],
      [
        withFirst({ mutation: mark }).replace(`"${mark}"`, "[".repeat(2e5) + "]".repeat(2e5)),
        /individuals\[0\]\.mutation must be nested at most 1000 deep: got (?:\[\[|unknown)/,
      ],
      [JSON.stringify({ ...dump, formatVersion: { toString: 1 } }), /must be version 1: got \{/],
    ];
    for (const [text, reason] of texts) assert.throws(() => readDump(text), reason);
  });

  test("an id of half a letter, and a time behind the calendar, can be shown", () => {
    assert.equal(writeRoute({ view: "lineage", id: "a\ud800" }), "#/lineage/a%EF%BF%BD");
    for (const at of [8.64e15 + 2, -1e308, Infinity])
      assert.deepEqual([timeText(at), dateText(at)], ["unknown", "unknown"]);
    assert.notEqual(dateText(8.64e15), "unknown");
    assert.equal(numberText(5e-324), "4.941e-324");
    assert.equal(oneLine("\0\u202ea\ud800"), "\\u0000\\u202ea\\ud800");
    assert.ok(dataText(JSON.parse(`${"[".repeat(1e5)}${"]".repeat(1e5)}`)).length <= 201);
  });
});
