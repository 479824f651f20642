// Functions that are shipped into a sandbox: every way to write one, what it sees there, and what it does not.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { functionOf } from "../../support/guests.ts";
import { assertFailed, valueOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();
const sandbox = await runtime.create({
  modules: {
    main: "let count = 0; export const twice = (n: number) => n * 2; export const bump = () => ++count;",
    util: "export const greet = (name: string) => `hello ${name}`; export default () => 'default';",
  },
});

interface Modules {
  readonly main: { twice(n: number): number; bump(): number };
  readonly util: { greet(name: string): string; default(): string };
}

suite("ways to write a function", () => {
  const outside = 5;
  const object = {
    method: (): number => 0,
    classify(_: object, n: number): number {
      return n + 1;
    },
    async later(_: object, n: number): Promise<number> {
      await Promise.resolve();
      return n + 1;
    },
    async(_: object, n: number): number {
      return n + 1;
    },
    class(_: object, n: number): number {
      return n + 1;
    },
    "a b"(_: object, n: number): number {
      return n + 1;
    },
    ["computed"](_: object, n: number): number {
      return n + 1;
    },
  };
  class Holder {
    static make(_: object, n: number): number {
      return n + 1;
    }
    own(_: object, n: number): number {
      return n + 1;
    }
  }
  type Shipped = (modules: object, n: number) => number | Promise<number>;
  const ways: Readonly<Record<string, Shipped>> = {
    "an arrow": (_, n) => n + 1,
    "an arrow with one parameter": ((classes: object) => (typeof classes === "object" ? 2 : 0)) as Shipped,
    "an arrow whose parameter has foreign letters": functionOf("größe => 2") as Shipped,
    "an async arrow": async (_, n) => Promise.resolve(n + 1),
    "an async arrow with one parameter": functionOf("async modules => 2") as Shipped,
    "an arrow that gives an object": ((_: object, n: number) => ({ n }).n + 1) as Shipped,
    "a function": function (_, n) {
      return n + 1;
    },
    "a named function": function named(_, n): number {
      return n > 0 ? named(_, n - 1) : 2;
    },
    "an async function": async function (_, n) {
      await Promise.resolve();
      return n + 1;
    },
    // oxlint-disable typescript/unbound-method -- they travel as source, without a this
    "a method whose name begins with class": object.classify,
    "an async method": object.later,
    "a method named async": object.async,
    "a method named class": object.class,
    "a method with a name in quotes": object["a b"],
    "a method with a computed name": object["computed"],
    "a static method": Holder.make,
    "a method of a class": new Holder().own,
    // oxlint-enable typescript/unbound-method
    "a function with defaults and rest": (_, n, ...[more = 1]: number[]) => n + more,
  };
  for (const [what, fn] of Object.entries(ways))
    test(`${what} is shipped and called`, async () => {
      assert.equal(valueOf(await sandbox.run(fn, { args: [1] })), 2);
    });

  test("what closes over a variable outside fails with a ReferenceError that says why", async () => {
    const outcome = await sandbox.run(() => outside + 1);
    assertFailed(outcome, "crashed");
    assert.match(
      outcome.error.message,
      /^ReferenceError: outside is not defined \(a function given to run\(\) travels as source/,
    );
    assert.equal(outcome.error.thrown?.name, "ReferenceError");
  });
});

suite("what a shipped function sees", () => {
  test("the sandbox's modules come first, then its arguments", async () => {
    const outcome = await sandbox.run(
      ({ main, util }: Modules, n: number, name: string) => [main.twice(n), util.greet(name), util.default()],
      { args: [21, "you"] },
    );
    assert.deepEqual(valueOf(outcome), [42, "hello you", "default"]);
  });

  test("module variables are those that calls see", async () => {
    const before = valueOf(await sandbox.call<number>("main.bump"));
    assert.equal(valueOf(await sandbox.run(({ main }: Modules) => main.bump())), before + 1);
    assert.equal(valueOf(await sandbox.call("main.bump")), before + 2);
  });

  test("modules cannot be replaced through it", async () => {
    const outcome = await sandbox.run((modules: Record<string, unknown>) => {
      modules["main"] = null;
      return 1;
    });
    assertFailed(outcome, "crashed");
    assert.equal(valueOf(await sandbox.call("main.twice", { args: [2] })), 4);
  });

  test("neither the host's globals nor its imports", async () => {
    const globals = [
      "process",
      "require",
      "fetch",
      "Buffer",
      "module",
      "global",
      "WebAssembly",
      "SharedArrayBuffer",
    ];
    const outcome = await sandbox.run(
      (_: object, names: string[]) => names.filter((name) => name in globalThis),
      { args: [globals] },
    );
    assert.deepEqual(valueOf(outcome), []);
    const refused = await sandbox.run(functionOf('async () => import("node:fs")'));
    assertFailed(refused, "rejected");
    const imported = await sandbox.run(functionOf('async () => import("./main")'));
    assertFailed(imported, "crashed");
    assert.match(imported.error.message, /a function given to run\(\) cannot import/);
  });

  test("arguments of every kind of data", async () => {
    const args: [Map<string, number>, bigint] = [new Map([["a", 1]]), 5n];
    const outcome = await sandbox.run(
      (_: object, map: Map<string, number>, n: bigint) => [map.get("a"), n + 1n],
      { args },
    );
    assert.deepEqual(valueOf(outcome), [1, 6n]);
  });
});

test("a function that is no program ends with compile and tells where", async () => {
  const source = Object.assign(() => 1, {});
  Object.defineProperty(source, "toString", { value: () => "ignored" });
  assert.equal(valueOf(await sandbox.run(source)), 1);
  const outcome = await sandbox.run(functionOf("function () { return __vivarium_x; }"));
  assertFailed(outcome, "compile");
  assert.equal(outcome.error.diagnostics?.length, 1);
});

test("what it throws is told in its own lines", async () => {
  const outcome = await sandbox.run(function explode(): number {
    const message = "from within";
    throw new TypeError(message);
  });
  assertFailed(outcome, "crashed");
  assert.deepEqual([outcome.error.thrown?.name, outcome.error.thrown?.message], ["TypeError", "from within"]);
  assert.match(outcome.error.thrown?.stack ?? "", /at explode \(#run:3:\d+\)/);
});

test("the same function is compiled once, however often it is shipped", async () => {
  const fn = (_: object, n: number): number => n * 31;
  valueOf(await sandbox.run(fn, { args: [1] }));
  const before = (await runtime.metrics()).compile.misses;
  for (let n = 0; n < 20; n++) assert.equal(valueOf(await sandbox.run(fn, { args: [n] })), n * 31);
  assert.equal((await runtime.metrics()).compile.misses, before);
});

test("a hundred different functions can be shipped into one sandbox", async () => {
  for (let n = 0; n < 100; n++) assert.equal(valueOf(await sandbox.run(functionOf(`() => ${n}`))), n);
});

test("its deadline and its signal are its own", async () => {
  const forever = (): never => {
    for (;;);
  };
  assertFailed(await sandbox.run(forever, { timeoutMs: 50 }), "timeout", "timeoutMs");
  const outcome = await sandbox.run(forever, { signal: AbortSignal.timeout(50), timeoutMs: 20_000 });
  assertFailed(outcome, "cancelled");
  assert.equal(outcome.error.reason, "signal");
});
