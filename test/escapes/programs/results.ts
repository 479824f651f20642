// What we return is read by the host: proxies, getters, symbols and species run our code where it is read.
import { escape, type Escape } from "./escape.ts";

const spoke = (what: string): string => `console.log("REACHED the host called ${what}")`;

export const results: readonly Escape[] = [
  escape("result-function", "a function is returned, for the host to call", `return () => 1;`),
  escape("result-method", "an object with a method is returned", "return { run() { return 1; } };"),
  escape(
    "result-inspect",
    "the host prints what it got, and calls our custom inspection with functions of its own",
    `
    return { [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { console.log(climb(inspect) || climb(options)); return "x"; } };`,
  ),
  escape(
    "result-to-json",
    "the host makes JSON of it, and calls our toJSON",
    `
    return { keep: 1, toJSON() { ${spoke("toJSON")}; return {}; } };`,
  ),
  escape(
    "result-to-primitive",
    "the host makes a text of it",
    `
    return { [Symbol.toPrimitive]() { ${spoke("toPrimitive")}; return "x"; } };`,
  ),
  escape(
    "result-to-string",
    "or by toString",
    `return { toString() { ${spoke("toString")}; return "x"; } };`,
  ),
  escape("result-value-of", "or by valueOf", `return { valueOf() { ${spoke("valueOf")}; return 1; } };`),
  escape(
    "result-tag",
    "the host asks for its tag",
    `
    return { get [Symbol.toStringTag]() { ${spoke("a getter of the tag")}; return "x"; } };`,
  ),
  escape(
    "result-has-instance",
    "the host asks whether it is an instance of something that is ours",
    `
    return { kind: class { static [Symbol.hasInstance]() { ${spoke("hasInstance")}; return true; } } };`,
  ),
  escape(
    "result-iterator",
    "the host walks over it",
    `
    return { *[Symbol.iterator]() { ${spoke("the iterator")}; yield 1; } };`,
  ),
  escape(
    "result-proxy-get",
    "a trap sees below it who looks for something",
    `
    return new Proxy({}, { get(target, name) { if (name !== "then") console.log(lookBelow()); return undefined; } });`,
  ),
  escape(
    "result-proxy-keys",
    "a trap sees who asks for keys",
    `
    return new Proxy({ a: 1 }, { ownKeys() { console.log(lookBelow()); return ["a"]; } });`,
  ),
  escape(
    "result-proxy-descriptor",
    "a trap gets a descriptor that the host made",
    `
    return new Proxy({}, { defineProperty(target, name, descriptor) { console.log(climb(descriptor)); return true; }, set(target, name, value, receiver) { console.log(climb(value)); return true; }, get: (target, name) => (name === "then" ? undefined : "x") });`,
  ),
  escape(
    "result-proxy-prototype",
    "a trap sees who asks for the prototype",
    `
    return new Proxy({}, { getPrototypeOf() { console.log(lookBelow()); return Array.prototype; } });`,
  ),
  escape(
    "result-array-species",
    "a list whose species the host constructs when it maps it",
    `
    const list = [1, 2, 3];
    list.constructor = { [Symbol.species]: function (length) { ${spoke("the species")}; return []; } };
    return list;`,
  ),
  escape(
    "result-array-map",
    "a list whose own map the host calls with a function of its own",
    `
    const list = [1];
    list.map = (callback) => { console.log(climb(callback)); return []; };
    return list;`,
  ),
  escape(
    "result-getter",
    "a getter sees who reads",
    `return { get a() { console.log(lookBelow()); return 1; } };`,
  ),
  escape(
    "result-shared-memory",
    "memory is returned that stays shared with the host",
    `
    const shared = new SharedArrayBuffer(8);
    return shared;`,
  ),
];
