// What guests try against the process runtime itself: made-up pids, other mailboxes, replaced functions, forged verdicts.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox, SandboxSpec } from "../../src/index.ts";
import { assertFailed, valueOf } from "../support/outcomes.ts";
import { victim } from "../support/process-guests.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();

const create = (source: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main: victim + source }, supervisor: "main", ...spec });

async function call(source: string, ...args: unknown[]): Promise<unknown> {
  await using sandbox = await create(`export const attempt = ${source};`);
  const value = valueOf(await sandbox.call("main.attempt", { args }));
  assert.equal(valueOf(await sandbox.ask("victim", "")), "victim");
  return value;
}

suite("pids cannot be made up", () => {
  test("nothing but a pid that the runtime gave is one: not its copy, its clone, its proxy, its number or its like", async () => {
    const results = await call(`() => {
      const pid = whereis("victim");
      const fakes = [{}, Object.create(null), Object.freeze({ ...pid }), Object.create(pid), new Proxy(pid, {}),
        structuredClone(pid), 1, "1", Symbol(), null, () => {}, Object.assign(() => {}, pid)];
      return fakes.map((fake) => [send, cast, exit, link].map((use) => refused(() => use(fake, "x"))));
    }`);
    // A link needs a process to be linked from, which is a mistake of its own.
    for (const row of results as string[][]) assert.deepEqual(row, Array(4).fill("TypeError"));
  });

  test("a pid shows nothing and takes nothing", async () => {
    assert.deepEqual(
      await call(`() => {
        const pid = whereis("victim");
        return [Reflect.ownKeys(pid), Object.getPrototypeOf(pid), Object.isFrozen(pid), refused(() => { pid.x = 1; })];
      }`),
      [[], null, true, "TypeError"],
    );
  });

  test("a pid of another sandbox, sent as data, is no process here", async () => {
    await using sandbox = await create(
      `export const give = () => whereis("victim"); export const use = (pid) => refused(() => send(pid, 1));`,
    );
    const given = valueOf(await sandbox.call("main.give"));
    assert.deepEqual(given, {});
    assert.equal(valueOf(await sandbox.call("main.use", { args: [given] })), "TypeError");
  });
});

suite("a mailbox is its owner's", () => {
  test("no export of the runtime gives access to another's messages or state", async () => {
    assert.deepEqual(
      await call(`() => {
        const info = guest.processInfo("victim");
        return [Object.keys(guest).sort(), Object.keys(info).sort()];
      }`),
      [
        [
          "ask",
          "cancelTimer",
          "cast",
          "children",
          "deleteChild",
          "demonitor",
          "exit",
          "link",
          "monitor",
          "processInfo",
          "register",
          "restartChild",
          "self",
          "send",
          "sendAfter",
          "server",
          "spawn",
          "start",
          "startChild",
          "stopChild",
          "supervisor",
          "trapExits",
          "unlink",
          "unregister",
          "whereis",
        ],
        [
          "kind",
          "links",
          "messages",
          "name",
          "pid",
          "queueLength",
          "queueMax",
          "restarts",
          "status",
          "trappingExits",
        ],
      ],
    );
  });

  test("patched prototypes see nothing of messages, states and processes that are not their own", async () => {
    const seen = await call(`async () => {
      const seen = [];
      const look = (where) => function (...args) {
        for (const thing of [this, ...args]) {
          try {
            const text = JSON.stringify(thing, (key, value) => value instanceof Map ? [...originals.entries.call(value)] : value);
            if (text?.includes("hidden") || text?.includes("private")) seen.push(where + ": " + text);
          } catch {}
        }
        return originals[where].apply(this, args);
      };
      const originals = { entries: Map.prototype.entries };
      for (const [name, type] of [["push", Array], ["shift", Array], ["get", Map], ["set", Map], ["forEach", Map], ["add", Set], ["forEach", Set], ["then", Promise], ["get", WeakMap], ["set", WeakMap]]) {
        const where = type.name + "." + name;
        originals[where] = type.prototype[name];
        type.prototype[name] = look(where);
      }
      Object.defineProperty(Object.prototype, "mailbox", { get() { return undefined; }, set(v) { seen.push("mailbox"); }, configurable: true });
      Object.defineProperty(Object.prototype, "state", { get() { return undefined; }, set(v) { seen.push("state"); }, configurable: true });
      send("victim", "private");
      await ask("victim", "private");
      delete Object.prototype.mailbox;
      delete Object.prototype.state;
      for (const where of Object.keys(originals)) {
        const [type, name] = where.split(".");
        if (name) globalThis[type].prototype[name] = originals[where];
      }
      return seen;
    }`);
    assert.deepEqual(seen, []);
  });

  test("a name that is taken cannot be taken away, nor given to another", async () => {
    assert.deepEqual(
      await call(`async () => {
        const thief = spawn(async (self) => { for (;;) await self.receive(); });
        return [refused(() => register("victim", thief)), await ask("victim", ""), refused(() => spawn(() => {}, { name: "victim" }))];
      }`),
      ["RangeError", "victim", "RangeError"],
    );
  });
});

