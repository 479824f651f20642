// The primitives of processes, one promise each: messages, selective receive, links, monitors, exits, names, timers and
// process information.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox, SandboxSpec } from "../../src/index.ts";
import { valueOf } from "../support/outcomes.ts";
import { processImports } from "../support/process-guests.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();

const create = (source: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main: processImports + source }, ...spec });

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

  test("what a match sends to its own process reaches a receive that was asked before it", async () => {
    assert.equal(
      await inside(`() => new Promise((resolve) => {
        const pid = spawn(async (self) => {
          const one = self.receive({ match: (message) => message === "b" });
          const sends = (message) => { if (message === "a") send(self.pid, "b"); return false; };
          self.receive({ match: sends, timeoutMs: 5_000 }).catch(() => {});
          resolve(await one);
        });
        setTimeout(() => send(pid, "a"), 5);
      })`),
      "b",
    );
  });

  test("a process that waits for a message that does not come uses no processor time, however full its mailbox is", async () => {
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

  test("ask rejects when its time is over, and when the process exits", async () => {
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

  test("a plain process can answer an ask", async () => {
    await using sandbox = await create(`export const begin = () => {
      spawn(async (self) => { for (;;) { const { ask: from, message } = await self.receive(); from.reply(message * 2); } }, { name: "doubler" });
    };`);
    await sandbox.call("main.begin");
    assert.equal(valueOf(await sandbox.ask("doubler", 21)), 42);
  });

  test("a server may answer later, and the caller waits", async () => {
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

test("an answer that comes during another run reaches its caller", async () => {
  await using sandbox = await create(`
    let release;
    const Gate = server({ init: () => 0, handleCall: async (message, state) => ({ reply: await new Promise((resolve) => { release = resolve; }), state }) });
    export const begin = () => start(Gate, undefined, { name: "gate" });
    export const open = (value) => release(value);
    export const openLater = async (value) => { await null; release(value); await null; };`);
  await sandbox.call("main.begin");
  for (const how of ["open", "openLater"]) {
    const asked = sandbox.ask("gate", "", { timeoutMs: 10_000 });
    await until("it waits", async () => (await sandbox.processes())[0]?.status === "busy");
    valueOf(await sandbox.call(`main.${how}`, { args: [how] }));
    assert.equal(valueOf(await asked), how);
  }
});

suite("links and exits", () => {
  const report = `const fate = async (name) => (await pause(5), whereis(name) === null ? "gone" : "alive");`;
  test("a crash ends linked processes; a normal exit does not; unlink removes the link", async () => {
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

  test("a process that traps exits gets them as messages, with the pid and the reason; kill cannot be trapped", async () => {
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

  test("a link to a process that has exited is an exit with noproc, or a message where exits are trapped", async () => {
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

  test("exit with normal ends only the process itself", async () => {
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

test("functions that need the current process throw after the first await, and the process's own functions work", async () => {
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
  test("report once how a process ended; nothing after demonitor; noproc at once for one that has exited", async () => {
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

  test("sendAfter sends later, cancelTimer prevents it", async () => {
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
