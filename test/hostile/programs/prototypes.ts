// Programs that patch what the codec could use, and then return ordinary data, which must cross unchanged.
import { any, called, whole, type End, type Hostile } from "./program.ts";

/** Something of every kind that crosses. */
const data = `{ list: [1, "two", null, [3.5, -0]], map: new Map([["k", new Set([1n])]]), date: new Date(5), error: new RangeError("r"), bytes: new Uint8Array([1, 2, 255]), none: undefined, pattern: /x+/gi }`;

/** As above, seen from here. */
const expected = {
  list: [1, "two", null, [3.5, -0]],
  map: new Map([["k", new Set([1n])]]),
  date: new Date(5),
  error: new RangeError("r"),
  bytes: new Uint8Array([1, 2, 255]),
  none: undefined,
  pattern: /x+/gi,
};

const spin = "() => { for (;;); }";

// The data is made first, as a guest that patches its prototypes could not make it afterwards.
function patched(
  id: string,
  patch: string,
  more: { expect?: readonly End[]; calm?: readonly End[] } = {},
): Hostile {
  const { expect = ["ok"], calm = ["ok"] } = more;
  const body = `const data = ${data};\n${patch};\nreturn data;`;
  return called(
    `patched-${id}`,
    expect,
    body,
    expect.length === 1 && expect[0] === "ok" ? { value: expected, calm } : { calm },
  );
}

// Patches all that can be patched, with functions saved before.
const patchAll = (of: string): string => `
  const { ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
  const of = ${of};
  const names = ownKeys(of);
  for (let i = 0; i < names.length; i++) {
    const found = getOwnPropertyDescriptor(of, names[i]);
    if (!found.configurable || names[i] === "constructor") continue;
    const changed = "value" in found ? { value: ${spin}, writable: true } : { get: ${spin}, set: ${spin} };
    defineProperty(of, names[i], { ...changed, configurable: true });
  }`;
const every = (id: string, of: string, more?: Parameters<typeof patched>[2]): Hostile =>
  patched(id, patchAll(of), more);

