// Values of every kind that the boundary knows, and of those that it does not, as expressions: for guests and for hosts.
import { runInThisContext } from "node:vm";
import type { Dice } from "./dice.ts";

const leaves = [
  "undefined",
  "null",
  "true",
  "-0",
  "NaN",
  "-Infinity",
  "2 ** 53",
  "5e-324",
  "-(2n ** 200n)",
  "''",
  "'__proto__'",
  "'\\ud800'",
  "'V[0]'",
  "'\\u0000\\u2028\\u{1f600}'",
  "'x'.repeat(1e5)",
  "'é'.repeat(2e6)",
  "Symbol()",
  "Symbol.for('a')",
  "Symbol.iterator",
  "() => 1",
  "function () { return this; }",
  "async () => { throw 1; }",
  "class { static a = 1; }",
  "new (class Odd { #a = 1; b = 2; get c() { return this.#a; } })()",
  "new (class extends Array { a = 1; })(3)",
  "new (class extends Map { get size() { throw 1; } })([[1, 2]])",
  "Object.create(null)",
  "Object.create({ inherited: 1 })",
  'JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}\')',
  "Object.freeze([1])",
  "[, 1, , ]",
  "Object.assign([], { length: 2 ** 32 - 1 })",
  "Object.assign([1], { a: 2 })",
  "new Date(NaN)",
  "new Date(-8.64e15)",
  "/(a+)+$/giu",
  "Object.assign(/a/, { lastIndex: {} })",
  "new Uint8Array(1e5)",
  "new Float64Array([NaN, -0])",
  "new BigInt64Array(3)",
  "new Uint8Array(new ArrayBuffer(8), 2, 3)",
  "new DataView(new ArrayBuffer(4))",
  "new ArrayBuffer(0)",
  "(() => { const buffer = new ArrayBuffer(8); const view = new Uint8Array(buffer); buffer.transfer(); return view; })()",
  "Object(1n)",
  "Object(Symbol())",
  "new String('boxed')",
  "new Proxy({}, {})",
  "new Proxy([], { get() { throw new Error('trap'); } })",
  "new Proxy({}, { ownKeys: () => ['a', 'a'] })",
  "new Proxy({}, { getPrototypeOf() { throw null; } })",
  "new Proxy(() => {}, { apply() { throw 1; } })",
  "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()",
  "({ get a() { throw undefined; } })",
  "(() => { let reads = 0; return { get a() { return reads++ % 2 === 0 ? 1 : () => 1; } }; })()",
  "({ toJSON() { return { a: 1n }; } })",
  "({ then(resolve) { resolve(1); } })",
  "({ then() { throw { then: 1 }; } })",
  "({ then() {} })",
  "({ get then() { throw new Error('then'); } })",
  "({ [Symbol.toPrimitive]() { throw 1; }, [Symbol.for('nodejs.util.inspect.custom')]() { throw 1; } })",
  "Promise.resolve(1)",
  "(() => { const promise = Promise.reject(1); promise.catch(() => {}); return promise; })()",
  "new WeakMap()",
  "new WeakRef({})",
  "(function* () { yield 1; })()",
  "(function () { return arguments; })(1, 2)",
  "new Error('\\u0000'.repeat(100))",
  "new TypeError('__proto__', { cause: () => 1 })",
  "new AggregateError([new Error('a'), 1], 'many')",
  "Object.defineProperty(new Error('a'), 'message', { get() { throw new Error('message'); } })",
  "Object.defineProperty(new Error('a'), 'stack', { get() { throw null; } })",
  "Object.assign(new Error('a'), { name: Symbol('name'), code: 'denied' })",
  "(() => { const error = new Error('a'); error.cause = error; return error; })()",
  "Object.setPrototypeOf({ message: 1 }, Error.prototype)",
  "(() => { const list = []; list.push(list); return list; })()",
  "(() => { let deep = 1; for (let n = 0; n < 5e3; n++) deep = [deep]; return deep; })()",
  "(() => { const map = new Map(); map.set(map, new Set([map])); return map; })()",
  "Array.from({ length: 3e4 }, (_, n) => ({ n }))",
  "Math",
] as const;

const keys = ["a", "then", "toJSON", "__proto__", "length", "constructor", "''", "0"] as const;

/** An expression. */
export function valueSource(dice: Dice, depth: number = 2): string {
  if (depth <= 0 || dice.chance(0.5)) return dice.pick(leaves);
  const inner = (): string => valueSource(dice, depth - 1);
  return dice.pick<() => string>([
    () => `[${dice.many(3, inner).join(", ")}]`,
    () => `({ [${JSON.stringify(dice.pick(keys))}]: ${inner()}, b: ${inner()} })`,
    () => `({ get ${dice.pick(["a", "then", "toJSON", "length"])}() { return ${inner()}; } })`,
    () => `new Map([[${inner()}, ${inner()}]])`,
    () => `new Set([${inner()}])`,
    () => `new Error("outer", { cause: ${inner()} })`,
    () => `new Proxy(Object(${inner()}), {})`,
    () => `((shared) => [shared, { shared }])(${inner()})`,
  ])();
}

/** A maker of such a value, of the host's own. */
export function valueMaker(dice: Dice): () => unknown {
  const source = valueSource(dice);
  return () => runInThisContext(`(${source})`) as unknown;
}
