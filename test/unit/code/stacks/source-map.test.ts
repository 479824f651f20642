// Places in compiled code lead back to the source, as fast as a guest can throw.
import assert from "node:assert/strict";
import { SourceMap } from "node:module";
import { test } from "node:test";
import * as fc from "fast-check";
import { mapStack } from "../../../../src/code/stacks/guest-stack.ts";
import { SourceMapIndex } from "../../../../src/code/stacks/source-map.ts";
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

test("SourceMapIndex finds what Node's own reader finds", () => {
  const columns = fc.uniqueArray(segment, { maxLength: 8, selector: ({ column }) => column });
  fc.assert(
    fc.property(
      fc.array(columns, { minLength: 1, maxLength: 20 }),
      fc.nat(25),
      fc.nat(320),
      (lines, line, column) => {
        const map = toMap(lines);
        const entry = new SourceMap(JSON.parse(map) as never).findEntry(line, column);
        const expected =
          "originalLine" in entry
            ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 }
            : undefined;
        assert.deepEqual(new SourceMapIndex(map).find({ line: line + 1, column: column + 1 }), expected);
      },
    ),
  );
});

test("SourceMapIndex makes nothing of a map that is none", () => {
  for (const map of [
    "",
    "{}",
    "[]",
    "null",
    '{"mappings":1}',
    '{"mappings":"????"}',
    '{"mappings":"AAAAAAAAAAAA"}',
  ])
    assert.doesNotThrow(() => new SourceMapIndex(map).find({ line: 1, column: 1 }));
  fc.assert(
    fc.property(fc.string(), (mappings) => {
      new SourceMapIndex(JSON.stringify({ mappings })).find({ line: 3, column: 3 });
    }),
  );
});

test("mapStack() maps a stack of any length in a moment, however large the module", () => {
  const lines = Array.from({ length: 30_000 }, (_, n) => [
    { column: 0, source: [n, 0] as const },
    { column: 9, source: [n, 9] as const },
    { column: 20, source: [n, 20] as const },
  ]);
  const artifact = { sourceMaps: [toMap(lines), toMap(lines)] } as unknown as Artifact;
  const stack = "at f (vivarium:main:9001:10)\n".repeat(280);
  const took = stopwatch();
  const mapped = mapStack(stack, () => artifact);
  took.assertWithin(1_500, "it took too long");
  assert.ok(mapped.startsWith("at f (main:9001:10)\n"));
});
