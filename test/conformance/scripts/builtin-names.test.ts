// Scripts of a session that declare names of the language for themselves: what the runtime gives them works all the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { languageNames } from "../../../src/guest/globals/language.ts";
import { valueOf } from "../../support/outcomes.ts";
import { startRuntime } from "../../support/runtimes.ts";

const runtime = await startRuntime();

for (const [source, output] of [
  ["class Set { add(x) { this.x = x; } } const s = new Set(); s.add(1); console.log('x', s.x)", "x 1"],
  ["class Map { set(k) { this.k = k; } } const m = new Map(); m.set(1); console.log({ k: m.k })", "{ k: 1 }"],
  ["class Symbol { constructor(name) { this.name = name; } } console.log(new Symbol('x').name)", "x"],
  ["const Number = (x) => +x; console.log(Number('3'))", "3"],
  ["function Array() {} console.log([1])", "[1]"],
  ["class Date { day = 1; } console.log(new Date().day)", "1"],
  ["const JSON = { a: 1 }; console.log(JSON)", "{ a: 1 }"],
  ["enum Boolean { No, Yes } console.log(Boolean.Yes)", "1"],
  [
    "class Error { constructor(m) { this.m = m; } } console.log(new AbortController().signal.aborted)",
    "false",
  ],
  ["const Math = { add: (a, b) => a + b }; console.log(Math.add(1, 2))", "3"],
  ["let globalThis = 1; console.log(globalThis)", "1"],
] as const)
  test(`the console works in a session that declares ${source.slice(0, 20)}`, async () => {
    await using session = await runtime.session();
    const outcome = await session.run(source);
    valueOf(outcome);
    assert.deepEqual(
      outcome.output.map(({ text }) => text),
      [output],
    );
  });

const uses: Readonly<Record<string, readonly [source: string, value: unknown]>> = {
  console: ["console.table([[1, 2]]); console.count('a'); console.dir({ a: [1] }); console.trace('t'); 1", 1],
  URL: ["new URL('http://a.b/c?d=e').searchParams.get('d') + new URLSearchParams({ a: 'é' })", "ea=%C3%A9"],
  TextEncoder: ["new TextDecoder().decode(new TextEncoder().encode('é'))", "é"],
  randomUUID: ["crypto.randomUUID().length", 36],
  digest: ["(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a'))).byteLength", 32],
  base64: ["atob(btoa('x'))", "x"],
  events: [
    "let n = 0; const t = new EventTarget(); t.addEventListener('a', () => n++); t.dispatchEvent(new Event('a')); n",
    1,
  ],
  abort: ["const c = new AbortController(); c.abort(); c.signal.reason.name", "AbortError"],
  clone: ["structuredClone({ a: [1n], r: /x/g, b: new TextEncoder().encode('ab') }).b.length", 2],
  refusal: ["try { structuredClone(() => 1) } catch (e) { e.name }", "DataCloneError"],
  performance: ["performance.mark('a').name", "a"],
  timers: ["const P = (async () => {})().constructor; await new P((done) => setTimeout(done, 1, 2))", 2],
  microtasks: ["try { queueMicrotask(1) } catch (e) { e.name }", "TypeError"],
  errors: ["try { null.x } catch (e) { e.stack.includes('script-') }", true],
  modules: ["(await import('./main')).default", 5],
  results: ["const r = { a: [1, { b: 2n }], e: /x/ }; r", { a: [1, { b: 2n }], e: /x/ }],
};

test("what the runtime gives to guests works in a session that has declared every name of the language", async () => {
  await using session = await runtime.session({ modules: { main: "export default 5" } });
  const names = languageNames.split(",");
  valueOf(await session.run(names.map((name) => `const ${name} = 1;`).join("")));
  for (const [name, [source, value]] of Object.entries(uses))
    assert.deepEqual(valueOf(await session.run(`{ ${source} }`)), value, name);
});
