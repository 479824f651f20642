// What a guest throws arrives: its texts, its causes and its properties, of any value, within bounds.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import {
  createRuntime,
  LoadError,
  unwrap,
  type Runtime,
  type Sandbox,
  type Thrown,
} from "../../../src/index.ts";
import { thrownMax, thrownMoreMax } from "../../../src/model/runs/thrown-bounds.ts";

let runtime: Runtime;
before(async () => {
  runtime = await createRuntime({ cells: { count: 1 } });
});
after(() => runtime.close());

async function thrownBy(body: string): Promise<Thrown> {
  const outcome = await runtime.once(`export default () => {\n${body}\n};`, { timeoutMs: 5_000 });
  assert.ok(!outcome.ok, "it must throw");
  assert.equal(outcome.error.kind, "crashed", outcome.error.message);
  assert.ok(outcome.error.thrown);
  return outcome.error.thrown;
}

test("a SuppressedError tells both of its errors, each with its own", async () => {
  const { name, error, suppressed } = await thrownBy(
    "using a = { [Symbol.dispose]() { throw new TypeError('later', { cause: 5 }); } };\nthrow Object.assign(new Error('first'), { code: 7 });",
  );
  assert.equal(name, "SuppressedError");
  assert.deepEqual([error?.name, error?.message, error?.cause?.message], ["TypeError", "later", "5"]);
  assert.deepEqual([suppressed?.message, suppressed?.code], ["first", 7]);
  const outcome = await runtime.once("throw new SuppressedError(new Error('a'), 'b', 's');");
  const { cause } = assertThrows(() => unwrap(outcome));
  const told = cause as SuppressedError;
  assert.deepEqual([(told.error as Error).message, (told.suppressed as Error).message], ["a", "b"]);
  // Only of the language's own class, which may also lie in a circle.
  const circle = await thrownBy("const e = new SuppressedError(1, 2); e.error = e; throw e;");
  assert.equal(circle.error?.error?.error?.error?.error, undefined);
  const other = await thrownBy("throw Object.assign(new Error('o'), { error: 1, suppressed: 2 });");
  assert.deepEqual(
    [other.error, other.suppressed, other.properties],
    [undefined, undefined, { error: 1, suppressed: 2 }],
  );
});

function assertThrows(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new assert.AssertionError({ message: "it must throw" });
}

suite("a value that is no error", () => {
  const values: readonly (readonly [body: string, expected: Partial<Thrown>])[] = [
    [
      'throw { code: 7, msg: "custom" };',
      {
        name: "Object",
        message: "{ code: 7, msg: 'custom' }",
        stack: "",
        code: 7,
        properties: { code: 7, msg: "custom" },
      },
    ],
    ['throw "text";', { name: "string", message: "text" }],
    ["throw 42;", { name: "number", message: "42" }],
    ["throw null;", { name: "null", message: "null" }],
    ["throw undefined;", { name: "undefined", message: "undefined" }],
    ['throw Symbol("s");', { name: "symbol", message: "Symbol(s)" }],
    ["throw 5n;", { name: "bigint", message: "5" }],
    ["throw function f() {};", { name: "function", message: "[function f]" }],
    ["throw [1, [2, [3, [4]]]];", { name: "Array", message: "[ 1, [ 2, [array] ] ]" }],
    [
      "class Point { x = 1; #y = 2; } throw new Point();",
      { name: "Point", message: "Point { x: 1 }", properties: { x: 1 } },
    ],
    ["throw Object.create(null);", { name: "object", message: "{}" }],
    [
      'throw { message: "said", name: "Named", more: [1, { deep: true }] };',
      { name: "Named", message: "said", properties: { more: [1, { deep: true }] } },
    ],
  ];
  for (const [body, expected] of values)
    test(`arrives with what it says: ${body}`, async () => {
      const thrown = await thrownBy(body);
      for (const [key, value] of Object.entries(expected))
        assert.deepEqual(thrown[key as keyof Thrown], value, `${key} of ${JSON.stringify(thrown)}`);
    });
});

