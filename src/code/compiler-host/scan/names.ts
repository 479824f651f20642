// The names that the scan knows: what guests do not have, what a profile must enable, and what all code shares.
import { builtinModules } from "node:module";
import { fetchGlobals, type FindingName } from "../../../model/code/finding.ts";

const builtins: ReadonlySet<string> = new Set([...builtinModules, "isolated-vm"]);

/** Whether an import is outside of any sandbox: a builtin of Node, a URL, or an absolute path. */
export function isOutside(specifier: string): boolean {
  if (/^[a-z][a-z+.-]*:/i.test(specifier) || /^[/\\]/.test(specifier)) return true;
  return builtins.has(specifier);
}

/** Globals whose use is a finding. */
export const knownGlobals: ReadonlyMap<string, FindingName> = new Map([
  ["eval", "dynamic-code"],
  ["Function", "dynamic-code"],
  ["WebAssembly", "web-assembly"],
  ["SharedArrayBuffer", "shared-memory"],
  ["Atomics", "shared-memory"],
  ...[
    "process",
    "require",
    "module",
    "exports",
    "__dirname",
    "__filename",
    "Buffer",
    "global",
    "Deno",
    "Bun",
    "window",
    "self",
    "document",
    "navigator",
    "location",
    "localStorage",
    "sessionStorage",
    "indexedDB",
    ...fetchGlobals,
    "XMLHttpRequest",
    "WebSocket",
    "EventSource",
    "Worker",
    "SharedWorker",
    "MessageChannel",
    "BroadcastChannel",
    "importScripts",
    "setImmediate",
    "clearImmediate",
  ].map((name) => [name, "host-global"] as const),
]);

/** Built-in objects that all code of a sandbox shares. */
export const intrinsics: ReadonlySet<string> = new Set(
  [
    "Object Function Array String Number Boolean Symbol BigInt Promise Map Set WeakMap WeakSet WeakRef RegExp Date",
    "Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError Iterator Reflect JSON Math",
    "ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array",
    "Float32Array Float64Array BigInt64Array BigUint64Array Proxy Intl FinalizationRegistry",
  ]
    .join(" ")
    .split(" "),
);

/** Members through which a prototype is reached or changed. */
export const prototypeMembers: ReadonlySet<string> = new Set([
  "__proto__",
  "__defineGetter__",
  "__defineSetter__",
  "__lookupGetter__",
  "__lookupSetter__",
]);

/** Code that does not match has no findings in its tree, which then need not be walked. */
export const mayHaveFindings: RegExp = new RegExp(
  [
    // Escapes, and members by a text that may be concatenated.
    String.raw`\\|\[\s*["'\x60(]`,
    String.raw`\b(?:${[
      ...knownGlobals.keys(),
      ...prototypeMembers,
      "globalThis|prototype|setPrototypeOf|defineProperty|defineProperties|assign|prepareStackTrace",
      "ArrayBuffer",
    ].join("|")})\b`,
    // Not the method that most classes have: behind a bracket or semicolon that no comment has, as far as that is simple to see.
    String.raw`\bconstructor\b(?:(?<!^[^\n/]{0,200}[;{}]\s*constructor)|(?!\s*\())`,
    // Any function of an intrinsic may be replaced by an assignment.
    String.raw`\b(?:${[...intrinsics].join("|")})\.[\w$]+\s*=[^=>]`,
  ].join("|"),
  "m",
);
