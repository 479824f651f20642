// The look at the beginning of a source must never take JavaScript for TypeScript.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseSync } from "rolldown/utils";
import { isSurelyTyped } from "../../../../src/code/compiler-host/typed-start.ts";

const typed = [
  "interface A { b: string }",
  "// about\n/* more */ export interface A {}",
  "type A = 1;",
  "export type A<T> = T[];",
  "enum A { b }",
  "export const enum A { b }",
  "declare const a: number;",
  "abstract class A {}",
  "export abstract class A {}",
  "namespace a { export const b = 1 }",
  'import type { A } from "./a";',
  'import type A from "./a";',
  'import type * as a from "./a";',
  'import { a } from "./a"; import b, * as c from "./b"\nimport "./d"\ninterface A {}',
  "const a: number = 1;",
  "export let a: string;",
  "export function a(b: number): number { return b }",
  "export default async function a<T>(b: T) {}",
  "function* a(b?: number) {}",
  "export class A<T> { b?: T }",
];

const perhapsPlain = [
  "",
  "export const a = 1;",
  "type\nA = 1",
  "var type, A; type = A",
  "declare\nclass A {}",
  "var declare = {}, A = Object; declare instanceof A",
  "declare in {}; var declare = ''",
  "abstract in {}; var abstract = ''",
  "namespace\n{ }; var namespace",
  'import type from "./type";',
  'import type, { a } from "./type";',
  String.raw`import "a\" interface A {";`,
  String.raw`import 'a\' interface A {';`,
  'import a from "./a" with { type: "json" };',
  "import.meta; var a",
  'import("interface A {}");',
  "/* interface A {} */ export const a = 1;",
  "// interface A {}",
  "`\ninterface A {}`",
  "/a/.test(1); var interfaces = 1",
  "export default function a(b, c) {}",
  "class A extends Object {}",
  "const { a: b } = { a: 1 };",
  "label: for (;;) break label;",
];

const parses = (source: string, lang: "js" | "ts"): boolean =>
  parseSync(`module.${lang}`, source, { lang, sourceType: "module", showSemanticErrors: true }).errors
    .length === 0;

for (const source of typed)
  test(`isSurelyTyped() is true of ${JSON.stringify(source)}, which is no JavaScript`, () => {
    assert.equal(parses(source, "js"), false);
    assert.equal(parses(source, "ts"), true);
    assert.equal(isSurelyTyped(source), true);
  });

for (const source of perhapsPlain)
  test(`isSurelyTyped() is false of ${JSON.stringify(source)}`, () => {
    assert.equal(isSurelyTyped(source), false);
  });

const tokens =
  "import export type interface enum declare abstract namespace in instanceof of from as const let var function class async a B { } ( ) < > , ; : = ? ! * . \"m\" 'n' `t` \\ // /* */ /r/ 1 default extends with".split(
    " ",
  );
const generated = fc
  .array(fc.tuple(fc.constantFrom(...tokens), fc.constantFrom(" ", "\n", "", "\t")), { maxLength: 12 })
  .map((parts) => parts.map(([token, space]) => token + space).join(""));

test("isSurelyTyped() is true of no generated source that parses as JavaScript", () => {
  fc.assert(
    fc.property(generated, (source) => !isSurelyTyped(source) || !parses(source, "js")),
    { numRuns: 5_000 },
  );
});

test("isSurelyTyped() takes time that grows with the length of the source", () => {
  const length = 2 ** 19;
  for (const part of [" ", "/*", "import ", "import {", "//\n", 'import "a";', "export "])
    assert.equal(isSurelyTyped(part.repeat(length / part.length)), false);
});
