// What a guest returns is data on the host's side, or refused with the place and the name of what cannot be: never an empty object.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createRuntime, type Outcome, type Runtime } from "../../../src/index.ts";

let runtime: Runtime;
before(async () => {
  runtime = await createRuntime({ cells: { count: 1 } });
});
after(() => runtime.close());

const returned = (body: string): Promise<Outcome> => runtime.once(`export default () => {\n${body}\n};`);

const refused: readonly (readonly [body: string, what: RegExp])[] = [
  ['return new URL("http://a/b");', /result is an instance of URL without/],
  ['return { where: [new URL("http://a/b")] };', /result\.where\[0\] is an instance of URL without/],
  ['return new Map([["q", new URLSearchParams("a=1")]]);', /\(value\) is an instance of URLSearchParams /],
  ["return class Point { static s = 1 };", /result is a function/],
  ["class Secret { #y = 2; } return [new Secret()];", /result\[0\] is an instance of Secret without/],
  ["return Temporal.Instant.fromEpochMilliseconds(0);", /an instance of Temporal\.Instant /],
  ["return new Intl.NumberFormat();", /an instance of Intl\.NumberFormat /],
  ["return [1][Symbol.iterator]();", /an instance of Array Iterator /],
  ["return { f() {} };", /result\.f is a function/],
  ["return { w: new WeakMap() };", /result\.w is a WeakMap/],
  ["return { p: Promise.resolve(1) };", /result\.p is a promise/],
  ["return (function* () {})();", /result is a generator/],
  ["return Object.create({ inherited: 1 });", /result is an object without/],
  [
    "class N { static { Object.defineProperty(this, 'name', { get() { for (;;); } }); } } return new N();",
    /result is an object without/,
  ],
  ["return Object.assign(new Error('x'), { retry() {} });", /result\.retry is a function/],
];

suite("a returned value that is no data is refused", () => {
  for (const [body, what] of refused)
    test(body, async () => {
      const outcome = await returned(body);
      assert.ok(!outcome.ok, "it must be refused");
      assert.equal(outcome.error.kind, "unserializable");
      assert.match(outcome.error.message, what);
    });
});

const crossing: readonly (readonly [body: string, value: unknown])[] = [
  ["class Point { x = 1; #y = 2; } return new Point();", { x: 1 }],
  ["class D extends Date {} return new D(5);", new Date(5)],
  ["class M extends Map {} return new M([[1, 2]]);", new Map([[1, 2]])],
  ["return Object.create(null);", {}],
  ["return [{}, [], new Map()];", [{}, [], new Map()]],
];

suite("a returned value that is data crosses", () => {
  for (const [body, value] of crossing)
    test(body, async () => {
      const outcome = await returned(body);
      assert.ok(outcome.ok, outcome.ok ? "" : outcome.error.message);
      assert.deepEqual(outcome.value, value);
    });
});

test("a returned error has its properties, its causes and stacks in the source's lines", async () => {
  const outcome = await returned(`
    interface Unused {}
    const cause: Error = new TypeError("inner");
    return [Object.assign(new RangeError("outer", { cause }), { code: 7, at: new Map([[1, 2]]) })];`);
  assert.ok(outcome.ok);
  const [error] = outcome.value as [RangeError & { code: number; at: unknown; cause: Error }];
  assert.ok(error instanceof RangeError);
  assert.deepEqual([error.message, error.code, error.at], ["outer", 7, new Map([[1, 2]])]);
  assert.match(error.stack ?? "", /^RangeError: outer\n    at .*main:5:\d+\)?$/);
  assert.match(error.cause.stack ?? "", /^TypeError: inner\n    at .*main:4:\d+\)?$/);
});

test("a returned AggregateError has its errors, and long lists of errors are mapped within a bound", async () => {
  const outcome = await returned(
    `return Array.from({ length: 2_000 }, () => new AggregateError([new Error("one")], "all"));`,
  );
  assert.ok(outcome.ok);
  const errors = outcome.value as AggregateError[];
  assert.equal(errors.length, 2_000);
  assert.ok(errors.every((error) => error instanceof AggregateError && error.errors.length === 1));
  assert.match(errors[0]?.stack ?? "", /main:2:\d+/);
});

test("structuredClone() of an instance without properties is an empty object, as elsewhere", async () => {
  const outcome = await returned("class Q {} return structuredClone([new Q()]);");
  assert.deepEqual(outcome.ok && outcome.value, [{}]);
});