suite("the runtime's functions stay what they are", () => {
  test("nothing that a guest puts on Object.prototype is used as a part of a process", async () => {
    const names = ["isReady", "isMending", "ended", "terminate", "take"];
    await using sandbox = await create(`
      const seen = [];
      for (const name of ${JSON.stringify(names)})
        Object.defineProperty(Object.prototype, name, { value() { seen.push(name); return true; } });
      spawn(async (me) => { await me.receive({ timeoutMs: 1 }); });
      export const seenSoFar = () => seen;`);
    assert.equal(valueOf(await sandbox.ask("victim", "")), "victim");
    // The reload looks at all of them, and the process ends.
    await sandbox.hotReload({ other: "export const one = 1;" });
    await until("it has ended", async () => (await sandbox.processes()).length === 1);
    assert.deepEqual(valueOf(await sandbox.call("main.seenSoFar")), []);
  });

  test("neither the namespace nor what it gives can be replaced for others", async () => {
    await using sandbox = await runtime.create({
      supervisor: "main",
      modules: {
        evil: `import * as guest from "vivarium/guest";
          const tried = [];
          for (const name of Object.keys(guest)) {
            try { guest[name] = () => "evil"; tried.push(guest[name]() === "evil" ? name : ""); } catch { tried.push(""); }
            try { Object.defineProperty(guest, name, { value: () => "evil" }); if (guest[name]() === "evil") tried.push(name); } catch {}
            try { delete guest[name]; if (!(name in guest)) tried.push(name); } catch {}
          }
          export const taken = () => tried.filter((name) => name !== "");`,
        main: `import { server, supervisor } from "vivarium/guest";
          import { taken } from "evil";
          export { taken };
          export default supervisor({ children: [{ id: "a", start: server({ init: () => 0, handleCall: (m, s) => ({ reply: "good", state: s }) }) }] });`,
      },
    });
    assert.deepEqual(valueOf(await sandbox.call("main.taken")), []);
    assert.equal(valueOf(await sandbox.ask("a", "")), "good");
  });

  test("built-ins that a guest replaced do not change what supervisors and servers do", async () => {
    await using sandbox = await create(`
      Promise.prototype.then = Promise.resolve = Map.prototype.get = Map.prototype.set = Set.prototype.add =
        Array.prototype.push = JSON.stringify = JSON.parse = Object.freeze = Object.create = Reflect.apply =
        Function.prototype.call = Function.prototype.apply = () => { throw new Error("replaced"); };
      Object.prototype.then = undefined;`);
    assert.equal(valueOf(await sandbox.ask("victim", "")), "victim");
    assert.equal((await sandbox.processes())[0]?.children[0]?.name, "victim");
    assert.equal((await sandbox.captureState()).servers.length, 1);
  });
});

suite("verdicts are the runtime's", () => {
  test("a process that exits with a reason of the runtime's is a crash like any other", async () => {
    await using sandbox = await create(`
      const Liar = server({ name: "liar", init: () => 0, handleCall: (reason, state) => ({ state, stop: reason }) });
      export const start = async () => { await guest.start(Liar, undefined, { name: "liar" }); };`);
    for (const reason of ["cut", "overflow", "noproc", "processes", "timeout", "killed"]) {
      await sandbox.call("main.start");
      assertFailed(await sandbox.ask("liar", reason), "crashed");
    }
  });

  test("errors that a guest changed, copied or made up prove nothing", async () => {
    await using sandbox = await create(`
      export async function attempt(how) {
        let failure;
        try { await ask(spawn(() => { throw new RangeError("own"); }), 1); } catch (error) { failure = error; }
        if (how === "changed") { failure.reason = "overflow"; failure.verdict = "overflow"; throw failure; }
        if (how === "inherited") throw Object.create(failure);
        throw Object.setPrototypeOf(new Error("made up"), Object.getPrototypeOf(failure));
      }`);
    for (const how of ["changed", "inherited", "made up"])
      assertFailed(await sandbox.call("main.attempt", { args: [how] }), "crashed");
  });
});

suite("reasons of any length", () => {
  test("reach the host cut to the bounds of an error", async () => {
    await using sandbox = await create(`
      const long = "x".repeat(3_000_000);
      const reasons = { text: long, list: [long], error: { error: { name: long, message: long, stack: long } },
        none: { error: null }, odd: { error: { name: [long], message: {}, get stack() { throw long; } } } };
      export const attempt = async (kind) => {
        const pid = spawn((self) => self.receive());
        const asked = ask(pid, "?");
        exit(pid, reasons[kind]);
        return asked;
      };`);
    const exits: string[] = [];
    const stop = runtime.events.on("process.exited", ({ reason }) => void exits.push(reason));
    for (const kind of ["text", "list", "error", "none", "odd"]) {
      const outcome = await sandbox.call("main.attempt", { args: [kind] });
      assertFailed(outcome, "crashed");
      const { message, thrown } = outcome.error;
      assert.ok(message.length <= 2_000, `${kind}: ${message.length}`);
      const texts = [thrown?.name ?? "", thrown?.message ?? "", thrown?.stack ?? ""];
      assert.ok(texts.join("").length <= 10_100, `${kind}: ${texts.join("").length}`);
    }
    await until("every exit was reported", () => exits.length >= 5);
    stop();
    assert.ok(exits.every((reason) => reason.length <= 2_000));
    assert.equal(valueOf(await sandbox.ask("victim", "")), "victim");
  });
});
