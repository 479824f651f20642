// What a guest leaves in its context, sought by another guest in the same isolate: beside it, or there after it. Each is found by
// the guest that left it, and by no other.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createRuntime, type Runtime, type Sandbox } from "../../src/index.ts";

const attemptsMin = 30;

/** Statements that leave something, and an expression that is true where it is found. */
const attempts: Readonly<Record<string, readonly [leave: string, seek: string]>> = {
  "a global": ["globalThis.left = 1", "globalThis.left === 1"],
  "a global with a registered symbol": [
    "globalThis[Symbol.for('left')] = 1",
    "globalThis[Symbol.for('left')] === 1",
  ],
  "a getter of the global object": [
    "Object.defineProperty(globalThis, 'later', { get: () => 7, configurable: true })",
    "globalThis.later === 7",
  ],
  "a property of the global object's prototype": [
    "Object.getPrototypeOf(globalThis).left = 1",
    "Object.getPrototypeOf(globalThis).left === 1",
  ],
  "Object.prototype": ["Object.prototype.left = 1", "({}).left === 1"],
  "Function.prototype": ["Function.prototype.left = 1", "(() => {}).left === 1"],
  "Array.prototype": ["Array.prototype.left = 1", "[].left === 1"],
  "a trap behind Array.prototype": [
    "Object.setPrototypeOf(Array.prototype, new Proxy({}, { get: (_, name) => name === 'trap' ? 1 : undefined }))",
    "[].trap === 1",
  ],
  "the prototype of iterators": [
    "Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())).left = 1",
    "[][Symbol.iterator]().left === 1",
  ],
  "the prototype of generators": [
    "Object.getPrototypeOf(function* () {}).left = 1",
    "(function* () {}).left === 1",
  ],
  "the prototype of async functions": [
    "Object.getPrototypeOf(async () => {}).left = 1",
    "(async () => {}).left === 1",
  ],
  "the prototype of typed arrays": [
    "Object.getPrototypeOf(Uint8Array.prototype).left = 1",
    "new Float64Array(1).left === 1",
  ],
  "the prototype of promises": ["Promise.prototype.left = 1", "Promise.resolve().left === 1"],
  "then, replaced": [
    "const { then } = Promise.prototype; Promise.prototype.then = function (...a) { return then.apply(this, a) }",
    "!/native/.test(Function.prototype.toString.call(Promise.prototype.then))",
  ],
  "the species of arrays": [
    "Object.defineProperty(Array, Symbol.species, { value: Map, configurable: true })",
    "Array[Symbol.species] === Map",
  ],
  "Symbol.prototype": ["Symbol.prototype.left = 1", "Symbol('x').left === 1"],
  "what a registered symbol is made of": [
    "Symbol.for('shared').constructor.left = 1",
    "Symbol.for('shared').constructor.left === 1",
  ],
  "BigInt.prototype.toJSON": [
    "BigInt.prototype.toJSON = () => 1",
    "typeof BigInt.prototype.toJSON === 'function'",
  ],
  "Number.prototype as iterable": [
    "Number.prototype[Symbol.iterator] = [][Symbol.iterator]",
    "typeof (1)[Symbol.iterator] === 'function'",
  ],
  "the last match of a regular expression": ["/(left)/.exec('left')", "RegExp.$1 === 'left'"],
  "RegExp.prototype.exec, replaced": [
    "const { exec } = RegExp.prototype; RegExp.prototype.exec = function (text) { return exec.call(this, text) ?? ['trap'] }",
    "/a/.exec('b')?.[0] === 'trap'",
  ],
  "String.prototype.split, replaced": [
    "String.prototype.split = () => ['trap']",
    "'a'.split('')[0] === 'trap'",
  ],
  "Map.prototype.get, replaced": ["Map.prototype.get = () => 'trap'", "new Map().get(1) === 'trap'"],
  "JSON.stringify, replaced": ["JSON.stringify = () => 'trap'", "JSON.stringify(1) === 'trap'"],
  "JSON.parse, replaced": ["JSON.parse = () => 'trap'", "JSON.parse('1') === 'trap'"],
  "Math.random, replaced": ["Math.random = () => 0.125", "Math.random() === 0.125"],
  "Date.now, replaced": ["Date.now = () => 5", "Date.now() === 5"],
  "Reflect.ownKeys, replaced": ["Reflect.ownKeys = () => ['trap']", "Reflect.ownKeys({})[0] === 'trap'"],
  "Object.defineProperty, replaced": [
    "Object.defineProperty = () => 'trap'",
    "Object.defineProperty({}, 'a', {}) === 'trap'",
  ],
  "Array.from, replaced": ["Array.from = () => ['trap']", "Array.from([])[0] === 'trap'"],
  "Error, replaced": [
    "globalThis.Error = class Trap extends Error {}",
    "new Error().constructor.name === 'Trap'",
  ],
  "the length of stack traces": ["Error.stackTraceLimit = 3", "Error.stackTraceLimit === 3"],
  "console.log, replaced": ["console.log = () => 'trap'", "console.log() === 'trap'"],
  "setTimeout, replaced": ["globalThis.setTimeout = () => 'trap'", "setTimeout(() => {}, 0) === 'trap'"],
  "queueMicrotask, replaced": [
    "globalThis.queueMicrotask = () => 'trap'",
    "queueMicrotask(() => {}) === 'trap'",
  ],
  "structuredClone, replaced": ["globalThis.structuredClone = () => 'trap'", "structuredClone(1) === 'trap'"],
  "performance.now, replaced": ["performance.now = () => -1", "performance.now() === -1"],
  "URL.prototype": ["URL.prototype.left = 1", "new URL('a:b').left === 1"],
  "TextEncoder.prototype": ["TextEncoder.prototype.left = 1", "new TextEncoder().left === 1"],
  "the prototype of formats": ["Intl.NumberFormat.prototype.left = 1", "new Intl.NumberFormat().left === 1"],
  "the state of a module of the same name": ["box.count = 1", "box.count === 1"],
  "a buffer that is kept": [
    "globalThis.kept = new Uint8Array(2 ** 20).fill(0xab)",
    "(globalThis.kept ?? new Uint8Array(2 ** 20)).includes(0xab)",
  ],
  "a reference that keeps nothing alive": [
    "globalThis.target = {}; globalThis.weak = new WeakRef(globalThis.target)",
    "globalThis.weak?.deref() !== undefined",
  ],
  "a timer that is set": [
    "globalThis.timer = setTimeout(() => {}, 60_000)",
    "globalThis.timer !== undefined",
  ],
  "a promise that somebody waits for": [
    "globalThis.waiting = new Promise((go) => (globalThis.go = go)); globalThis.waiting.then(() => (globalThis.left = 1))",
    "typeof globalThis.go === 'function'",
  ],
};

