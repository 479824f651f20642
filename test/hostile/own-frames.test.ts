// What a guest can learn from errors: nothing of the host and nothing of the runtime in its isolate, neither from their texts
// nor from their call sites, however it patches the language and however little is left of its stack.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { unwrap } from "../../src/index.ts";
import { runtimeForTests } from "../support/reloading.ts";

const runtime = runtimeForTests({ capabilities: { echo: (args) => args } });

// Every function of the runtime that a guest can call, used rightly and wrongly.
const acts = `
import { echo } from "vivarium/capabilities";
const bad = { toString() { throw new Error("from the guest"); }, get a() { throw new Error("from a getter"); } };
const pinned = new URL("http://a.example/b?c=1");
const noop = () => {};
export const acts = {
  url: () => new URL("http://a.example/b?c=d#e", "http://b.example"), urlBad: () => new URL("not one"),
  urlThrows: () => new URL(bad), urlParse: () => URL.parse("http://a.example"), urlCan: () => URL.canParse("http://x"),
  href: () => { pinned.href = "http://c.example/"; }, hrefBad: () => { pinned.href = "nothing"; },
  search: () => { pinned.search = "x=" + Math.random(); }, host: () => { pinned.host = "d.example"; },
  part: () => { pinned.pathname = bad; }, port: () => { pinned.port = "99"; },
  params: () => pinned.searchParams.append("a", "b"), paramsBad: () => pinned.searchParams.append(bad, 1),
  paramsNew: () => new URLSearchParams([["a", "b"]]).toString(), paramsWrong: () => new URLSearchParams([1]),
  paramsEach: () => pinned.searchParams.forEach(() => { throw new Error("from a visitor"); }),
  brand: () => Object.getOwnPropertyDescriptor(URL.prototype, "host").get.call({}),
  timeout: () => clearTimeout(setTimeout(noop, 1e6)), timeoutBad: () => setTimeout(1), clearBad: () => clearTimeout(bad),
  interval: () => clearInterval(setInterval(noop, 1e6)), intervalBad: () => setInterval("1"),
  micro: () => queueMicrotask(noop), microBad: () => queueMicrotask(bad),
  log: () => console.log("x", { y: [1, new Map([[1, 2]])] }), logBad: () => console.log(bad, new Error("shown")),
  count: () => console.count(bad), assert: () => console.assert(false, "x"), table: () => console.table([bad]),
  clone: () => structuredClone({ a: [new Map([[1, new Set([2])]]), new Date(0)] }), cloneBad: () => structuredClone(noop),
  cloneThrows: () => structuredClone(bad), cloneDeep: () => { let v = 1; for (let i = 0; i < 1e4; i++) v = [v]; structuredClone(v); },
  encode: () => new TextEncoder().encode("é€😀"), encodeBad: () => new TextEncoder().encode(bad),
  into: () => new TextEncoder().encodeInto("x", null), decode: () => new TextDecoder().decode(new Uint8Array(3)),
  decodeBad: () => new TextDecoder("latin1"), fatal: () => new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])),
  decodeWrong: () => new TextDecoder().decode(5), stream: () => new TextDecoder().decode(new Uint8Array(1), { stream: true }),
  now: () => performance.now(), registry: () => new FinalizationRegistry(noop).register({}, 1),
  registryBad: () => new FinalizationRegistry(1), registerBad: () => new FinalizationRegistry(noop).register(1),
  code: () => Function("return 1"), codeAsync: () => (async () => {}).constructor("1"),
  buffer: () => new ArrayBuffer(8), bufferBad: () => new ArrayBuffer(8, { maxByteLength: 16 }), bufferCall: () => ArrayBuffer(1),
  ask: () => void echo(1).catch(noop), askBad: () => echo(noop).catch((error) => { later.push(error); }),
  askThrows: () => echo(bad).catch((error) => { later.push(error); }),
};
export const later = [];
`;

