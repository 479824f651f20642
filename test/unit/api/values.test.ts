// Values cross into a sandbox and back as they are; what is not data is refused, with the path to it.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { mistakeOf, errorOf } from "../../support/errors.ts";
import { assertFailed, valueOf } from "../../support/outcomes.ts";
import { createMain, startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const sandbox = await createMain(
  runtime,
  `export const echo = (...args) => args.length === 1 ? args[0] : args;
   export const make = (name) => made[name]();
   export const stacksOf = (error) => [error.stack, error.cause.stack];
   export const kindOf = (value) => Object.prototype.toString.call(value);
   const made = {
     function: () => () => 1,
     symbol: () => ({ a: [Symbol("s")] }),
     promise: () => ({ a: Promise.resolve(1) }),
     weakMap: () => [new WeakMap()],
     generator: () => ({ g: (function* () {})() }),
     deep: () => { let value = 1; for (let i = 0; i < 300; i++) value = [value]; return value; },
     getter: () => ({ get a() { throw new RangeError("from a getter"); } }),
     proxy: () => new Proxy({ a: 1 }, { get: (target, key) => (key === "a" ? 2 : target[key]) }),
     thenable: () => ({ then: (resolve) => resolve("settled") }),
     frozen: () => Object.freeze({ a: Object.freeze([1]) }),
     undefined: () => undefined,
     error: () => new Error("own"),
   };`,
);
const echo = async (value: unknown): Promise<unknown> =>
  valueOf(await sandbox.call("main.echo", { args: [value] }));

const cycle: Record<string, unknown> = { list: [1] };
cycle["self"] = cycle;

const values: Readonly<Record<string, unknown>> = {
  undefined,
  null: null,
  "minus zero": -0,
  NaN: Number.NaN,
  "a number": 1.5,
  zero: 0,
  "a bigint": -(2n ** 70n),
  "a text": 'größe "😀" \ud800',
  "a long text": "x".repeat(5_000),
  "a tree": { a: [1, { b: [null, true] }] },
  "a Map of Sets": new Map([["k", new Set([1, "2"])]]),
  "a Date": new Date(5),
  "a RegExp": /a\/b/gi,
  bytes: new Uint8Array([1, 2, 255]),
  floats: new Float64Array([0.1, Number.NaN]),
  "a buffer": new Uint8Array([7]).buffer,
  "a boxed number": Object(5),
  "a list with holes and undefined": Object.assign([], { 0: 1, 2: undefined, length: 5 }),
  "an own __proto__": JSON.parse('{"__proto__":{"a":1}}') as unknown,
  "a cycle": cycle,
};

for (const [name, value] of Object.entries(values))
  test(`${name} comes back as it went`, async () => assert.deepStrictEqual(await echo(value), value));

test("several arguments arrive in their order, however many they are", async () => {
  for (const args of [
    [],
    [1, "a"],
    [1, null, true],
    [1, 2, 3, 4],
    [undefined, 1],
    Array.from({ length: 50 }, (_, n) => n),
  ])
    assert.deepStrictEqual(valueOf(await sandbox.call("main.echo", { args })), args);
});

test("an Error comes back with its class, message and cause", async () => {
  const crossed = await echo(new TypeError("odd", { cause: new RangeError("inner") }));
  assert.ok(crossed instanceof TypeError && crossed.cause instanceof RangeError);
  assert.deepEqual([crossed.message, crossed.cause.message], ["odd", "inner"]);
});

test("an Error leaves its stack outside, which tells of the host's files; a guest's own comes along", async () => {
  const error = new TypeError("odd", { cause: new RangeError("inner") });
  const stacks = valueOf(await sandbox.call("main.stacksOf", { args: [error] }));
  assert.deepEqual(stacks, ["TypeError: odd", "RangeError: inner"]);
  const own = valueOf(await sandbox.call<Error>("main.make", { args: ["error"] }));
  assert.match(own.stack ?? "", /^Error: own\n +at .*main:/);
});

test("inside, values are of the guest's own classes", async () => {
  for (const [value, kind] of [
    [new Map(), "[object Map]"],
    [new Date(), "[object Date]"],
    [new Uint8Array(1), "[object Uint8Array]"],
    [/a/, "[object RegExp]"],
    [[], "[object Array]"],
  ] as const)
    assert.equal(valueOf(await sandbox.call("main.kindOf", { args: [value] })), kind);
});

suite("arguments that are not data", () => {
  const rows: readonly (readonly [string, unknown[], string])[] = [
    ["a function", [() => 1], "args[0] as it must be data: it is a function"],
    ["a symbol", [1, { a: Symbol("s") }], "args[1].a as it must be data: it is a symbol"],
    ["a promise", [[Promise.resolve()]], "args[0][0] as it must be data: it is a promise"],
    ["a WeakMap", [{ m: new WeakMap() }], "args[0].m as it must be data: it is a WeakMap"],
    ["shared memory", [new SharedArrayBuffer(4)], "args[0] as it must be data: it is shared memory"],
    ["a generator", [(function* () {})()], "args[0] as it must be data: it is a generator"],
    [
      "a function in a Map",
      [new Map([["k", () => 1]])],
      "args[0].(value) as it must be data: it is a function",
    ],
  ];
  for (const [name, args, part] of rows) {
    test(`${name} is refused with its path, by call, run and module`, async () => {
      for (const act of [
        () => sandbox.call("main.echo", { args }),
        () => sandbox.run((_: object, ...all: unknown[]) => all.length, { args }),
        () => (sandbox.module("main") as Record<string, (...all: unknown[]) => unknown>)["echo"]?.(...args),
      ]) {
        const { message } = await mistakeOf(act, "UNSERIALIZABLE");
        assert.ok(message.includes(part), message);
      }
    });
  }

  test("arguments nested too deep are refused", async () => {
    let value: unknown = 1;
    for (let i = 0; i < 300; i++) value = [value];
    assert.match(
      (await mistakeOf(() => sandbox.call("main.echo", { args: [value] }), "UNSERIALIZABLE")).message,
      /deeper/,
    );
  });

  test("a getter of the caller's own that throws is told as the cause", async () => {
    const cause = new RangeError("mine");
    const args = [Object.defineProperty({}, "a", { enumerable: true, get: () => assert.fail(cause) })];
    const error = await errorOf(() => sandbox.call("main.echo", { args }), "UNSERIALIZABLE");
    assert.ok(error.cause instanceof Error);
  });

  test("a buffer that was given away is refused", async () => {
    const buffer = new ArrayBuffer(8);
    structuredClone(buffer, { transfer: [buffer] });
    await mistakeOf(() => sandbox.call("main.echo", { args: [buffer] }), "UNSERIALIZABLE");
  });
});

suite("results that are not data", () => {
  const rows: Readonly<Record<string, RegExp>> = {
    function: /result is a function$/,
    symbol: /result\.a\[0\] is a symbol$/,
    promise: /result\.a is a promise$/,
    weakMap: /result\[0\] is a WeakMap$/,
    generator: /result\.g is a generator$/,
    deep: /nested deeper than 200$/,
  };
  for (const [name, message] of Object.entries(rows)) {
    test(`a result with a ${name} ends with unserializable, and says where`, async () => {
      const outcome = await sandbox.call("main.make", { args: [name] });
      assertFailed(outcome, "unserializable");
      assert.match(outcome.error.message, message);
    });
  }

  test("a getter that throws crashes the run, a proxy and a thenable are read inside", async () => {
    const outcome = await sandbox.call("main.make", { args: ["getter"] });
    assertFailed(outcome, "crashed");
    assert.match(outcome.error.message, /from a getter/);
    assert.deepEqual(valueOf(await sandbox.call("main.make", { args: ["proxy"] })), { a: 2 });
    assert.equal(valueOf(await sandbox.call("main.make", { args: ["thenable"] })), "settled");
  });

  test("undefined and frozen results are ordinary values", async () => {
    assert.equal(valueOf(await sandbox.call("main.make", { args: ["undefined"] })), undefined);
    const value = valueOf(await sandbox.call<{ a: number[] }>("main.make", { args: ["frozen"] }));
    value.a.push(2);
    assert.deepEqual(value, { a: [1, 2] });
  });
});
