// What every compiler backend must make of a source; each is asked for no more than it declares.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Supports } from "../../src/code/compiler-host/backends/backend.ts";
import {
  ask,
  failureKind,
  refusalOf,
  runtimeForTests,
  type Sources,
  type TestedBackend,
} from "../support/reloading.ts";
import type { Sandbox } from "../../src/index.ts";

export function compilerSuite(backend: TestedBackend, supports: Supports): void {
  const runtime = runtimeForTests({ compiler: { backend } });
  const create = (modules: Sources): Promise<Sandbox> => runtime.current.create({ modules });
  const compile = (source: string, name?: string) =>
    runtime.current.compile.source(source, name === undefined ? {} : { name });
  // A test for what a backend supports.
  const when = (isSupported: boolean) => (name: string, act: () => Promise<void>) => {
    if (isSupported) test(name, act);
  };

  when(supports.typescript)(`${backend}: types are stripped and the rest runs`, async () => {
    await using sandbox = await create({
      main: `
        import type { Nothing } from "./nowhere";
        interface Point { readonly x: number; readonly y?: number }
        type Pair<T> = [T, T];
        declare const ghost: Nothing;
        abstract class Shape { abstract area(): number; protected readonly unit = 2 as const }
        class Square extends Shape { #side: number; constructor(side: number) { super(); this.#side = side }
          override area(): number { return this.#side * this.#side * this.unit } }
        function add(a: number, b: number): number;
        function add(a: string, b: string): string;
        function add(a: never, b: never): unknown { return a + b }
        const point = { x: 3 } satisfies Point;
        export const f = (pair: Pair<number>): number => add(pair[0]!, pair[1]) + (point as Point).x + new Square(2).area();`,
    });
    assert.equal(await ask(sandbox, "main.f", [1, 2]), 14);
  });

  test(`${backend}: what is imported can be awaited at the top level`, async () => {
    await using sandbox = await create({
      later: "export const later = async (n) => n; export const now = (n) => n;",
      main: `import { later, now } from "./later";
        const parts = [await later(1), await (later)(2), await now(3), await (later(4))];
        export const f = () => parts;`,
    });
    assert.deepEqual(await ask(sandbox, "main.f"), [1, 2, 3, 4]);
  });

  when(supports.typescript)(`${backend}: an arrow with a type parameter is no markup`, async () => {
    await using sandbox = await create({
      main: `export const id = <T>(x: T) => x; export const two = <T, U extends T>(x: T, y: U): [T, U] => [x, y];
        export const cast = (x: unknown) => <number>x;`,
    });
    assert.deepEqual(
      [
        await ask(sandbox, "main.id", 7),
        await ask(sandbox, "main.two", 1, 2),
        await ask(sandbox, "main.cast", 5),
      ],
      [7, [1, 2], 5],
    );
  });

  when(supports.typescriptRuntime)(`${backend}: enums, namespaces and parameter properties run`, async () => {
    await using sandbox = await create({
      main: `
        export enum Colour { Red, Green = 5, Blue }
        namespace Sums { export const base = 10; export const add = (n: number) => n + base }
        class Box { constructor(readonly value: number, private factor = 2) {} get doubled() { return this.value * this.factor } }
        export const all = () => [Colour.Blue, Colour[5], Sums.add(1), new Box(4).doubled];`,
    });
    assert.deepEqual(await ask(sandbox, "main.all"), [6, "Green", 11, 8]);
  });

  when(supports.jsx)(
    `${backend}: markup becomes calls of React.createElement, with types beside it`,
    async () => {
      await using sandbox = await create({
        "view.tsx": `
        const React = { createElement: (tag: unknown, props: unknown, ...kids: unknown[]) => [tag, props, kids], Fragment: "fragment" };
        export const view = (name: string) => <><b title={name}>hi {name}</b></>;`,
        main: `
        const React = { createElement: (tag, props, ...kids) => [tag, props, kids] };
        export const plain = () => <i>text</i>;`,
      });
      assert.deepEqual(await ask(sandbox, "view.tsx.view", "Ada"), [
        "fragment",
        null,
        [["b", { title: "Ada" }, ["hi ", "Ada"]]],
      ]);
      assert.deepEqual(await ask(sandbox, "main.plain"), ["i", null, ["text"]]);
    },
  );

  test(`${backend}: plain JavaScript of today runs as it is`, async () => {
    await using sandbox = await create({
      main: `
        class Counter { static #made = 0; static { Counter.#made = 40 } static next() { return ++Counter.#made } }
        export default function () { return Counter.next() }
        export async function* numbers() { for await (const n of [1, Promise.resolve(2)]) yield n }
        export const sum = async () => { let all = 0; for await (const n of numbers()) all += n ?? 0; return all ** 2n.constructor.length };
        export const pick = ({ a: { b = 5 } = {}, ...rest }) => [b, rest?.c?.[0] ?? "none", \`\${b}!\`];`,
    });
    assert.equal(await ask(sandbox, "main.default"), 41);
    assert.equal(await ask(sandbox, "main.sum"), 3);
    assert.deepEqual(await ask(sandbox, "main.pick", { c: [9] }), [5, 9, "5!"]);
  });

  when(supports.sourceMaps)(`${backend}: a stack is told in the lines of the TypeScript source`, async () => {
    const lines = [
      "interface Long {",
      "  readonly a: number;",
      "}",
      "// a comment",
      "enum Kind { One, Two }",
      "export function outer(x: Long): number {",
      "  return inner(x as Long, Kind.Two);",
      "}",
      "const inner = (x: Long, kind: Kind): number => {",
      "  if (kind === Kind.Two)",
      '    throw new TypeError("here");',
      "  return x.a;",
      "};",
    ];
    for (const fuel of [null, 1_000]) {
      await using sandbox = await runtime.current.create({
        modules: { main: lines.join("\n") },
        limits: { fuel },
      });
      const outcome = await sandbox.call("main.outer", { args: [{ a: 1 }] });
      assert.ok(!outcome.ok && outcome.error.kind === "crashed");
      const stack = outcome.error.thrown?.stack ?? "";
      assert.match(
        stack,
        /^TypeError: here\n\s+at inner \(main:11:11\)\n\s+at (?:\w+\.)?outer \(main:7:\d+\)/,
        stack,
      );
      assert.doesNotMatch(stack, /isolated-vm|vivarium:|<anonymous>/);
    }
  });

  test(`${backend}: an invalid source is reported with line, column and a frame of the source`, async () => {
    const source = ["const fine = 1;", "export const broken = (a => ;", "const also = 2;"].join("\n");
    const error = await refusalOf(compile(source, "main.ts"), "PARSE_FAILED");
    assert.equal(error.phase, "parse");
    const [first] = error.diagnostics;
    assert.ok(first !== undefined);
    assert.deepEqual([first.severity, first.module, first.line, first.column], ["error", "main.ts", 2, 29]);
    assert.match(
      first.frame,
      /^ {2}1 \| const fine = 1;\n> 2 \| export const broken = \(a => ;\n {4}\| {29}\^\n {2}3 \| /,
    );
    assert.match(
      error.message,
      /^Cannot compile module "main\.ts" as it must be a program: .+ \(main\.ts:2:29\)$/,
    );
    assert.deepEqual(await runtime.current.compile.check(source, { name: "main.ts" }), error.diagnostics);
    assert.deepEqual(await runtime.current.compile.check("export const x = 1"), []);
  });

  when(supports.severalErrors)(`${backend}: several errors of one source are told together`, async () => {
    const error = await refusalOf(compile("let a = 1; let a = 2;\nlet b = 1; let b = 2;"), "PARSE_FAILED");
    assert.deepEqual(
      error.diagnostics.map(({ line }) => line),
      [1, 2],
    );
  });

  test(`${backend}: what the language forbids in a module is found when it is compiled, at its place`, async () => {
    const forbidden: readonly (readonly [string, number])[] = [
      ["let a = 1;\nlet a = 2;", 0],
      ["export const a = 1;\nconst b = 2;\nexport { b as a };", 0],
      ["const a = 1;\nbreak;", 2],
      ["label:\nlabel: for (;;) break;", 2],
      ["const f = 1;\nf.#secret;", 2],
      ["const o = 1;\ndelete o;", 2],
      ["interface Long {\n  a: 1;\n}\n\nexport const a = 1;\ncontinue;", 6],
    ];
    for (const [source, line] of forbidden) {
      const error = await refusalOf(compile(source), "PARSE_FAILED");
      const [first] = error.diagnostics;
      assert.ok(first !== undefined && first.message !== "", source);
      if (line > 0) assert.ok(Math.abs(first.line - line) <= 1, `${source}: ${first.line}`);
      assert.ok(first.frame.includes(source.split("\n")[first.line - 1] ?? "?"), first.frame);
    }
  });

  test(`${backend}: an artifact lists what the module imports and exports, by value and not by type`, async () => {
    const artifact = await compile(`
      import one, { two as deux, type Three } from "./one";
      import * as all from "./all";
      import type { Gone } from "./gone";
      import "./effect";
      export * from "./star";
      export * as named from "./named";
      export { x as "a b", default as y } from "./from";
      export const f = async (): Promise<unknown> => [one, deux, all, await import("./later"), import("./later")];
      export function g() {}
      export class K {}
      export default 5;
      export type T = Gone | Three;`);
    assert.deepEqual(artifact.imports, ["./one", "./all", "./effect", "./star", "./named", "./from"]);
    assert.deepEqual([...new Set(artifact.dynamicImports)], ["./later"]);
    assert.deepEqual(artifact.exports, ["K", "a b", "default", "f", "g", "named", "y"]);
    assert.equal(artifact.metered, false);
  });

  test(`${backend}: an import of any text is listed, and its module is missed by name`, async () => {
    const artifact = await compile(String.raw`
      import "a\0b"; import 'c"d'; import "e\u2028\v"; export const x = 1;`);
    assert.deepEqual(artifact.imports.toSorted(), ["a\0b", 'c"d', "e\u2028\v"]);
    const error = await refusalOf(
      create({ main: String.raw`import "a\0b"; export const x = 1` }),
      "LOAD_FAILED",
    );
    assert.equal(error.phase, "link");
    assert.equal((await runtime.current.metrics()).compile.restarts, 0);
  });

  test(`${backend}: a checksum is the SHA-256 of the source and identifies it`, async () => {
    const source = "export const wide = 'ü 🦜';";
    const artifact = await compile(source);
    assert.equal(artifact.checksum, createHash("sha256").update(source).digest("hex"));
    assert.equal((await compile(source, "other")).checksum, artifact.checksum);
    assert.notEqual((await compile(`${source} `)).checksum, artifact.checksum);
    assert.equal(artifact.source, source);
  });

  test(`${backend}: JSON is imported as data, whatever its names`, async () => {
    const json =
      '{ "a": [1, 2], "__proto__": { "evil": true }, "constructor": null, "s": "\\u2028 </script>" }';
    await using sandbox = await create({
      "data.json": json,
      main: `import data from "./data.json" with { type: "json" };
        export const text = () => JSON.stringify(data);
        export const isPlain = () => Object.getPrototypeOf(data) === Object.prototype && data.evil === undefined;`,
    });
    assert.deepEqual(JSON.parse(await ask<string>(sandbox, "main.text")), JSON.parse(json));
    assert.equal(await ask(sandbox, "main.isPlain"), true);
    const error = await refusalOf(compile('{\n "a": 1,\n "b": nope\n}', "data.json"), "PARSE_FAILED");
    assert.match(error.diagnostics[0]?.message ?? "", /^Not JSON/);
  });

  test(`${backend}: names that belong to the compiler are refused in every spelling`, async () => {
    const spellings = [
      "export const f = () => __vivarium_fuel__[0]",
      String.raw`export const f = () => \u005f_vivarium_fuel__[0]`,
      String.raw`export const f = () => __viv\u{61}rium_fuel__[0]`,
      "export const f = o => o.__vivarium_spend__()",
      'export const f = o => o["__vivarium_spend__"]',
      "__vivarium_loop: for (;;) break __vivarium_loop",
      "class A { #__vivarium_x = 1 }",
      "import { __vivarium_x as x } from './a'; export const y = x",
      "export const __vivarium_publish = 1",
      "const { __vivarium_fuel__ = 1 } = {}",
      "export const f = (...__vivarium_fuel__) => 1",
      "try {} catch (__vivarium_fuel__) {}",
    ];
    for (const source of spellings) {
      const error = await refusalOf(compile(source), "PARSE_FAILED");
      assert.match(error.message, /belong to the compiler/, source);
    }
  });

  test(`${backend}: a top level is strict and has neither a this nor arguments of ours`, async () => {
    await using sandbox = await create({
      main: `
        const self = this;
        let given; try { given = [...arguments] } catch (error) { given = error.message }
        export const top = () => [self === undefined, given, typeof arguments];
        export const strict = () => { try { undeclared = 1; return "sloppy" } catch (error) { return error.name } };
        export const caller = () => { try { return typeof strict.caller } catch (error) { return error.name } };`,
    });
    assert.deepEqual(await ask(sandbox, "main.top"), [true, "arguments is not defined", "undefined"]);
    assert.equal(await ask(sandbox, "main.strict"), "ReferenceError");
    assert.equal(await ask(sandbox, "main.caller"), "TypeError");
  });

  test(`${backend}: a module that is not there, or an export, is an outcome that names it`, async () => {
    await using sandbox = await create({
      main: "export const later = (name) => import(name).then((m) => m.x)",
    });
    const missing = await sandbox.call("main.later", { args: ["./nowhere"] });
    assert.ok(!missing.ok && missing.error.kind === "crashed");
    assert.match(missing.error.message, /Cannot import "\.\/nowhere" into module "main"/);
    assert.equal(await failureKind(sandbox, "main.none"), "not-found");
    assert.equal(await failureKind(sandbox, "other.none"), "not-found");
    const error = await refusalOf(create({ main: 'import "./gone"' }), "LOAD_FAILED");
    assert.equal(error.phase, "link");
    assert.match(error.message, /"\.\/gone" into "main"/);
  });
}
