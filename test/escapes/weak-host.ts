// An insecure sandbox: node:vm with the host's own objects put in, and results used unchecked. Here every
// attempt succeeds. It has a thread of its own, so that what an attempt breaks ends with it.
import { Worker } from "node:worker_threads";
import type { Escape } from "./programs/escape.ts";
import { asks, prelude, reached } from "./programs/escape.ts";
import type { Places } from "./setup.ts";

const controlMsMax = 10_000;
const modules = {
  offers: new URL("offers.ts", import.meta.url).href,
  presets: new URL("weak-presets.ts", import.meta.url).href,
};

// Sloppy on purpose: its functions and its `this` can be seen from below.
const host = `
const vm = require("node:vm");
const util = require("node:util");
const { parentPort, workerData } = require("node:worker_threads");
const { body, later, witness, prelude, reached, places, modules } = workerData;
const found = [];
const note = (value) => { const text = typeof value === "string" ? value : ""; if (text.includes(reached)) found.push(text); };
const makeConsole = () => ({ log: (...list) => list.forEach((each) => note(each)), error: () => {} });
const sharedConsole = makeConsole();
const library = { send(pid, message) { return message; }, spawn() {} };
const given = { list: [1, 2], map: new Map([["a", 1]]), date: new Date(0), bytes: new Uint8Array([1, 2]), error: new Error("given"), name: "given" };
const before = util.inspect(given, { depth: 5, showHidden: false }) + Object.isFrozen(given) + Object.getOwnPropertySymbols(given).length;
function makeContext() {
  const context = vm.createContext({ console: sharedConsole, setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask, structuredClone, URL, URLSearchParams, TextEncoder, TextDecoder, performance, require, process, Buffer, SharedArrayBuffer, gc() {} });
  // A typical bridge inside the guest's realm: it trusts the methods of that realm.
  vm.runInContext("(function (log) { console.warn = function (...list) { const order = {}; order.reference = log; Reflect.apply(log, null, list); }; })", context)(sharedConsole.log);
  return context;
}
function compile(body, context) {
  return vm.runInContext(prelude + "(function (given, guest, can) {" + body + "\\n})", context, { filename: "evalmachine", importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });
}
process.on("unhandledRejection", (reason) => note(String(reason && reason.message)));
process.on("uncaughtException", (error) => note(String(error && error.message)));
function merge(target, source, depth) {
  if (Object.prototype.toString.call(source) === "[object Map]") source = Object.fromEntries(source);
  for (const key of Reflect.ownKeys(Object(source)).concat(Object.prototype.hasOwnProperty.call(Object(source), "__proto__") ? ["__proto__"] : [])) {
    const value = source[key];
    if (value !== null && (typeof value === "object" || typeof value === "function") && (depth || 0) < 5) { if (target[key] === undefined || target[key] === null) target[key] = {}; merge(target[key], value, (depth || 0) + 1); }
    else { try { target[key] = value; } catch {} }
  }
  return target;
}
const quietly = (act) => { try { return act(); } catch (error) { note(String(error)); } };
function receive(value) {
  note(value);
  if (value === null || typeof value !== "object" && typeof value !== "function") return;
  quietly(() => { if (typeof value === "function") { value(); found.push(reached + " a function of the guest's"); } });
  quietly(() => { for (const key of Object.keys(value)) if (typeof value[key] === "function") { try { 1 instanceof value[key]; } catch {} found.push(reached + " a method of the guest's"); } });
  quietly(() => util.inspect(value));
  quietly(() => JSON.stringify(value));
  quietly(() => String(value));
  quietly(() => value + 1);
  quietly(() => Object.prototype.toString.call(value));
  quietly(() => Array.from(value));
  quietly(() => value.map((each) => each));
  quietly(() => Array.prototype.map.call(value, (each) => each));
  quietly(() => Object.getPrototypeOf(value));
  quietly(() => { value.seen = { by: "the host" }; });
  quietly(() => { if (value instanceof Object || Object.prototype.toString.call(value) === "[object SharedArrayBuffer]") if (Object.prototype.toString.call(value) === "[object SharedArrayBuffer]") found.push(reached + " shared memory"); });
  quietly(() => { if (Object.prototype.toString.call(value) === "[object ArrayBuffer]" && value.resizable) found.push(reached + " a buffer that grows"); });
  quietly(() => merge({}, value));
}
// Checks quota and arguments while they can still change, keeps a reference to them, and passes its errors out.
function serve(self, offer, list, count) {
  if (count.calls >= count.max) throw new RangeError("no calls are left");
  quietly(() => util.inspect(list));
  quietly(() => merge([], list));
  const verdict = offer.args ? offer.args(list) : true;
  if (verdict !== true) throw new TypeError("it must be " + verdict);
  return Promise.resolve().then(function () { count.calls++; return offer.run.call(self, list, { sandboxId: "weak" }); });
}
const bridge = \`(function (send) {
  const open = new Map();
  return function (...list) {
    const order = {};
    order.reference = send;
    const parts = [];
    parts[0] = send;
    open.set(open.size, send);
    return Promise.resolve(Reflect.apply(JSON.parse, JSON, [JSON.stringify(list)])).then(send);
  };
})\`;
async function offer(context) {
  if (modules === null) return [];
  const { offers, scarceCalls } = await import(modules.offers);
  const { weakFiles, weakFetch } = await import(modules.presets);
  const can = { places: () => places, files: weakFiles(places), fetch: weakFetch(places) };
  for (const [name, each] of Object.entries(offers)) {
    const count = { calls: 0, max: name === "scarce" ? scarceCalls : Infinity };
    can[name] = function (...list) { return serve(this, each, list, count); };
  }
  can.kind = vm.runInContext(bridge, context)((list) => serve(null, offers.kind, list, { calls: 0, max: Infinity }));
  const deny = function () { throw new TypeError("it must be granted"); };
  // Wrapped, as awaiting the value itself would call its then.
  return [new Proxy(can, { get: (target, name) => (name in target ? target[name] : deny) })];
}
async function main(session) {
  const context = makeContext();
  const attempt = compile(body, context);
  const [can] = await offer(context);
  function invoke() { return attempt.call(session, given, library, can); }
  try { receive(await invoke()); }
  catch (error) { quietly(() => note(String(error.stack))); quietly(() => note(String(error.message))); quietly(() => String(error)); quietly(() => util.inspect(error)); quietly(() => error.cause); quietly(() => note(String(error))); }
  await new Promise((resolve) => setTimeout(resolve, 20));
  if (later) receive(await compile(later, context).call(session, given, library, ...(await offer(context))));
  if (witness) note(await compile(witness, makeContext()).call(session, given, library));
  quietly(() => { void given.late; });
  if (({}).polluted !== undefined || [].polluted !== undefined) found.push(reached + " the host's prototypes");
  const after = util.inspect(given, { depth: 5 }) + Object.isFrozen(given) + Object.getOwnPropertySymbols(given).length;
  if (after !== before || Object.getPrototypeOf(given) !== Object.prototype) found.push(reached + " what the host passed");
  parentPort.postMessage(found);
}
main({ user: "host" });
`;

/** What an attempt reaches in the weak host; empty when it reaches nothing. */
export async function tryInWeakHost(
  { body, later, witness }: Escape,
  places: Places,
): Promise<readonly string[]> {
  const worker = new Worker(host, {
    eval: true,
    workerData: { body, later, witness, prelude, reached, places, modules: asks(body) ? modules : null },
    execArgv: ["--experimental-vm-modules", "--no-warnings"],
    stdout: true,
    stderr: true,
  });
  const timer = setTimeout(() => void worker.terminate(), controlMsMax);
  try {
    return await new Promise((resolve) => {
      worker.once("message", resolve);
      worker.once("error", () => resolve([]));
      worker.once("exit", () => resolve([]));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
