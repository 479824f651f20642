// Sources that a parser of TypeScript would read again and again are known in one pass; no ordinary code is among them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  openAnglesMax,
  openArrowsMax,
  speculationOf,
} from "../../../../src/code/compiler-host/speculation.ts";

const far = 4_000;
const tooManyAngles = /More than 100 "<" are open at once/;
const tooManyArrows = /More than 100 arrow functions are inside each other/;

/** Chains of which each link is read again for each before it. */
const chains: Readonly<Record<string, readonly [string, RegExp]>> = {
  comparisons: [`const a = 1; export const x = ${"a<".repeat(far)}1;`, tooManyAngles],
  "comparisons of members": [`export const x = ${"a.b<".repeat(far)}1;`, tooManyAngles],
  "comparisons in a list": [`export const x = [${"a<b,".repeat(far)}1];`, tooManyAngles],
  "comparisons in brackets": [`export const x = ${"f<(".repeat(400)}1${")".repeat(400)};`, tooManyAngles],
  "comparisons of objects": [`export const x = ${"f<{a:".repeat(400)}1${"}".repeat(400)};`, tooManyAngles],
  "comparisons over lines": [`export const x = ${"a\n<".repeat(far)}1;`, tooManyAngles],
  "comparisons of unions": [`export const x = ${"a<b|".repeat(far)}1;`, tooManyAngles],
  "types that are never closed": [`type T = ${"A<".repeat(far)}B;`, tooManyAngles],
  "async as a name": [`export const x = ${"async<".repeat(far)}1;`, tooManyAngles],
  "queries of types": [`export const x = ${"a<typeof ".repeat(far)}1;`, tooManyAngles],
  "conditions with arrows": [`export const x = ${"a?(b):c=>".repeat(far)}1;`, tooManyArrows],
  "conditions with async arrows": [`export const x = ${"a?async(b):c=>".repeat(far)}1;`, tooManyArrows],
  "arrows in blocks": [
    `export const x = ${"a?(b):c=>{return ".repeat(400)}1${"}".repeat(400)};`,
    tooManyArrows,
  ],
  "arrows over lines": [`export const x = ${"a?(b):c=>await\n".repeat(far)}1;`, tooManyArrows],
  "arrows of casts": [`export const x = ${"a?(b):c=>d\nas ".repeat(far)}1;`, tooManyArrows],
};

for (const [name, [source, message]] of Object.entries(chains)) {
  test(`speculationOf() finds a chain of ${name}`, () => {
    assert.match(speculationOf(source)?.message ?? "nothing", message);
  });
}

test("speculationOf() finds the place that is one too many", () => {
  const links = (count: number): string => `x = ${"a<".repeat(count)}1;`;
  assert.equal(speculationOf(links(openAnglesMax)), undefined);
  assert.equal(speculationOf(links(openAnglesMax + 1))?.at, 5 + 2 * openAnglesMax);
  const arrows = (count: number): string => `x = ${"a=>".repeat(count)}1;`;
  assert.equal(speculationOf(arrows(openArrowsMax)), undefined);
  assert.equal(speculationOf(arrows(openArrowsMax + 1))?.at, 5 + 3 * openArrowsMax);
});

/** Ordinary code with many of the same signs. */
const ordinary: Readonly<Record<string, string>> = {
  statements: "if (a < b) c();\n".repeat(far),
  "loops without semicolons": "for (let i = 0; i < n; i++) { s += i < 3 ? 1 : 2 }\n".repeat(far),
  "assignments without semicolons": "x = a < b\n".repeat(far),
  "conditions in a list": `export const x = [${"a < b ? 1 : 2,".repeat(far)}];`,
  "conditions joined": `export const x = ${"a < b && ".repeat(far)}1;`,
  "type arguments": "const m = new Map<string, Array<Set<number>>>();\n".repeat(far),
  "generic functions": "export function f<A, B extends keyof A>(a: A, b: B): A[B] { return a[b]; }\n".repeat(
    far,
  ),
  shifts: `export const x = 1${"<<1".repeat(far)};`,
  "markup in a string": `const text = "${"<br><3".repeat(far)}";`,
  "markup in a template": `const text = \`${"a < b <br>\n".repeat(far)}\`;`,
  "comparisons in comments": "// a < b < c\n/* a < b */\n".repeat(far),
  markup: `export const x = <ul>${"<li><b>a</b></li>".repeat(far)}</ul>;`,
  "arrow functions without semicolons": "const f = (a) => (b) => a + b\n".repeat(far),
  "exports without semicolons": "exports.f = (a) => a\n".repeat(far),
  "arrow functions in fields": `class A {\n${"  f = (a) => a\n".repeat(far)}}`,
  "arrow functions in an object": `export const x = {${"f: (a) => a,".repeat(far)}};`,
  "arrow functions as arguments": "list.map((a) => a).filter((a) => a)\n".repeat(far),
  "types of functions": `interface A {\n${"  f: (a: number) => void\n".repeat(far)}}`,
};

for (const [name, source] of Object.entries(ordinary)) {
  test(`speculationOf() finds nothing in many ${name}`, () => assert.equal(speculationOf(source), undefined));
}
