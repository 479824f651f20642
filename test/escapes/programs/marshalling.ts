// Values that cross: what the host passes is changed while it is used, and what the host gets pollutes its prototypes.
import { escape, type Escape } from "./escape.ts";

export const marshalling: readonly Escape[] = [
  escape(
    "marshal-proto-key",
    "an own key __proto__ that a merge of the host's follows",
    `
    return JSON.parse('{"__proto__": {"polluted": 1}}');`,
  ),
  escape(
    "marshal-constructor-key",
    "the path constructor.prototype, followed by a merge",
    `
    return { constructor: { prototype: { polluted: 1 } } };`,
  ),
  escape(
    "marshal-list-proto",
    "the same in a list",
    `return [JSON.parse('{"__proto__": {"polluted": 1}}')];`,
  ),
  escape(
    "marshal-map-proto",
    "the same as keys of a map that becomes an object",
    `
    return new Map([["__proto__", { polluted: 1 }]]);`,
  ),
  escape("marshal-given-change", "an argument is changed in place", `given.isAdmin = true; return "";`),
  escape("marshal-given-list", "a list within it grows", `given.list.push("more"); return "";`),
  escape("marshal-given-delete", "something of it is taken away", `delete given.list; return "";`),
  escape("marshal-given-map", "a map within it is filled", `given.map.set("more", 1); return "";`),
  escape("marshal-given-bytes", "bytes within it are overwritten", `given.bytes[0] = 255; return "";`),
  escape(
    "marshal-given-prototype",
    "its prototype is replaced",
    `Object.setPrototypeOf(given, { inherited: 1 }); return "";`,
  ),
  escape("marshal-given-freeze", "it is frozen under the host's hands", `Object.freeze(given); return "";`),
  escape(
    "marshal-given-getter",
    "a getter is put into it, which the host will call",
    `
    Object.defineProperty(given, "late", { get() { console.log("REACHED the host read a getter of ours"); return 1; }, enumerable: true });
    return "";`,
  ),
  escape(
    "marshal-object-prototype",
    "the prototype of what is given is the host's own",
    `
    Object.getPrototypeOf(given).polluted = 1; return "";`,
  ),
  escape(
    "marshal-array-prototype",
    "or that of its lists",
    `Object.getPrototypeOf(given.list).polluted = 1; return "";`,
  ),
  escape(
    "marshal-array-method",
    "a method of the host's lists is replaced",
    `
    const proto = Object.getPrototypeOf(given.list);
    proto.polluted = function () { return "ours"; };
    return "";`,
  ),
  escape(
    "marshal-kept",
    "what was given is kept and changed after the call",
    `
    globalThis.kept = given;
    setTimeout(() => { globalThis.kept.isAdmin = true; }, 1);
    return new Promise((resolve) => setTimeout(resolve, 10, ""));`,
  ),
  escape(
    "marshal-symbol",
    "a registered symbol is the same in every realm and marks the host's object",
    `
    given[Symbol.for("vivarium.mark")] = 1; return "";`,
  ),
];
