// Places in compiled code lead back to the source, as fast as a guest can throw.
import assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { test } from "node:test";
import * as fc from "fast-check";
import { Edits } from "../../../../src/code/compiler-host/linking/edits.ts";
import { mapStack } from "../../../../src/code/stacks/guest-stack.ts";
import { joinSourceMaps, PositionMap } from "../../../../src/code/stacks/position-map.ts";
import { SourceMapIndex } from "../../../../src/code/stacks/source-map.ts";
import { editMarks } from "../../../../src/model/code/edit-marks.ts";
import type { Artifact } from "../../../../src/index.ts";
import { stopwatch } from "../../../support/machine.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function toDigits(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += letters[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

interface Segment {
  readonly column: number;
  readonly source: readonly [line: number, column: number];
}

function toMap(lines: readonly (readonly Segment[])[]): string {
  let line = 0;
  let sourceColumn = 0;
  const mappings = lines.map((segments) => {
    let column = 0;
    return segments
      .toSorted((a, b) => a.column - b.column)
      .map((segment) => {
        const numbers = [
          segment.column - column,
          0,
          segment.source[0] - line,
          segment.source[1] - sourceColumn,
        ];
        column = segment.column;
        [line, sourceColumn] = segment.source;
        return numbers.map(toDigits).join("");
      })
      .join(",");
  });
  return JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: mappings.join(";") });
}

const segment: fc.Arbitrary<Segment> = fc.record({
  column: fc.nat(300),
  source: fc.tuple(fc.nat(5_000), fc.nat(5_000)),
});

const columns = fc.uniqueArray(segment, { maxLength: 8, selector: ({ column }) => column });
const linesOfMap = fc.array(columns, { minLength: 1, maxLength: 20 });

/** Lines that the lines of `linesOfMap` lead to, or not. */
const near: fc.Arbitrary<Segment> = fc.record({
  column: fc.nat(300),
  source: fc.tuple(fc.nat(25), fc.nat(320)),
});

test("SourceMapIndex finds what Node's own reader finds", () => {
  fc.assert(
    fc.property(linesOfMap, fc.nat(25), fc.nat(320), (lines, line, column) => {
      const map = toMap(lines);
      const entry = new SourceMap(JSON.parse(map) as never).findEntry(line, column);
      const expected =
        "originalLine" in entry
          ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
          : undefined;
      const at = { line: line + 1, column: column + 1 };
      assert.deepEqual(new SourceMapIndex(map).find(at), expected);
      assert.deepEqual(new PositionMap(map).find(at), expected);
      assert.deepEqual(new PositionMap(joinSourceMaps("a.ts", [map])).find(at), expected);
    }),
  );
});