// Collects what an error shows, and keeps what is not of the guest's own modules or of the language.
const watch = `
const own = /^\\s+at (?:async )?(?:.*\\()?vivarium:(?:main|acts|watch):\\d+:\\d+\\)?$|^\\s+at (?:async )?[\\w.$ \\[\\]]+ \\((?:<anonymous>|native)\\)$/;
const ours = /cell-host|file:|node:|isolated-vm|vivarium-processes|node_modules|dist|\\[eval\\]|eval at/;
const { push } = Array.prototype, { split } = String.prototype, { exec } = RegExp.prototype;
const { apply } = Reflect, { getOwnPropertyNames, getPrototypeOf } = Object, text = String;
const matches = (form, line) => apply(exec, form, [line]) !== null;
export const seen = [];
export let looked = 0;
const note = (label, what) => { if (seen.length < 20) apply(push, seen, [label + ": " + what]); };
export function look(label, error, depth = 0) {
  if ((typeof error !== "object" && typeof error !== "function") || error === null || depth > 3) return;
  looked++;
  let stack; try { stack = error.stack; } catch { return; }
  if (typeof stack === "string") {
    const lines = apply(split, stack, ["\\n    at "]);
    for (let i = 1; i < lines.length; i++) if (!matches(own, "    at " + lines[i])) note(label, lines[i]);
  }
  for (let at = error; at !== null && at !== Object.prototype; at = getPrototypeOf(at)) {
    const names = getOwnPropertyNames(at);
    for (let i = 0; i < names.length; i++) {
      let value; try { value = error[names[i]]; } catch { continue; }
      if (typeof value === "string" && matches(ours, value)) note(label, names[i] + " is " + value);
      if (names[i] === "cause" || names[i] === "errors") look(label, value, depth + 1);
    }
  }
}
export function lookAtSites(label, sites) {
  for (let i = 0; i < sites.length; i++) {
    const site = sites[i];
    const shown = [site.getFileName(), site.getScriptNameOrSourceURL?.(), site.getEvalOrigin?.(), text(site)];
    looked++;
    for (let k = 0; k < shown.length; k++) if (typeof shown[k] === "string" && matches(ours, shown[k])) note(label, shown[k]);
    if (site.getFunction() !== undefined || site.getThis() !== undefined) note(label, "a function or an object of " + text(site));
  }
}
export const result = () => ({ seen, looked });
`;

