// Generated guest programs: any statements in any order, most of them odd. They run under short limits.
import type { Dice } from "./dice.ts";

const literals = [
  "0",
  "-0",
  "1",
  "-1",
  "NaN",
  "Infinity",
  "2**53",
  "1e308",
  "10n",
  "2n**200n",
  "''",
  "'a'",
  "'\\u{1f600}'",
  "'x'.repeat(1e4)",
  "null",
  "undefined",
  "true",
  "Symbol()",
  "Symbol.for('a')",
  "[]",
  "[,1]",
  "{}",
  "({__proto__: null})",
  "() => 1",
  "/(a+)+b/",
  "new Date(NaN)",
  "new Map([[1,2]])",
  "new Set([[]])",
  "new Uint8Array(100)",
  "new Error('e')",
  "Promise.resolve(1)",
  "Promise.reject(1)",
  "new Proxy({}, {})",
  "new Proxy(function(){}, {})",
  "globalThis",
  "console",
  "Object.create(null)",
  "new WeakRef({})",
  "class {}",
  "function*(){ yield 1 }",
  "async () => 1",
  "JSON",
  "Math",
  "Intl",
  "arguments",
  "this",
] as const;
const methods = [
  "toString",
  "valueOf",
  "then",
  "toJSON",
  "length",
  "constructor",
  "__proto__",
  "map",
  "sort",
  "concat",
  "slice",
  "repeat",
  "padEnd",
  "replace",
  "split",
  "next",
  "return",
  "throw",
  "push",
  "fill",
  "flat",
  "at",
  "with",
  "normalize",
  "message",
  "stack",
] as const;
const names = ["a", "b", "c", "d"] as const;

function expression(dice: Dice, depth: number): string {
  if (depth <= 0) return dice.chance(0.5) ? `(${dice.pick(literals)})` : dice.pick(names);
  const inner = (): string => expression(dice, depth - 1);
  return dice.pick<() => string>([
    inner,
    () =>
      `(${inner()} ${dice.pick(["+", "*", "**", "%", "==", "<", "in", "instanceof", "??", "&&", ">>>"])} ${inner()})`,
    () => `[${dice.many(3, inner).join(",")}]`,
    () =>
      `({ ${dice.pick(methods)}: ${inner()}, get ${dice.pick(methods)}() { ${statement(dice, depth - 1)} } })`,
    () => `(${inner()})?.${dice.pick(methods)}`,
    () => `(${inner()})?.[${inner()}]`,
    () => `(${inner()})?.${dice.pick(methods)}?.(${dice.many(2, inner).join(",")})`,
    () =>
      `new Proxy(Object(${inner()}), { ${dice.pick(["get", "has", "ownKeys", "getPrototypeOf", "apply"])}() { ${statement(dice, depth - 1)} } })`,
    () => `structuredClone(${inner()})`,
    () => `JSON.stringify(${inner()})`,
    () => `Object.assign(Object(${inner()}), ${inner()})`,
    () => `Array.from({ length: ${dice.pick(["3", "1e3", "1e6", "2**31"])} }, () => ${inner()})`,
    () => `(await ${inner()})`,
    () => `new Promise((a, b) => { ${statement(dice, depth - 1)} })`,
    () => `String(${inner()})`,
  ])();
}

function statement(dice: Dice, depth: number): string {
  const value = (): string => expression(dice, depth);
  if (depth <= 0) return `${dice.pick(names)} = ${value()};`;
  const inner = (): string => statement(dice, depth - 1);
  const block = (): string => dice.many(3, inner).join(" ");
  return dice.pick<() => string>([
    () => `${dice.pick(names)} = ${value()};`,
    () => `if (${value()}) { ${block()} } else { ${block()} }`,
    () => `for (let i = 0; i < ${dice.pick(["2", "100", "1e5", "Infinity"])}; i++) { ${block()} }`,
    () => `for (const x of Object(${value()})) { ${block()} break; }`,
    () => `for (const x in Object(${value()})) { ${block()} }`,
    () => `try { ${block()} } catch (a) { ${block()} } finally { ${block()} }`,
    () => `throw ${value()};`,
    () => `return ${value()};`,
    () => `console.${dice.pick(["log", "error", "warn"])}(${value()});`,
    () => `setTimeout(() => { ${block()} }, ${dice.below(20)});`,
    () => `queueMicrotask(async () => { ${block()} });`,
    () =>
      `${dice.pick(["Object", "Array", "Promise", "Function", "Error", "String"])}.prototype[${JSON.stringify(dice.pick(methods))}] = ${value()};`,
    () =>
      `globalThis[${JSON.stringify(dice.pick([...names, "JSON", "Map", "Promise", "Symbol", "Error"]))}] = ${value()};`,
    () =>
      `Object.defineProperty(Object(${value()}), ${JSON.stringify(dice.pick(methods))}, { get() { ${block()} } });`,
    () => `await ${value()};`,
  ])();
}

/** A module whose `f` does something. */
export function programOf(dice: Dice): string {
  const body = dice.many(5, () => statement(dice, 3)).join("\n  ");
  return `let a, b, c, d;\nexport async function f() {\n  ${body}\n  return ${expression(dice, 2)};\n}`;
}
