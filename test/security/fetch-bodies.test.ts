// Responses of `fetch`: bodies in pieces, what they cost, and all the ways in which one ends before it is read.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Runtime, Sandbox } from "../../src/index.ts";
import { endless, guest, origin, sandboxFor } from "../support/fetch-servers.ts";
import { Folder } from "../support/folders.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

suite("a response of fetch", () => {
  test("gives a body in pieces", async () => {
    const expression = `fetch(at + "/large?bytes=1000000").then(async (r) => {
      let bytes = 0, pieces = 0;
      for await (const piece of r.body) { bytes += piece.length; pieces++; if (!(piece instanceof Uint8Array)) throw 1; }
      return [bytes, pieces > 1, r.bodyUsed];
    })`;
    assert.deepEqual(await guest(expression), [1_000_000, true, true]);
    const byReader = `fetch(at + "/large?bytes=200000").then(async (r) => {
      const reader = r.body.getReader(); let bytes = 0;
      for (;;) { const { value, done } = await reader.read(); if (done) return [bytes, r.body.locked]; bytes += value.length; }
    })`;
    assert.deepEqual(await guest(byReader), [200_000, true]);
    assert.deepEqual(
      await guest(
        `fetch(at + "/large?bytes=300000").then(async (r) => { const c = r.clone(); return [(await r.text()).length, (await c.arrayBuffer()).byteLength]; })`,
      ),
      [300_000, 300_000],
    );
    assert.deepEqual(
      await guest(
        `Promise.all([204, 304, 404].map(async (is) => { const r = await fetch(at + "/status?is=" + is); return [r.status, r.body === null, await r.text()]; }))`,
      ),
      [
        [204, true, ""],
        [304, true, ""],
        [404, false, ""],
      ],
    );
    assert.deepEqual(
      await guest(`fetch(at + "/echo", { method: "HEAD" }).then(async (r) => [r.status, await r.text()])`),
      [200, ""],
    );
  });

  test("serves a sandbox by whatever name the capability has, and only where it is granted", async () => {
    const main = `export const go = async (at) => (await fetch(at)).status; export const has = () => ["fetch", "Headers", "Request", "Response"].filter((name) => name in globalThis).length;`;
    const { runtime, sandbox } = await sandboxFor(main, {}, "web");
    assert.equal(valueOf(await sandbox.call("main.go", { args: [origin] })), 200);
    const without = await runtime.create({ modules: { main } });
    assert.equal(valueOf(await without.call("main.has")), 0);
    assertFailed(await without.call("main.go", { args: [origin] }), "crashed");
    const own = await startRuntime({ capabilities: { fetch: () => 1 } });
    const custom = await own.create({ modules: { main }, capabilities: ["fetch"] });
    assert.equal(valueOf(await custom.call("main.has")), 0);
  });

  test("is a finding only where it was not granted, from text and from files", async () => {
    using folder = new Folder({ "main.ts": "export const f = () => [fetch, Headers, Request, Response];" });
    const { runtime } = await sandboxFor("export {};");
    const modules = { main: "export const f = () => [fetch, new Headers(), crypto, atob, AbortController];" };
    for (const code of [{ modules }, { path: folder.path }]) {
      const granted = await runtime.create({ ...code, capabilities: ["fetch"] });
      assert.deepEqual((await granted.info()).modules["main"]?.warnings, []);
      const other = await runtime.create(code);
      assert.match((await other.info()).modules["main"]?.warnings[0]?.message ?? "", /fetch.*host-global/);
    }
  });

  test("costs one call for a short page, and more for what is read in pieces", async () => {
    const { sandbox } = await sandboxFor(
      `export const go = async (url) => (await (await fetch(url)).text()).length;`,
    );
    valueOf(await sandbox.call("main.go", { args: [`${origin}/large?bytes=10`] }));
    const calls = async (): Promise<number> => (await sandbox.info()).capabilities["fetch"]?.calls ?? 0;
    assert.ok((await calls()) <= 2);
    valueOf(await sandbox.call("main.go", { args: [`${origin}/large?bytes=1000000`] }));
    assert.ok((await calls()) > 2);
  });

  test("that exceeds its quota is denied as any other capability", async () => {
    const { runtime } = await sandboxFor("export {};");
    const main = "export const go = async (at) => { for (;;) await (await fetch(at)).text(); };";
    const sandbox = await runtime.create({ modules: { main }, capabilities: { fetch: { calls: 3 } } });
    assert.match(failureOf(await sandbox.call("main.go", { args: [origin] })).message, /3 calls are used up/);
  });
});

