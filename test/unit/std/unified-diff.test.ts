// A diff leads from the old text to the new one, is short where the change is small, and costs little whatever the texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch, createPatch, structuredPatch } from "diff";
import * as fc from "fast-check";
import { unifiedDiff } from "../../../src/std/unified-diff.ts";

interface Made {
  readonly text: string;
  /** In all, and the most between two pauses. */
  readonly steps: number;
  readonly stepsAtOnce: number;
}

function diffOf(old: string, now: string, name = "main"): Made {
  const work = unifiedDiff(old, now, { name, old: "version 1", new: "version 2" });
  let [steps, stepsAtOnce] = [0, 0];
  for (;;) {
    const step = work.next();
    if (step.done === true) return { text: step.value, steps, stepsAtOnce };
    steps += step.value;
    stepsAtOnce = Math.max(stepsAtOnce, step.value);
  }
}

function changedLines(old: string, now: string): number {
  const { hunks } = structuredPatch("a", "a", old, now);
  return hunks.flatMap(({ lines }) => lines).filter((line) => /^[+-]/.test(line)).length;
}

const changedLinesOf = (diff: string): number =>
  diff
    .split("\n")
    .slice(4)
    .filter((line) => /^[+-]/.test(line)).length;

// Few different lines, so that many of them occur several times.
const line = fc.oneof(fc.constantFrom("", "a", "b", "}", "-", "+", "@@", "\\", "\r", "c d"), fc.string());
const text = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.boolean())
  .map(([lines, isEnded]) => lines.join("\n") + (isEnded ? "\n" : ""));

/** An old text and what became of it by some changes. */
const edited = fc
  .tuple(
    fc.array(line, { maxLength: 80 }),
    fc.array(fc.tuple(fc.nat(80), fc.nat(3), fc.array(line, { maxLength: 4 })), { maxLength: 5 }),
    fc.boolean(),
  )
  .map(([lines, edits, isEnded]) => {
    const now = [...lines];
    for (const [at, count, added] of edits) now.splice(at, count, ...added);
    return [lines.join("\n"), now.join("\n") + (isEnded ? "\n" : "")] as const;
  });

test("applying a unified diff to the old text gives the new one, and no shorter diff does", () => {
  const pairs = fc.oneof(fc.tuple(text, text), edited);
  fc.assert(
    fc.property(pairs, ([old, now]) => {
      const diff = diffOf(old, now).text;
      assert.equal(applyPatch(old, diff, { autoConvertLineEndings: false }), now);
      assert.equal(changedLinesOf(diff), changedLines(old, now));
    }),
    { numRuns: 500 },
  );
});

test("a unified diff of one change has the form that it always had", () => {
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`);
  const change = fc.tuple(fc.nat(40), fc.nat(5), fc.array(fc.string({ minLength: 20 }), { maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 2 }), fc.boolean(), (changes, isEnded) => {
      const changed = [...lines];
      for (const [at, count, added] of changes) changed.splice(at, count, ...added);
      const [old, now] = [lines.join("\n"), changed.join("\n") + (isEnded ? "\n" : "")];
      assert.equal(diffOf(old, now).text, createPatch("main", old, now, "version 1", "version 2"));
    }),
    { numRuns: 300 },
  );
});

test("names that a header cannot hold are quoted", () => {
  for (const name of ["a b", 'a"b', "a\nb", "ä", "\u0007\u0001\\", "~", "\u007f"])
    assert.equal(diffOf("a", "b", name).text, createPatch(name, "a", "b", "version 1", "version 2"));
});

test("applying a unified diff gives the new text also where too much changed to find the shortest one", () => {
  for (const kinds of [3, 40, 1_500, 5_000]) {
    const lines = fc.array(fc.nat(kinds), { minLength: 1_500, maxLength: 3_000, size: "max" });
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const diff = diffOf(old.join("\n"), now.join("\n")).text;
        assert.equal(applied(old.join("\n"), diff), now.join("\n"));
      }),
      { numRuns: 10, endOnFailure: true },
    );
  }
});

/** What a search of all pairs of lines would take minutes for. */
const lineCount = 200_000;
const numbered = (of: (n: number) => string, count = lineCount): string =>
  Array.from({ length: count }, (_, n) => of(n)).join("\n");

const large: Readonly<Record<string, readonly [old: string, now: string]>> = {
  "all lines changed": [numbered((n) => `old ${n}`), numbered((n) => `new ${n}`)],
  "every other line changed": [
    numbered((n) => `line ${n}`),
    numbered((n) => (n % 2 === 0 ? `line ${n}` : `new ${n}`)),
  ],
  "turned around": [numbered((n) => `line ${n}`), numbered((n) => `line ${lineCount - n}`)],
  "few kinds of lines": [numbered((n) => `${(n * 7) % 5}`), numbered((n) => `${(n * n) % 7}`)],
  "each line twice": [numbered((n) => `l${n >> 1}`), numbered((n) => `l${(n * 7_919) % (lineCount >> 1)}`)],
  "blocks moved": [numbered((n) => `line ${n}`), numbered((n) => `line ${(n + lineCount / 2) % lineCount}`)],
  "one line unique in each block": [
    numbered((n) => `${n % 400 === 0 ? `u${n}` : n % 3}`),
    numbered((n) => `${n % 400 === 0 ? `u${n}` : n % 4}`),
  ],
  "empty lines": ["\n".repeat(lineCount), "\n".repeat(lineCount / 2) + "x\n" + "\n".repeat(lineCount / 2)],
};

for (const [what, [old, now]] of Object.entries(large)) {
  test(`a unified diff of 200,000 lines takes few steps: ${what}`, () => {
    const { text: diff, steps, stepsAtOnce } = diffOf(old, now);
    assert.ok(steps <= 60 * 2 * lineCount, `${steps} steps`);
    assert.ok(stepsAtOnce <= 4 * lineCount, `${stepsAtOnce} steps at once`);
    assert.equal(applied(old, diff), now);
  });
}

// As applyPatch, which would need minutes here.
function applied(old: string, diff: string): string {
  const lines = old.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  const parts = diff.split("\n").slice(4, -1);
  for (const [index, part] of parts.entries()) {
    const header = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(part);
    if (header !== null) {
      const start = Number(header[1]) - (Number(header[2]) > 0 ? 1 : 0);
      while (at < start) result.push(lines[at++] ?? "");
      continue;
    }
    if (part.startsWith("\\")) continue;
    const text = part.slice(1) + (parts[index + 1]?.startsWith("\\") === true ? "" : "\n");
    if (!part.startsWith("+")) assert.equal(lines[at++], text);
    if (!part.startsWith("-")) result.push(text);
  }
  return [...result, ...lines.slice(at)].join("");
}