const main = `
import { acts, later } from "acts";
import { look, lookAtSites, result } from "watch";
const names = Object.keys(acts);
const guests = { toString() { throw new TypeError("patched"); } };
const { parse } = JSON;
const RealError = Error;
const patches = {
  nothing: () => {},
  json: () => { JSON.parse = (text) => ({ ...parse(text), href: "no address", search: "no" }); JSON.stringify = () => guests; },
  jsonThrows: () => { JSON.parse = () => { throw new Error("patched"); }; },
  arrays: () => { for (const name of ["map", "push", "filter", "find", "join", "includes", "slice"]) Array.prototype[name] = () => { throw new Error("patched " + name); }; },
  species: () => { Object.defineProperty(Array, Symbol.species, { get() { throw new Error("species"); } }); Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("species"); } }); },
  iterators: () => { Array.prototype[Symbol.iterator] = () => { throw new Error("iterator"); }; Map.prototype.set = Map.prototype.get = () => { throw new Error("map"); }; },
  texts: () => { for (const name of ["replace", "replaceAll", "split", "slice", "indexOf", "toWellFormed", "trim"]) String.prototype[name] = () => guests; RegExp.prototype.exec = () => { throw new Error("exec"); }; },
  getters: () => { Object.defineProperty(Object.prototype, "href", { get() { throw new Error("href"); }, set() { throw new Error("set"); }, configurable: true }); Object.defineProperty(Object.prototype, "stream", { get() { throw new Error("stream"); }, configurable: true }); },
  errors: () => { globalThis.Error = globalThis.TypeError = globalThis.RangeError = class { constructor() { throw guests; } }; },
  functions: () => { Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error("call"); }; Reflect.apply = Reflect.construct = () => { throw new Error("apply"); }; },
};
export const patchNames = Object.keys(patches);
export function patched(name) {
  patches[name]();
  for (let i = 0; i < names.length; i++) try { acts[names[i]](); } catch (error) { look(names[i], error); }
}
export function sites(name) {
  patches[name]();
  for (let i = 0; i < names.length; i++) {
    RealError.prepareStackTrace = (error, frames) => { lookAtSites(names[i], frames); return "shown"; };
    try { acts[names[i]](); } catch (error) { try { void error.stack; } catch {} }
  }
}
export function deep(name, extra) {
  const act = acts[name];
  const found = [];
  let levels = 0;
  // Deepest first, and then every few levels, until there is room enough.
  const fall = () => {
    try { fall(); } catch {}
    if (levels++ < 800 && levels % 5 === 0) try { act(); } catch (error) { found.push(error); }
  };
  const sink = (rest) => (rest === 0 ? fall() : sink(rest - 1));
  try { sink(extra); } catch {}
  for (const error of found) look(name + " near the end", error);
}
export async function plain() {
  await Promise.all([acts.askBad(), acts.askThrows()]);
  look("plain", new Error("a"));
  await null;
  look("after an await", new Error("b"));
  await new Promise((done) => setTimeout(() => { look("in a timer", new Error("c")); done(); }, 1));
  await new Promise((done) => queueMicrotask(() => { look("in a microtask", new Error("d")); done(); }));
  for (const error of later) look("rejected", error);
  await import("nothing").catch((error) => look("import", error));
  structuredClone({ get x() { look("in a getter", new Error("e")); return 1; } });
  const holder = {}; Error.captureStackTrace(holder); look("captured", holder);
}
export const namesOf = () => names;
export { result };
`;

const modules = { main, acts, watch };

async function lookedAt(target: `main.${string}`, args: readonly unknown[]): Promise<number> {
  await using sandbox = await runtime.current.create({ modules });
  unwrap(await sandbox.call(target, { args, timeoutMs: 300_000 }));
  const { seen, looked } = unwrap(await sandbox.call<{ seen: string[]; looked: number }>("main.result"));
  assert.deepEqual(seen, []);
  return looked;
}

suite("no error shows a guest a frame, a file or a function that is not its own", () => {
  const patches = [
    "nothing",
    "json",
    "jsonThrows",
    "arrays",
    "species",
    "iterators",
    "texts",
    "getters",
    "errors",
    "functions",
  ];
  for (const name of patches) {
    test(`with patched built-ins: ${name}`, async () => {
      assert.ok((await lookedAt("main.patched", [name])) > 5);
      assert.ok((await lookedAt("main.sites", [name])) > 5);
    });
  }

  test("in timers, microtasks, getters, after an await and in what is rejected", async () => {
    assert.ok((await lookedAt("main.plain", [])) > 5);
  });

  test("where it calls the hook of the engine itself, with what are no frames", async () => {
    const main = `export const f = () => Error.prepareStackTrace(new Error("made up"), [{}, null, 1]);`;
    await using sandbox = await runtime.current.create({ modules: { main } });
    assert.match(unwrap(await sandbox.call<string>("main.f")), /^Error: made up(\n    at )*$/);
  });

  test("near the end of the stack", async () => {
    await using sandbox = await runtime.current.create({ modules });
    const names = unwrap(await sandbox.call<string[]>("main.namesOf"));
    for (const name of names)
      for (const extra of [0, 3])
        unwrap(await sandbox.call("main.deep", { args: [name, extra], timeoutMs: 300_000 }));
    const { seen, looked } = unwrap(await sandbox.call<{ seen: string[]; looked: number }>("main.result"));
    assert.deepEqual(seen, []);
    assert.ok(looked > names.length, `${looked} errors were looked at`);
  });
});