test("joinSourceMaps() leads to where the maps lead one after the other, and is a source map as Node reads it", () => {
  const outer = fc.array(fc.uniqueArray(near, { maxLength: 40, selector: ({ column }) => column }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(outer, linesOfMap, (first, second) => {
      const maps = [toMap(first), toMap(second)];
      const joined = joinSourceMaps('a "mappings":" b', maps);
      const [a, b] = maps.map((map) => new SourceMapIndex(map)) as [SourceMapIndex, SourceMapIndex];
      const reader = new PositionMap(joined);
      const node = new SourceMap(JSON.parse(joined) as never);
      for (let line = 1; line <= first.length + 1; line++) {
        for (let column = 1; column <= 310; column += 3) {
          const middle = a.find({ line, column });
          const expected = middle === undefined ? undefined : b.find(middle);
          assert.deepEqual(reader.find({ line, column }), expected);
          // Node goes on from a segment that has no source to the one before it.
          if (expected === undefined) continue;
          const entry = node.findEntry(line - 1, column - 1);
          assert.ok("originalLine" in entry);
          assert.equal(entry.originalLine + 1, expected.line);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test("a map of edits leads to the very column, also when it is joined with the map of what was edited", () => {
  const inserted = fc.record({
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    text: fc.constantFrom("x()", "(y,", ""),
  });
  const texts = fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(texts, fc.array(inserted, { maxLength: 12 }), linesOfMap, (lines, changes, second) => {
      const source = lines.map((text) => text.replaceAll(/[\n\r\u2028\u2029]/g, "")).join("\n");
      const edits = new Edits(source);
      for (const { share, text } of changes) edits.insert(Math.round(share * source.length), text);
      const { text, map: verbatim } = edits.apply();
      const [a, b] = [new SourceMapIndex(verbatim), new SourceMapIndex(toMap(second))];
      const alone = new PositionMap(joinSourceMaps("a", [verbatim]));
      const both = new PositionMap(joinSourceMaps("a", [verbatim, toMap(second)]));
      const sourceLines = source.split("\n");
      for (const [index, line] of text.split("\n").entries()) {
        const isOwn = ownColumns(line);
        for (let column = 1; column <= line.length + 3; column++) {
          const at = { line: index + 1, column };
          const middle = a.find(at);
          assert.deepEqual(alone.find(at), middle);
          assert.deepEqual(both.find(at), middle && b.find(middle));
          if (isOwn[column - 1] !== true) continue;
          assert.equal(middle?.line, index + 1);
          assert.equal(sourceLines[index]?.[middle.column - 1], line[column - 1]);
        }
      }
    }),
  );
});

/** For each column whether it was in the source: not in a change, nor in its marks. */
function ownColumns(line: string): boolean[] {
  const isOwn = Array.from({ length: line.length }, () => true);
  const closing = editMarks.end + editMarks.close;
  for (
    let start = line.indexOf(editMarks.start);
    start >= 0;
    start = line.indexOf(editMarks.start, start + 1)
  )
    isOwn.fill(false, start, line.indexOf(closing, start) + closing.length);
  return isOwn;
}

test("a map that is none leads nowhere", () => {
  const good = joinSourceMaps("a.ts", [toMap(manyLines(200))]);
  for (const map of [
    "",
    "{}",
    "[]",
    "null",
    '{"mappings":1}',
    '{"mappings":"????"}',
    '{"mappings":"AAAAAAAAAAAA"}',
    '{"version":3,"x_marks":"',
    good.slice(0, -40),
    good.slice(0, 60),
    good.replace(/"x_marks":"[^"]*"/, `"x_marks":"${"/".repeat(260)}"`),
    good.replace(/"x_marks":"[^"]*"/, `"x_marks":"${"?".repeat(260)}"`),
  ]) {
    assert.doesNotThrow(() => new SourceMapIndex(map).find({ line: 1, column: 1 }));
    assert.doesNotThrow(() => new PositionMap(map).find({ line: 190, column: 1 }));
    assert.doesNotThrow(() => joinSourceMaps("a", [map, map]));
  }
  fc.assert(
    fc.property(fc.string(), (mappings) => {
      const map = JSON.stringify({ mappings });
      new SourceMapIndex(map).find({ line: 3, column: 3 });
      new PositionMap(map).find({ line: 3, column: 3 });
    }),
  );
});

function manyLines(count: number): Segment[][] {
  return Array.from({ length: count }, (_, n) => [
    { column: 0, source: [n, 0] as const },
    { column: 9, source: [n, 9] as const },
    { column: 20, source: [n, 20] as const },
  ]);
}

test("mapStack() maps a stack of any length in a moment, however large the module", () => {
  const map = toMap(manyLines(30_000));
  const artifact = { sourceMaps: [joinSourceMaps("main", [map, map])] } as unknown as Artifact;
  const stack = "at f (vivarium:main:9001:10)\n".repeat(280);
  const took = stopwatch();
  const mapped = mapStack(stack, () => artifact);
  took.assertWithin(1_500, "it took too long");
  assert.ok(mapped.startsWith("at f (main:9001:10)\n"));
});

test("mapStack() costs about the same for a throw in a large module as for one in a small module", () => {
  const costOf = (lines: number): number => {
    const map = toMap(manyLines(lines));
    const artifact = { sourceMaps: [joinSourceMaps("main", [map])] } as unknown as Artifact;
    const stack = `at f (vivarium:main:${lines - 5}:10)\n`.repeat(10);
    assert.ok(mapStack(stack, () => artifact).startsWith(`at f (main:${lines - 5}:10)\n`));
    const started = process.cpuUsage();
    for (let n = 0; n < 100; n++) mapStack(stack, () => artifact);
    const { user, system } = process.cpuUsage(started);
    return user + system;
  };
  const small = costOf(40);
  const large = costOf(60_000);
  // As much as 200 times where all of the large map is read each time.
  assert.ok(large <= 30 * (small + 1_000), `${large} µs for the large module, ${small} µs for the small one`);
});