suite("an error", () => {
  test("arrives with its code, its cause and its other properties", async () => {
    const thrown = await thrownBy(`
      const inner = Object.assign(new TypeError("inner"), { code: "EINNER" });
      throw Object.freeze(Object.assign(new RangeError("outer", { cause: inner }), { code: "EOUT", at: { line: 3 } }));`);
    assert.deepEqual([thrown.name, thrown.message, thrown.code], ["RangeError", "outer", "EOUT"]);
    assert.deepEqual(thrown.properties, { code: "EOUT", at: { line: 3 } });
    assert.deepEqual(
      [thrown.cause?.name, thrown.cause?.message, thrown.cause?.code],
      ["TypeError", "inner", "EINNER"],
    );
    assert.match(thrown.stack, /at .*main:4:\d+/);
    assert.match(thrown.cause?.stack ?? "", /main:3:\d+/);
  });

  test("that joins others arrives with them", async () => {
    const thrown = await thrownBy(
      'throw new AggregateError([new Error("one"), "two", { three: 3 }], "all");',
    );
    assert.deepEqual([thrown.name, thrown.message], ["AggregateError", "all"]);
    assert.deepEqual(
      thrown.errors?.map(({ name, message }) => `${name}: ${message}`),
      ["Error: one", "string: two", "Object: { three: 3 }"],
    );
  });

  test("arrives with what is no JSON as texts, and without functions and getters", async () => {
    const thrown = await thrownBy(`
      let read = 0;
      const error = new Error("odd");
      Object.assign(error, { big: 5n, map: new Map([[1, 2]]), call() {}, hole: undefined, date: new Date(0) });
      Object.defineProperty(error, "spy", { enumerable: true, get() { read++; throw error; } });
      Object.defineProperty(error, "reads", { enumerable: true, value: { get count() { return read; } } });
      throw error;`);
    assert.deepEqual(thrown.properties, {
      big: "5n",
      map: "[Map]",
      date: "1970-01-01T00:00:00.000Z",
      reads: { count: 0 },
    });
  });

  test("whose cause is itself arrives within the bounds", async () => {
    let thrown: Thrown | undefined = await thrownBy(
      'const error = new Error("round"); error.cause = error; error.self = error; throw error;',
    );
    let depth = 0;
    for (; thrown?.cause !== undefined; thrown = thrown.cause) depth++;
    assert.equal(depth, thrownMoreMax.depth);
    assert.equal(thrown?.properties?.["self"], "Error: round");
  });

  test("of any size arrives within the bounds", async () => {
    const thrown = await thrownBy(`
      const error = new Error("x".repeat(1e5));
      for (let i = 0; i < 1e4; i++) error["k" + i] = "\\u0001".repeat(700);
      error.errors = Array.from({ length: 1e3 }, () => new Error("y".repeat(1e4)));
      throw error;`);
    assert.equal(thrown.message.length, thrownMax.message);
    const names = Object.keys(thrown.properties ?? {});
    assert.ok(names.length > 0 && names.length <= thrownMoreMax.properties, `${names.length} properties`);
    assert.ok((thrown.errors?.length ?? 0) <= thrownMoreMax.errors);
    assert.ok(JSON.stringify(thrown).length < 7 * thrownMoreMax.length);
  });

  test("cannot change the objects of the host by the names of its properties", async () => {
    const outcome = await runtime.once(`export default () => {
      const error = new Error("named");
      Object.defineProperty(error, "__proto__", { enumerable: true, value: { polluted: true } });
      throw Object.assign(error, { toString: 5, constructor: 6, then: 7 });
    };`);
    assert.ok(!outcome.ok);
    assert.throws(
      () => unwrap(outcome),
      ({ cause }: Error) => {
        assert.ok(cause instanceof Error);
        assert.equal(String(cause), "Error: named");
        assert.equal((cause as { polluted?: unknown }).polluted, undefined);
        assert.equal((cause as { then?: unknown }).then, 7);
        return true;
      },
    );
  });
});