export const prototypes: readonly Hostile[] = [
  // Iterating over keys goes through the array iterator, so that this one is patched by hand.
  patched("array-iterator", `Array.prototype[Symbol.iterator] = ${spin}`),
  patched(
    "array-methods",
    `for (const name of ["push", "pop", "shift", "map", "filter", "forEach", "join", "slice", "splice", "includes", "indexOf", "concat", "at", "toString", "entries", "keys", "values"]) Array.prototype[name] = ${spin}`,
  ),
  patched(
    "array-index-setter",
    `Object.defineProperty(Array.prototype, "0", { set: ${spin}, get: ${spin}, configurable: true }); Object.defineProperty(Array.prototype, "1", { set: ${spin}, get: ${spin}, configurable: true })`,
    {
      expect: ["ok", "timeout"],
    },
  ),
  patched(
    "array-species",
    `Object.defineProperty(Array, Symbol.species, { get: ${spin} }); Array.from = Array.of = Array.isArray = ${spin}`,
  ),
  every("map", "Map.prototype"),
  every("set", "Set.prototype"),
  every("weak-map", "WeakMap.prototype"),
  every("promise", "Promise.prototype"),
  patched(
    "promise-statics",
    `Promise.resolve = Promise.reject = Promise.all = ${spin}; Object.defineProperty(Promise, Symbol.species, { get: ${spin} }); Promise.prototype.constructor = ${spin}`,
  ),
  every("json", "JSON"),
  every("reflect", "Reflect"),
  every("string", "String.prototype", { calm: any }),
  every("number", "Number.prototype"),
  every("bigint", "BigInt.prototype"),
  every("date", "Date.prototype"),
  every("regexp", "RegExp.prototype"),
  every("error", "Error.prototype", { expect: ["ok", "timeout"] }),
  every("typed-array", "Object.getPrototypeOf(Uint8Array.prototype)"),
  every("bytes", "Uint8Array.prototype"),
  every("buffer", "ArrayBuffer.prototype"),
  every("symbol", "Symbol.prototype"),
  every("math", "Math"),
  patched(
    "object-statics",
    `for (const name of ["keys", "entries", "values", "getPrototypeOf", "setPrototypeOf", "defineProperty", "defineProperties", "hasOwn", "freeze", "create", "assign", "is", "getOwnPropertyDescriptor", "getOwnPropertyNames", "fromEntries"]) Object[name] = ${spin}`,
  ),
  patched(
    "object-prototype-methods",
    `for (const name of ["toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"]) Object.prototype[name] = ${spin}`,
  ),
  patched("object-to-json", `Object.prototype.toJSON = ${spin}`),
  patched(
    "object-to-json-getter",
    `Object.defineProperty(Object.prototype, "toJSON", { get: ${spin}, configurable: true })`,
    { expect: ["timeout"], calm: any },
  ),
  patched("object-then", `Object.prototype.then = ${spin}`, { expect: ["timeout"], calm: any }),
  patched("object-then-resolves", "Object.prototype.then = function (resolve) { resolve(7); }", {
    expect: ["ok", "timeout"],
    calm: any,
  }),
  patched(
    "object-setters",
    `for (const name of ["path", "reason", "what", "name", "message", "stack", "cause", "op", "module", "namespace", "id", "act", "args", "due", "repeats", "end", "answer", "0", "1", "2", "index", "get", "set", "enumerable", "writable", "configurable"]) Object.defineProperty(Object.prototype, name, { set: ${spin}, get: () => undefined, configurable: true })`,
    {
      expect: ["ok", "timeout", "crashed"],
      calm: any,
    },
  ),
  patched(
    "function-prototype",
    `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = Function.prototype.toString = ${spin}`,
  ),
  patched(
    "frozen-intrinsics",
    "for (const it of [Object, Array, Map, Set, Promise, JSON, Reflect, String, Error, Function]) { Object.freeze(it); if (it.prototype) Object.freeze(it.prototype); } Object.freeze(globalThis)",
    {
      expect: ["ok", "crashed"],
    },
  ),
  patched(
    "globals-gone",
    "const drop = Reflect.deleteProperty, all = globalThis; for (const name of Object.getOwnPropertyNames(all)) drop(all, name)",
  ),
  patched(
    "globals-replaced",
    `for (const name of ["Object", "Array", "Map", "Set", "Promise", "JSON", "Reflect", "String", "Number", "BigInt", "Date", "RegExp", "Error", "RangeError", "Uint8Array", "ArrayBuffer", "Symbol", "Function", "Proxy", "WeakMap", "Math", "structuredClone", "setTimeout", "console"]) globalThis[name] = ${spin}`,
  ),
  patched(
    "prototype-of-global",
    "Object.setPrototypeOf(globalThis, new Proxy({}, { get() { for (;;); }, has() { return false; } }))",
    { expect: ["ok", "crashed"] },
  ),
  patched(
    "error-trace",
    `Error.captureStackTrace = Error.prepareStackTrace = ${spin}; Object.defineProperty(Error, "stackTraceLimit", { get: ${spin} })`,
    { expect: ["ok", "timeout", "crashed"], calm: ["ok", "timeout", "crashed"] },
  ),
  patched(
    "has-instance",
    `Object.defineProperty(RangeError, Symbol.hasInstance, { value: ${spin} }); Object.defineProperty(Error, Symbol.hasInstance, { value: ${spin} }); Object.defineProperty(Map, Symbol.hasInstance, { value: ${spin} })`,
  ),
  whole(
    "patched-timers",
    ["ok"],
    `Map.prototype.get = Map.prototype.set = Map.prototype.delete = Map.prototype.forEach = ${spin}; Math.floor = ${spin}; Reflect.apply = ${spin}; export const bomb = () => new Promise((resolve) => setTimeout(resolve, 5, 7));`,
    { value: 7 },
  ),
  whole(
    "patched-console",
    ["ok", "timeout"],
    `Array.prototype.includes = Array.prototype.join = ${spin}; Object.entries = ${spin}; JSON.stringify = ${spin}; export const bomb = () => { console.log("plain"); return 7; };`,
    { value: 7 },
  ),
  whole(
    "patched-before-the-first-call",
    ["ok"],
    `Object.defineProperty(Object.prototype, "__proto__", { get: ${spin}, set: ${spin} }); Array.prototype[Symbol.iterator] = ${spin}; Function.prototype.apply = ${spin}; export const bomb = (...args) => args.length;`,
    { value: 0 },
  ),
  whole(
    "patched-clone",
    ["ok"],
    `Map.prototype.set = Set.prototype.add = Object.defineProperty = ${spin}; export const bomb = () => structuredClone([{ a: 1 }]);`,
    { value: [{ a: 1 }] },
  ),
];