const modulesOf = ([leave, seek]: readonly [string, string]): Record<string, string> => ({
  state: "export const box = { count: 0 };",
  main: `import { box } from "./state";
export function leave() { ${leave}; return 1; }
export function seek() { return box !== undefined && (${seek}); }`,
});

async function answerOf(sandbox: Sandbox, target: `main.${string}`): Promise<unknown> {
  const outcome = await sandbox.call(target);
  return outcome.ok ? outcome.value : outcome.error;
}

const finds = (sandbox: Sandbox): Promise<unknown> => answerOf(sandbox, "main.seek");

async function isolateOf(sandbox: Sandbox): Promise<number> {
  return (await sandbox.info()).usage.isolate;
}

let runtime: Runtime;

before(async () => {
  runtime = await createRuntime({
    cells: { count: 1, spare: 0, warm: 0, sliceMs: 1_000 },
    limits: { timeoutMs: 5_000 },
  });
});

after(() => runtime.close());

test(`there are at least ${attemptsMin} attempts`, () => {
  assert.ok(Object.keys(attempts).length >= attemptsMin);
});

suite("beside each other in one isolate, a guest does not find", () => {
  for (const [name, attempt] of Object.entries(attempts)) {
    test(name, async () => {
      const spec = { modules: modulesOf(attempt), placement: { dense: true } };
      await using first = await runtime.create(spec);
      await using second = await runtime.create(spec);
      assert.equal(await answerOf(first, "main.leave"), 1);
      assert.equal(await finds(second), false);
      assert.equal(await finds(first), true);
      assert.equal(await isolateOf(second), await isolateOf(first));
    });
  }
});

// One sandbox leaves something and is gone, and another looks for it; whether it did so in the same isolate.
async function leaveAndLook(modules: Record<string, string>): Promise<boolean> {
  const spec = { modules, limits: { memoryBytes: 32 * 2 ** 20 } };
  const first = await runtime.create(spec);
  assert.equal(await answerOf(first, "main.leave"), 1);
  assert.equal(await finds(first), true);
  const isolate = await isolateOf(first);
  await first.destroy();
  await using second = await runtime.create(spec);
  assert.equal(await finds(second), false);
  return (await isolateOf(second)) === isolate;
}

suite("after another in the same isolate, a guest does not find", () => {
  for (const [name, attempt] of Object.entries(attempts)) {
    test(name, async () => {
      const isInSame = (): Promise<boolean> => leaveAndLook(modulesOf(attempt));
      // After some contexts an isolate is full of garbage: then the second sandbox has a new one, and the next two are in that.
      assert.ok((await isInSame()) || (await isInSame()));
    });
  }
});
