// What processes are made of, one promise each: messages, selective receive, links, monitors, exits, names, timers, what
// can be told of them.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { ProcessView, Sandbox, SandboxSpec } from "../../src/index.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";

const runtime = await startRuntime();

const imports = `import * as guest from "vivarium/guest";
import { ask, cast, exit, link, monitor, demonitor, processInfo, register, self, send, sendAfter, cancelTimer, server, spawn, start,
  supervisor, trapExits, unlink, unregister, whereis, children, startChild, stopChild, deleteChild, restartChild } from "vivarium/guest";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;

const create = (source: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main: imports + source }, ...spec });

/** Runs a function inside a sandbox that has processes. */
async function inside(source: string): Promise<unknown> {
  await using sandbox = await create(`export const attempt = ${source};`);
  return valueOf(await sandbox.call("main.attempt", { timeoutMs: 10_000 }));
}

suite("messages", () => {
  test("arrive in the order in which they were sent, each once", async () => {
    const got = await inside(`() => new Promise((resolve) => {
      const pid = spawn(async (self) => {
        const got = [];
        for (let i = 0; i < 100; i++) got.push(await self.receive());
        resolve(got);
      });
      for (let i = 0; i < 100; i++) send(pid, i);
    })`);
    assert.deepEqual(
      got,
      Array.from({ length: 100 }, (_, at) => at),
    );
  });

  test("selective receive takes the first that matches and leaves the others in their order", async () => {
    assert.deepEqual(
      await inside(`() => new Promise((resolve) => {
        const pid = spawn(async (self) => {
          const got = [await self.receive({ match: (message) => message > 3 })];
          got.push(await self.receive({ match: (message) => message === "late" }));
          for (let i = 0; i < 4; i++) got.push(await self.receive());
          resolve(got);
        });
        for (const message of [1, 2, 3, 4, 5]) send(pid, message);
        setTimeout(() => send(pid, "late"), 5);
      })`),
      [4, "late", 1, 2, 3, 5],
    );
  });

  test("a process that waits for what does not come uses no processor time, however full its mailbox is", async () => {
    await using sandbox = await create(`export const begin = () => {
      const pid = spawn((self) => self.receive({ match: (message) => message === "never" }));
      for (let i = 0; i < 1000; i++) send(pid, i);
    };
    export const wait = () => pause(300);`);
    await sandbox.call("main.begin");
    const { usage } = await sandbox.call("main.wait");
    assert.ok(usage.cpuMs < 150, `${usage.cpuMs} ms of processor time in 300 ms of waiting`);
  });

  test("receive gives undefined when nothing comes in time, and a later message to the next receive", async () => {
    assert.deepEqual(
      await inside(`() => new Promise((resolve) => {
        const pid = spawn(async (self) => resolve([await self.receive({ timeoutMs: 5 }) === undefined, await self.receive()]));
        setTimeout(() => send(pid, "late"), 30);
      })`),
      [true, "late"],
    );
  });

  test("ask rejects when its time is over, and when the one who is asked ends", async () => {
    assert.deepEqual(
      await inside(`async () => {
        const reasons = [];
        const deaf = spawn((self) => pause(60_000));
        await ask(deaf, 1, { timeoutMs: 5 }).catch((error) => reasons.push(error.reason));
        const dying = spawn(async (self) => { await self.receive(); throw new RangeError("oh"); });
        await ask(dying, 1).catch((error) => reasons.push(error.reason.error.message));
        await ask(dying, 1).catch((error) => reasons.push(error.reason));
        return reasons;
      }`),
      ["timeout", "oh", "noproc"],
    );
  });

  test("a plain process answers whoever asks it", async () => {
    await using sandbox = await create(`export const begin = () => {
      spawn(async (self) => { for (;;) { const { ask: from, message } = await self.receive(); from.reply(message * 2); } }, { name: "doubler" });
    };`);
    await sandbox.call("main.begin");
    assert.equal(valueOf(await sandbox.ask("doubler", 21)), 42);
  });

  test("a server may answer later, and whoever asked waits", async () => {
    await using sandbox = await create(`
      const Gate = server({ init: () => [], handleCall: (message, waiting, from) => ({ state: [...waiting, from] }),
        handleCast: (message, waiting) => { for (const from of waiting) from.reply(message); return { state: [] }; } });
      export const begin = () => start(Gate, undefined, { name: "gate" });`);
    await sandbox.call("main.begin");
    const asked = [sandbox.ask("gate", 1), sandbox.ask("gate", 2)];
    await sandbox.send("gate", "open");
    assert.deepEqual((await Promise.all(asked)).map(valueOf), ["open", "open"]);
  });
});

suite("links and exits", () => {
  const report = `const fate = async (name) => (await pause(5), whereis(name) === null ? "gone" : "alive");`;
  test("a crash ends those who are linked; an ordinary end does not; unlink unties", async () => {
    await using sandbox = await create(`${report}
      export const attempt = async (how) => {
        const first = spawn(async (self) => { await self.receive(); if (how !== "normal") throw new Error("x"); });
        spawn((self) => { link(first); if (how === "unlinked") unlink(first); return self.receive(); }, { name: how });
        await pause(1);
        send(first, "end");
        return fate(how);
      };`);
    for (const [how, fate] of [
      ["crash", "gone"],
      ["normal", "alive"],
      ["unlinked", "alive"],
    ] as const)
      assert.equal(valueOf(await sandbox.call("main.attempt", { args: [how] })), fate, how);
  });

  test("who traps exits gets them as messages, with the pid and the reason; kill cannot be trapped", async () => {
    assert.deepEqual(
      await inside(`() => new Promise((resolve) => {
        const got = [];
        spawn(async (self) => {
          self.trapExits();
          const child = spawn(() => { throw new RangeError("inner"); }, { link: true });
          const { exit: from, reason } = await self.receive();
          got.push(from === child, reason.error.name);
          exit(self.pid, "please");
          got.push((await self.receive()).reason);
          const other = spawn((self) => { self.trapExits(); return self.receive(); });
          const ref = self.monitor(other);
          exit(other, "kill");
          const down = await self.receive();
          resolve([...got, down.down === ref, down.pid === other, down.reason]);
        });
      })`),
      [true, "RangeError", "please", true, true, "killed"],
    );
  });

  test("a link to one that has ended is an exit with noproc: the end, or a message to who traps exits", async () => {
    assert.deepEqual(
      await inside(`async () => {
        const dead = spawn(() => {});
        await pause(2);
        let trapped;
        spawn(async (self) => { self.trapExits(); link(dead); const { exit, reason } = await self.receive(); trapped = [exit === dead, reason]; });
        spawn((self) => { link(dead); return self.receive(); }, { name: "tied" });
        await pause(5);
        return [trapped, whereis("tied")];
      }`),
      [[true, "noproc"], null],
    );
  });

  test("exit with normal ends nobody but oneself", async () => {
    assert.deepEqual(
      await inside(`async () => {
        spawn((self) => self.receive(), { name: "other" });
        spawn((self) => { exit(self.pid, "normal"); return self.receive(); }, { name: "oneself" });
        await pause(2);
        exit("other", "normal");
        await pause(2);
        return [whereis("other") !== null, whereis("oneself")];
      }`),
      [true, null],
    );
  });
});

test("what needs to know its process says so after the first await, and the process's own functions do it", async () => {
  assert.deepEqual(
    await inside(`() => new Promise((resolve) => {
      spawn(async (self) => {
        await null;
        const refused = [() => guest.self(), () => link("x"), () => monitor("x"), () => trapExits(), () => spawn(() => {}, { link: true })]
          .map((act) => { try { act(); return "done"; } catch (error) { return error.message.includes("before its first await"); } });
        self.trapExits();
        const child = self.spawn(() => { throw new Error("x"); }, { link: true });
        const { exit } = await self.receive();
        resolve([...refused, exit === child]);
      });
    })`),
    [true, true, true, true, true, true],
  );
});

suite("monitors", () => {
  test("tell once how a process ended; after demonitor nothing; of one that is gone, noproc at once", async () => {
    assert.deepEqual(
      await inside(`() => new Promise((resolve) => {
        spawn(async (self) => {
          const got = [];
          const crashing = spawn(async (self) => { await self.receive(); throw new TypeError("why"); });
          const quiet = spawn((self) => self.receive());
          const ref = monitor(crashing);
          demonitor(monitor(quiet));
          send(crashing, 1);
          send(quiet, 1);
          const down = await self.receive();
          got.push(down.down === ref, down.pid === crashing, down.reason.error.message);
          self.monitor(crashing);
          const late = await self.receive();
          got.push(late.pid === crashing, late.reason);
          self.monitor("nobody");
          const unknown = await self.receive();
          got.push(unknown.pid, unknown.reason, await self.receive({ timeoutMs: 10 }) === undefined);
          resolve(got);
        });
      })`),
      [true, true, "why", true, "noproc", null, "noproc", true],
    );
  });
});

suite("names and timers", () => {
  test("a name is one process's; it is free again when that ends or gives it up", async () => {
    assert.deepEqual(
      await inside(`async () => {
        const first = spawn((self) => self.receive(), { name: "it" });
        const results = [whereis("it") === first, unregister("it"), whereis("it"), unregister("it")];
        register("it", first);
        exit(first, "kill");
        results.push(whereis("it"));
        spawn((self) => self.receive(), { name: "it" });
        return [...results, whereis("it") !== null];
      }`),
      [true, true, null, false, null, true],
    );
  });

  test("sendAfter sends later, cancelTimer keeps it from doing so", async () => {
    assert.deepEqual(
      await inside(`() => new Promise((resolve) => {
        spawn(async (self) => {
          sendAfter(20, self.pid, "second");
          sendAfter(5, self.pid, "first");
          cancelTimer(sendAfter(10, self.pid, "never"));
          resolve([await self.receive(), await self.receive(), await self.receive({ timeoutMs: 20 }) ?? "nothing"]);
        });
      })`),
      ["first", "second", "nothing"],
    );
  });

  test("under a virtual clock, timers of processes are due without waiting", async () => {
    await using sandbox = await create(
      `export const attempt = () => new Promise((resolve) => spawn(async (self) => {
        sendAfter(3_600_000, self.pid, "an hour later");
        resolve([await self.receive(), Date.now()]);
      }));`,
      { deterministic: { seed: 1, now: 0 } },
    );
    assert.deepEqual(valueOf(await sandbox.call("main.attempt")), ["an hour later", 3_600_000]);
  });
});

suite("what can be told", () => {
  const tree = `
    const Worker = server({ init: () => 0, handleCall: (message, state) => ({ reply: state + 1, state: state + 1 }) });
    const Inner = supervisor({ name: "inner", strategy: "one-for-all", children: [{ id: "w1", start: Worker }, { id: "w2", start: Worker, name: "second" }] });
    export const info = (name) => processInfo(whereis(name));
    export const loose = () => { spawn((self) => self.receive(), { name: "loose" }); };
    export default supervisor({ children: [{ id: "inner", start: Inner }, { id: "last", start: Worker, name: null }] });`;

  test("processes() gives the tree, with paths, queues and restarts, and those outside of it", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    await sandbox.call("main.loose");
    await sandbox.ask("second", "");
    const shortly = ({ name, kind, path, messages, children }: ProcessView): unknown =>
      children.length > 0 ? [kind, name, path, children.map(shortly)] : [kind, name, path, messages];
    assert.deepEqual((await sandbox.processes()).map(shortly), [
      [
        "supervisor",
        null,
        "",
        [
          [
            "supervisor",
            "inner",
            "inner",
            [
              ["server", "w1", "inner/w1", 0],
              ["server", "second", "inner/w2", 1],
            ],
          ],
          ["server", null, "last", 0],
        ],
      ],
      ["process", "loose", null, 0],
    ]);
  });

  test("processInfo tells of one process: its links by number, its queue, its messages", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    await sandbox.ask("second", "");
    const { pid, links, ...rest } = valueOf(
      await sandbox.call<ProcessView>("main.info", { args: ["second"] }),
    );
    const inner = valueOf(await sandbox.call<ProcessView>("main.info", { args: ["inner"] }));
    assert.ok(links.includes(inner.pid) && inner.links.includes(pid));
    assert.equal(inner.isTrappingExits, true);
    assert.deepEqual(rest, {
      name: "second",
      kind: "server",
      status: "idle",
      queueLength: 0,
      queueMax: 1,
      messages: 1,
      restarts: 0,
      isTrappingExits: false,
    });
  });

  test("usage tells how many processes there are and were, and the longest queue", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    await sandbox.call("main.loose");
    const { processes, processesMax, queueMax } = await sandbox.usage();
    assert.deepEqual({ processes, processesMax, queueMax }, { processes: 6, processesMax: 6, queueMax: 0 });
    const { usage } = await sandbox.ask("second", "");
    assert.equal(usage.processes, 6);
  });

  test("a name that nobody has is not found, and a sandbox without processes says so", async () => {
    await using sandbox = await create(tree, { supervisor: "main" });
    assertFailed(await sandbox.ask("nobody", ""), "not-found");
    assertFailed(await sandbox.send("nobody", ""), "not-found");
    assert.match(failureOf(await sandbox.ask("nobody", "")).message, /"nobody"/);
    await using bare = await runtime.create({ modules: { main: "export const f = 1;" } });
    await assert.rejects(bare.ask("x", ""), { code: "INVALID_OPTIONS" });
    assert.deepEqual(await bare.processes(), []);
  });
});

suite("children that come and go", () => {
  const dynamic = `
    const Worker = server({ init: (args) => args, handleCall: (message, state) => ({ reply: state, state }) });
    export const add = async (id) => { await startChild("pool", { id, start: Worker, args: id + "!" }); };
    export const stop = (id) => stopChild("pool", id);
    export const again = async (id) => { await restartChild("pool", id); };
    export const remove = (id) => deleteChild("pool", id);
    export const list = async () => (await children("pool")).map(({ id, pid, isDynamic }) => [id, pid !== null, isDynamic]);
    export default supervisor({ children: [{ id: "pool", start: supervisor({ name: "pool", children: [] }) }] });`;

  test("are started, stopped, restarted and deleted by hand", async () => {
    await using sandbox = await create(dynamic, {
      supervisor: "main",
    });
    const call = async (name: string, ...args: unknown[]): Promise<unknown> =>
      valueOf(await sandbox.call(`main.${name}`, { args }));
    await call("add", "a");
    await call("add", "b");
    assert.equal(valueOf(await sandbox.ask("a", "")), "a!");
    assertFailed(await sandbox.call("main.add", { args: ["a"] }), "crashed");
    assertFailed(await sandbox.call("main.remove", { args: ["a"] }), "crashed");
    assert.equal(await call("stop", "a"), true);
    assert.deepEqual(await call("list"), [
      ["a", false, true],
      ["b", true, true],
    ]);
    await call("again", "a");
    assert.equal(valueOf(await sandbox.ask("a", "")), "a!");
    await call("stop", "a");
    await call("remove", "a");
    assert.deepEqual(await call("list"), [["b", true, true]]);
  });

  test("are brought back with their states and arguments from a checkpoint", async () => {
    const source = dynamic;
    await using sandbox = await create(source, { supervisor: "main" });
    await sandbox.call("main.add", { args: ["a"] });
    await sandbox.checkpoint();
    await sandbox.restart();
    assert.equal(valueOf(await sandbox.ask("a", "")), "a!");
    assert.deepEqual(valueOf(await sandbox.call("main.list")), [["a", true, true]]);
  });
});

suite("beginnings and ends", () => {
  const logged = `
    const log = [];
    export const events = () => log.splice(0);
    const Worker = server({
      init: (id) => { log.push("+" + id); return id; },
      handleCall: (message, state) => ({ reply: state, state, stop: message }),
      terminate: (reason, id) => { log.push("-" + id); if (id === "c") return pause(60_000); },
    });
    const child = (id, more) => ({ id, start: Worker, args: id, ...more });
    export const stop = (id) => stopChild("inner", id);
    export default supervisor({ children: [{ id: "inner", start: supervisor({ name: "inner", strategy: "one-for-all", children: [
      child("a"), child("b"), child("c", { shutdownMs: 20 }), child("d", { shutdownMs: 0 }),
    ] }) }] });`;

  test("children start in order and end in reverse; one that takes too long is killed, one with no time at once", async () => {
    await using sandbox = await create(logged, { supervisor: "main" });
    assert.deepEqual(valueOf(await sandbox.call("main.events")), ["+a", "+b", "+c", "+d"]);
    await sandbox.ask("a", "shutdown");
    const events: unknown[] = [];
    while (events.length < 7) events.push(...(valueOf(await sandbox.call("main.events")) as unknown[]));
    assert.deepEqual(events, ["-a", "-c", "-b", "+a", "+b", "+c", "+d"]);
  });

  test("an init that never comes to its end is given up after loadMs, and its supervisor goes on", async () => {
    await using sandbox = await create(
      `let life = 0;
       const Slow = server({ init: () => life++ === 1 ? new Promise(() => {}) : life, handleCall: (message, state) => ({ reply: state, state, stop: message }) });
       export default supervisor({ children: [{ id: "slow", start: Slow }] });`,
      { supervisor: "main", limits: { loadMs: 300 } },
    );
    assert.equal(valueOf(await sandbox.ask("slow", "crash")), 1);
    let outcome = await sandbox.ask("slow", undefined);
    while (!outcome.ok) outcome = await sandbox.ask("slow", undefined);
    assert.equal(outcome.value, 3);
  });

  test("an init that throws keeps the sandbox from being created, with its reason", async () => {
    await assert.rejects(
      create(
        `export default supervisor({ children: [{ id: "x", start: server({ init() { throw new RangeError("no beginning"); } }) }] });`,
        { supervisor: "main" },
      ),
      { code: "LOAD_FAILED", message: /no beginning/ },
    );
  });

  test("two children of one name: the second does not come up, and leaves nothing behind", async () => {
    await using sandbox = await create(
      `const Worker = server({ init: () => 0, handleCall: (message, state) => ({ reply: 1, state }) });
       export const add = (name) => startChild("pool", { id: "other", start: Worker, name }).then(() => "up", (error) => error.message);
       export default supervisor({ children: [{ id: "pool", start: supervisor({ name: "pool", children: [{ id: "it", start: Worker }] }) }] });`,
      { supervisor: "main" },
    );
    assert.match(
      valueOf(await sandbox.call<string>("main.add", { args: ["it"] })),
      /another process has this name/,
    );
    assert.equal((await sandbox.usage()).processes, 3);
    assert.equal(valueOf(await sandbox.call("main.add", { args: ["free"] })), "up");
  });
});