suite("a response that is not read to its end", () => {
  const gone = (): Promise<unknown> =>
    until("the server sees the end", () => endless.size === 0 || undefined);
  const main = `let kept;
    export const open = async (at) => { kept = await fetch(at + "/endless"); return kept.status; };
    export const abort = async (at) => {
      const c = new AbortController();
      const r = await fetch(at + "/endless", { signal: c.signal });
      const reading = r.text().catch((error) => error.name);
      c.abort();
      return reading;
    };
    export const abortEarly = (at) => { const c = new AbortController(); const p = fetch(at + "/endless", { signal: c.signal }); c.abort("mine"); return p.catch((error) => error); };
    export const abortedBefore = (at) => fetch(at, { signal: AbortSignal.abort() }).catch((error) => error.name);
    export const stop = async (at) => { for await (const piece of (await fetch(at + "/endless")).body) return new TextDecoder().decode(piece); };
    export const cancel = async (at) => { const r = await fetch(at + "/endless"); await r.body.cancel(); return r.bodyUsed; };
    export const timeout = (at) => fetch(at + "/endless", { signal: AbortSignal.timeout(50) }).then((r) => r.text()).catch((error) => error.name);
    export const many = async (at) => { for (let i = 0; i < 17; i++) await fetch(at + "/endless"); };
    export const bomb = () => { const all = []; for (;;) all.push(new Array(1e4).fill({})); };
    export const wait = async (at) => (await fetch(at + "/endless")).text();`;

  for (const [name, expected] of Object.entries({
    abort: "AbortError",
    abortEarly: "mine",
    abortedBefore: "AbortError",
    stop: "first",
    cancel: true,
    timeout: "TimeoutError",
  }))
    test(`ends where the guest ends it: ${name}`, async () => {
      const { sandbox } = await sandboxFor(main);
      assert.equal(valueOf(await sandbox.call(`main.${name}`, { args: [origin] })), expected);
      await gone();
    });

  test("is told as cancelled, and not as a failure, where the guest ends it", async () => {
    const { runtime, sandbox } = await sandboxFor(main);
    const told: string[] = [];
    runtime.events.on("capability.called", ({ result }) => told.push(result));
    await sandbox.call("main.timeout", { args: [origin] });
    await until("it is told", () => told.includes("cancelled"));
    assert.deepEqual(new Set(told), new Set(["ok", "cancelled"]));
  });

  test("ends with its own time", async () => {
    const { sandbox } = await sandboxFor(main, { timeoutMs: 300 });
    assert.match(
      failureOf(await sandbox.call("main.wait", { args: [origin] })).message,
      /in time|within 300 ms/,
    );
    await gone();
  });

  test("ends with its sandbox, with its isolate and with its runtime", async () => {
    const ends: Readonly<Record<string, (sandbox: Sandbox, runtime: Runtime) => Promise<unknown>>> = {
      destroy: (sandbox) => sandbox.destroy(),
      restart: (sandbox) => sandbox.restart(),
      close: (_, runtime) => runtime.close(),
      memory: (sandbox) => sandbox.call("main.bomb"),
    };
    for (const [how, end] of Object.entries(ends)) {
      const { runtime, sandbox } = await sandboxFor(main, { timeoutMs: 300_000 });
      assert.equal(valueOf(await sandbox.call("main.open", { args: [origin] })), 200);
      await until("it is open", () => endless.size > 0 || undefined);
      await end(sandbox, runtime);
      await gone();
      assert.equal(endless.size, 0, how);
      await runtime.close();
    }
  });

  test("ends with a run that is cut, as its time does", async () => {
    const { sandbox } = await sandboxFor(main, { timeoutMs: 1_000 });
    assertFailed(await sandbox.call("main.wait", { args: [origin], timeoutMs: 300 }), "timeout", "timeoutMs");
    await gone();
  });

  test("is one of sixteen at most", async () => {
    const { runtime, sandbox } = await sandboxFor(main);
    assert.match(
      failureOf(await sandbox.call("main.many", { args: [origin] })).message,
      /at most 16 responses may be open/,
    );
    await runtime.close();
    await gone();
  });
});
