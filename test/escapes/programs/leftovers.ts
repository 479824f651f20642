// What the start of the sandbox may have left behind, the guest runtime's own objects, and what neighbours share.
import { escape, witnessed, type Escape } from "./escape.ts";

const language = `"Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array Uint8ClampedArray Float32Array Float64Array Float16Array DataView Map BigInt Set Iterator WeakMap WeakSet Proxy Reflect FinalizationRegistry WeakRef decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite isNaN console Temporal SuppressedError DisposableStack AsyncDisposableStack TextEncoder TextDecoder URL URLSearchParams structuredClone performance crypto atob btoa DOMException QuotaExceededError Event CustomEvent EventTarget AbortController AbortSignal setTimeout setInterval clearTimeout clearInterval queueMicrotask fetch Headers Request Response"`;

export const leftovers: readonly Escape[] = [
  escape(
    "left-names",
    "a name in the global scope that no guest was promised",
    `
    const known = new Set(${language}.split(" "));
    const more = Reflect.ownKeys(globalThis).filter((name) => !known.has(name));
    return more.length === 0 ? "" : "REACHED " + more.map(String).join(" ");`,
  ),
  escape(
    "left-host-names",
    "names that hosts use",
    `
    const names = ["process", "require", "module", "Buffer", "global", "ivm", "_ivm", "$0", "host", "__host", "bootstrap", "boot", "guest_boot", "Deno", "Bun", "importScripts", "WebAssembly"];
    const found = names.filter((name) => { try { return typeof globalThis[name] !== "undefined"; } catch { return true; } });
    return found.length === 0 ? "" : "REACHED " + found.join(" ");`,
  ),
  escape(
    "left-engine-names",
    "debugging functions of the engine",
    `
    const names = ["gc", "d8", "print", "load", "readline", "SharedArrayBuffer", "Atomics", "ShadowRealm"];
    const found = names.filter((name) => typeof globalThis[name] !== "undefined");
    return found.length === 0 ? "" : "REACHED " + found.join(" ");`,
  ),
  escape(
    "left-console-methods",
    "the console holds more than it shows",
    `
    for (const name of Reflect.ownKeys(console)) { const found = climb(console[name]); if (found) return found; }
    return "";`,
  ),
  escape("left-global", "the global object itself is the host's", "return climb(globalThis);"),
  escape(
    "left-patched-call",
    "functions of the bridge are caught while they are called through a patched method",
    `
    let found = "";
    const call = Function.prototype.call, apply = Reflect.apply;
    Function.prototype.call = function (...list) { found ||= list.map(climb).join("") || climb(this); return apply(call, this, list); };
    Reflect.apply = (target, self, list) => { found ||= climb(target) || climb(list); return apply(target, self, list); };
    try { console.warn("a"); setTimeout(() => {}, 0); structuredClone([1]); new URL("http://a.b/"); } finally { Function.prototype.call = call; Reflect.apply = apply; }
    return found;`,
  ),
  escape(
    "left-patched-array",
    "the bridge puts things into lists whose setters are ours",
    `
    let found = "";
    Object.defineProperty(Array.prototype, "0", { set(value) { found ||= climb(value) || climb(this); }, configurable: true });
    try { console.log("a", {}); setTimeout(() => {}, 0); } catch {} finally { delete Array.prototype[0]; }
    return found || climb(console);`,
  ),
  escape(
    "left-patched-object",
    "the bridge makes objects whose setters are ours",
    `
    let found = "";
    for (const name of ["order", "message", "timeout", "copy", "reference"])
      Object.defineProperty(Object.prototype, name, { set(value) { found ||= climb(value) || climb(this); }, configurable: true });
    try { console.warn("a", {}); structuredClone({}); setTimeout(() => {}, 0); } catch {} finally { for (const name of ["order", "message", "timeout", "copy", "reference"]) delete Object.prototype[name]; }
    return found;`,
  ),
  witnessed(
    `return console.log.name === "stolen" ? "REACHED the neighbour's console" : "";`,
    escape(
      "left-console-shared",
      "the console is one for all: what we put there, the neighbour calls",
      `
    console.log = function stolen() {}; return "";`,
    ),
  ),
  witnessed(
    `return guest.stolen === 1 ? "REACHED the neighbour's library" : "";`,
    escape(
      "left-library-shared",
      "the library is one for all",
      `
    try { guest.stolen = 1; Object.getPrototypeOf(guest).stolen = 1; } catch {} return "";`,
    ),
  ),
  witnessed(
    `return new URL("http://a.b/").stolen === 1 ? "REACHED the neighbour's URL" : "";`,
    escape(
      "left-builtin-shared",
      "a class of the host's is one for all",
      `
    URL.prototype.stolen = 1; TextEncoder.prototype.stolen = 1; return "";`,
    ),
  ),
  witnessed(
    `return console[Symbol.for("vivarium.shared")] === "stolen" ? "REACHED the neighbour" : "";`,
    escape(
      "left-registry-shared",
      "objects behind registered symbols are one for all",
      `
    const key = Symbol.for("vivarium.shared");
    console[key] = "stolen"; performance[key] = "stolen"; return "";`,
    ),
  ),
  escape(
    "left-memory-bytes",
    "new memory holds what others left in it",
    `
    const bytes = new Uint8Array(2 ** 20);
    if (bytes.some((each) => each !== 0)) return "REACHED old memory";
    const pooled = typeof Buffer === "function" ? Buffer.allocUnsafe(8_000) : new TextEncoder().encode("a").buffer;
    return pooled.byteLength > 1 && (pooled.length > 1 || pooled.byteLength > 8) ? "REACHED a pool that is shared" : "";`,
  ),
];