suite("what cannot be read", () => {
  const hostile = [
    "throw new Proxy({}, { ownKeys() { throw 1; }, getOwnPropertyDescriptor() { throw 2; } });",
    "throw new Proxy(new Error('x'), { get() { throw 1; }, getPrototypeOf() { throw 2; }, ownKeys() { throw 3; } });",
    "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;",
    "Array.prototype.toJSON = () => 'forged'; throw { code: 1 };",
    "Object.prototype.value = 1; Object.prototype.get = () => 1; throw Object.assign(new Error('x'), { code: 1 });",
    "JSON.stringify = Object.keys = Reflect.ownKeys = () => { throw 1; }; throw { code: 1 };",
    "throw Object.assign(new Error('x'), { deep: (() => { let d = {}; for (let i = 0; i < 1e4; i++) d = { d }; return d; })() });",
  ];
  for (const body of hostile)
    test(`is crashed and leaves the host whole: ${body.slice(0, 70)}`, async () => {
      const thrown = await thrownBy(body);
      assert.equal(typeof thrown.message, "string");
    });
});

suite("what was thrown is the cause", () => {
  test("of the error of unwrap()", async () => {
    const outcome = await runtime.once(
      'export default () => { throw Object.assign(new RangeError("no", { cause: "why" }), { code: "E1" }); };',
    );
    assert.throws(
      () => unwrap(outcome),
      ({ name, cause }: Error) => {
        assert.ok(name === "GuestFailedError" && cause instanceof Error && cause.cause instanceof Error);
        assert.deepEqual([cause.name, cause.message, cause.cause.message], ["RangeError", "no", "why"]);
        assert.equal((cause as { code?: unknown }).code, "E1");
        assert.match(cause.stack ?? "", /^RangeError: no\n    at default \(main:1:\d+\)$/);
        return true;
      },
    );
  });

  test("of the error of create()", async () => {
    const error = await runtime
      .create("top", { modules: { main: 'throw Object.assign(new Error("top"), { code: 3 });' } })
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    assert.ok(error instanceof LoadError && error.cause instanceof Error);
    assert.deepEqual([error.cause.message, (error.cause as { code?: unknown }).code], ["top", 3]);
    assert.match(error.cause.stack ?? "", /main:1:\d+/);
    assert.deepEqual(error.failure?.thrown?.properties, { code: 3 });
  });
});

test("ask() tells what the server threw, with its properties and causes", async () => {
  const sandbox: Sandbox = await runtime.create("asked", {
    modules: {
      main: `import { server, supervisor } from "vivarium/guest";
      const Odd = server({
        init: () => 0,
        handleCall() { throw Object.assign(new Error("in a server", { cause: { code: 9 } }), { code: "E2" }); },
      });
      export default supervisor({ children: [{ id: "odd", start: Odd }] });`,
    },
    supervisor: "main",
  });
  const outcome = await sandbox.ask("odd", 1);
  assert.ok(!outcome.ok);
  const { thrown } = outcome.error;
  assert.deepEqual(
    [thrown?.name, thrown?.message, thrown?.code, thrown?.cause?.code],
    ["Error", "in a server", "E2", 9],
  );
});

test("what cannot be read has a message that says so", async () => {
  const main = `
     export const revoked = () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy; };
     export const getter = () => { throw { get message() { throw 1; } }; };`;
  await using sandbox = await runtime.create({ modules: { main } });
  for (const name of ["revoked", "getter"]) {
    const outcome = await sandbox.call(`main.${name}`);
    assert.ok(!outcome.ok);
    assert.equal(outcome.error.thrown?.message, "(a value that cannot be read)");
  }
});
