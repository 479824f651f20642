// Large functions mean what they mean in the language, although their code is moved: whatever a program can see of itself is as
// it was written.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { errorOf } from "../support/errors.ts";
import { statementKinds } from "../support/large-functions.ts";
import { valueOf } from "../support/outcomes.ts";
import { createMain, startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();
const limits = { loadMs: 60_000, timeoutMs: 60_000 };

/** Statements that make a function large; they use and change `s`. */
const filler = `let s = 0, i = 1, o = { a: 1, b: { x: 1, y: 2 }, c: [1, 2, 3] };
${Array.from({ length: 200 }, (_, k) => statementKinds["branches"]?.(k)).join("\n")}`;

/** An expression that is large, of the value 1. */
const heavy = `(${Array.from({ length: 300 }, (_, k) => `(globalThis.x${k} ? 1 : 0)`).join(" || ")} || 1)`;

async function valueIn(source: string): Promise<unknown> {
  await using sandbox = await createMain(runtime, source, limits);
  return valueOf(await sandbox.call("main.run"));
}

/** What `run` returns, with and without what makes it large. */
const programs: Readonly<Record<string, string>> = {
  "a var with the name of a parameter begins with its value": `
export const run = () => {
  function f(a, { b }, c = () => a) { FILL; var a, b = b + 1; { var c; } a += 5; return [a, b, c(), arguments[0]]; }
  return f(1, { b: 2 });
};`,
  "a function with the name of a parameter stands in its place": `
export const run = () => { function f(a) { FILL; var a; function a() {} return typeof a; } return f(1); };`,
  "this, arguments, new.target and super are those of the function": `
class A { m(x) { return ["A", x, this.k]; } get g() { return this.k + 1; } set p(v) { this.q = v; } }
class B extends A {
  k = 3;
  constructor(...given) { FILL; super(); this.given = [arguments.length, given.length, new.target === B]; }
  m(x) { FILL; super.p = 9; return [super.m(x), super.g, this.q, arguments.length, this.given]; }
}
export const run = () => new B(1, 2).m(7, 8);`,
  "a constructor that returns an object, and one that does not": `
class A { constructor() { FILL; return { other: true }; } }
class B { constructor() { FILL; this.own = true; } }
export const run = () => [new A(), { ...new B() }];`,
  "a derived constructor that does not call super throws": `
class A {}
class B extends A { constructor() { FILL; } }
export const run = () => { try { new B(); } catch (error) { return [error.name, error.message]; } };`,
  "a generator gets what is sent, thrown and returned": `
function* g(a) { FILL; try { const x = yield [a, arguments.length, this === undefined]; const y = yield x; yield y; }
  catch (error) { yield "caught " + error; } finally { yield "finally"; } return "end"; }
export const run = () => {
  const one = g(1, 2), two = g(3), three = g(4);
  return [one.next(0), one.next("x"), one.throw("t"), one.next(), one.next(), one.next(),
    two.next(), two.return("r"), two.next(), three.return(5), three.next(),
    Object.getPrototypeOf(one) === g.prototype, [...g(7)].length];
};`,
  "a generator whose methods were replaced is driven by the replaced ones only from outside": `
function* g() { FILL; yield 1; yield 2; }
export const run = () => {
  const prototype = Object.getPrototypeOf(g.prototype), { next } = prototype;
  let calls = 0;
  prototype.next = function (x) { calls++; return next.call(this, x); };
  prototype.apply = Function.prototype.apply = () => { throw new Error("seen"); };
  const values = [...g()];
  return [values, calls];
};`,
  "an async generator gets what is sent, thrown and returned": `
async function* g(a) { FILL; try { const x = yield a; yield Promise.resolve(x); } catch (error) { yield "caught " + error; } return "end"; }
export const run = async () => {
  const one = g(1), two = g(2);
  return [await one.next(), await one.next("x"), await one.throw("t"), await one.next(), await two.next(), await two.return(3)];
};`,
  "an async function rejects with what it throws": `
async function f(x) { FILL; await 0; if (x) throw new TypeError("no"); return arguments.length; }
export const run = async () => [await f(0, 1), await f(1).catch((error) => error.message), f(0) instanceof Promise];`,
  "fields and static blocks are computed in their order": `
const log = [];
class A {
  a = (log.push("a"), HEAVY);
  static b = (log.push("b"), this.name, HEAVY);
  static { log.push("static"); var v = 1; FILL; }
  c = () => this.a;
  d = class {};
  [(log.push("key"), "e")] = this.c() + HEAVY;
  static { log.push("last"); }
}
export const run = () => { const made = new A(); return [log, { ...made, c: made.c.name, d: made.d.name }, A.b]; };`,
  "default values see the parameters before them, and throw where they are too early": `
const f = (a = HEAVY, b = a + HEAVY, { c = b, d = HEAVY } = {}) => { FILL; return [a, b, c, d]; };
const g = (a = b, b = HEAVY) => a;
export const run = () => { try { g(); } catch (error) { return [f(), f(5), f.length, error.message]; } };`,
  "names and lengths are as they are written": `
const f = (a, b) => { FILL; }; const g = async (a) => HEAVY; function h(a, b = 1) { FILL; } class C { static m(a) { FILL; } }
export const run = () => [f, g, h, C.m].map(({ name, length }) => [name, length]);`,
  "toString shows the source": `
const f = (a, b = HEAVY) => { FILL; for (const x of []) s++; return s; };
class C { x = HEAVY; static { FILL; } *m() { while (s < 0) s++; FILL; } }
export const run = () => [f, C, C.prototype.m].map((it) => it.toString());`,
};

suite("in large functions", () => {
  for (const [what, program] of Object.entries(programs)) {
    test(what, async () => {
      const large = program.replaceAll("FILL", filler).replaceAll("HEAVY", heavy);
      const small = program.replaceAll("FILL", "let s = 0").replaceAll("HEAVY", "1");
      const [value, expected] = [await valueIn(large), await valueIn(small)];
      if (what.startsWith("toString"))
        assert.deepEqual(
          (value as string[]).every((text) => large.includes(text)),
          true,
        );
      else assert.deepEqual(value, expected);
    });
  }

  test("stacks show the functions that were written, at the places inside of them", async () => {
    const value = await valueIn(`const where = () => new Error("here").stack;
class A { m() { ${filler}
    return where(); } }
function* g() { ${filler}
    yield new A().m(); }
const f = async () => { ${filler}
    await 0;
    return g().next().value; };
export const run = async () => {
  const stack = await f();
  Error.prepareStackTrace = (_, sites) => sites.map((site) => [site.getFunctionName(), site.getLineNumber(), String(site)]);
  const sites = await f();
  return { stack, sites };
};`);
    const { stack, sites } = value as { stack: string; sites: [string, number, string][] };
    const names = sites.map(([name]) => name);
    assert.deepEqual(names.slice(0, 3), ["where", "m", "g"]);
    assert.deepEqual(stack.replaceAll("vivarium:", "").split("\n    at "), [
      "Error: here",
      "where (main:1:21)",
      "A.m (main:203:12)",
      "g (main:405:19)",
      "g.next (<anonymous>)",
      "f (main:608:16)",
      "async run (main:610:17)",
    ]);
    assert.ok(sites[1]?.[2].startsWith("A.m (") && sites[1][1] === 203, JSON.stringify(sites));
    assert.doesNotMatch(JSON.stringify(value), /vivarium_/);
  });

  test("a stack of a large top level has its place and no name", async () => {
    const value = await valueIn(
      `${filler}\nconst { stack } = new Error("here");\nexport const run = () => stack;`,
    );
    assert.match(String(value), /^Error: here\n    at [^ ]*:202:19$/);
  });
});

suite("what cannot be divided is refused:", () => {
  for (const [what, source, message] of [
    [
      "a large generator that uses super",
      `class A { *m() { ${filler}\nyield super.m; } }`,
      /A generator that uses super must be smaller/,
    ],
    [
      "parameters of thousands of patterns",
      `export const f = (${Array.from({ length: 400 }, (_, k) => `[a${k}]`).join()}) => 1;`,
      /The parameters of a function must be smaller/,
    ],
    [
      "fields of a class that are thousands of classes",
      `export class A { ${Array.from({ length: 1_200 }, (_, k) => `x${k} = class {};`).join("")} }`,
      /The fields of a class must be smaller together/,
    ],
  ] as const)
    test(what, async () => {
      const error = await errorOf(() => createMain(runtime, source, limits), "PARSE_FAILED");
      assert.match(error.message, message);
    });

  for (const [what, source] of [
    ["a key", String.raw`export const o = { "\x5f_vivarium_large": () => {} };`],
    ["a member", String.raw`this["\u005f_vivarium_large"] = function () {};`],
    ["a template", "export const o = {}; o[`\\x5f_vivarium_large`] = function () {};"],
    ["a method", String.raw`export class A { "\x5f_vivarium_large"() {} }`],
  ] as const)
    test(`the reserved name, written with escapes, as ${what}`, async () => {
      const error = await errorOf(() => createMain(runtime, source, limits), "PARSE_FAILED");
      assert.match(String(error), /belong to the compiler/);
    });
});
