// A process that is killed, cut or stopped has ended, whatever it does to stay.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Sandbox, SandboxSpec } from "../../src/index.ts";
import { assertFailed, failureOf, valueOf } from "../support/outcomes.ts";
import { victim } from "../support/process-guests.ts";
import { startRuntime } from "../support/runtimes.ts";
import { until } from "../support/waiting.ts";

const runtime = await startRuntime();

const create = (source: string, spec: Partial<SandboxSpec> = {}): Promise<Sandbox> =>
  runtime.create({ modules: { main: victim + source }, supervisor: "main", ...spec });

suite("a kill cannot be avoided", () => {
  test("a process that traps exits, catches everything and hides in promises ends with kill", async () => {
    await using sandbox = await create(`
      const marks = [];
      export const seen = () => marks.length;
      export function start() {
        spawn(async (self) => {
          self.trapExits();
          guest.trapExits();
          for (;;) {
            try { await self.receive(); } catch {} finally { marks.push(1); }
          }
        }, { name: "undead" });
      }
      export const kill = () => { const pid = whereis("undead"); exit(pid, "kill"); return [whereis("undead"), refused(() => guest.processInfo(pid))]; };`);
    await sandbox.call("main.start");
    await sandbox.send("undead", "one");
    assert.equal(valueOf(await sandbox.call("main.seen")), 1);
    assert.deepEqual(valueOf(await sandbox.call("main.kill")), [null, "TypeError"]);
    assertFailed(await sandbox.ask("undead", "two"), "not-found");
    assert.equal(valueOf(await sandbox.call("main.seen")), 1);
  });

  for (const [how, wait] of [
    ["timers", "new Promise((resolve) => setTimeout(resolve, 1))"],
    ["answers", `ask("victim", "")`],
    ["messages", "(send(self.pid, 1), self.receive())"],
  ] as const) {
    test(`a process that continues from one await to the next, on ${how}, stops when it is killed`, async () => {
      await using sandbox = await create(`
        let turns = 0;
        export const count = () => turns;
        export const start = () => { spawn(async (self) => { for (;;) { await ${wait}; turns++; } }, { name: "undead" }); };
        export const kill = () => exit("undead", "kill");
        export const wait = () => new Promise((resolve) => setTimeout(resolve, 30));`);
      const count = async (): Promise<number> => valueOf(await sandbox.call<number>("main.count"));
      await sandbox.call("main.start");
      await until("it lives", async () => (await count()) > 10);
      await sandbox.call("main.kill");
      const before = await count();
      await sandbox.call("main.wait");
      assert.equal(await count(), before);
    });
  }

  test("timers and replies of a process that was killed have no effect", async () => {
    await using sandbox = await create(`
      let fired = 0;
      let release;
      export const count = () => fired;
      const Undead = server({ name: "undead", init: () => 0, async handleCall(message, state) {
        setInterval(() => { fired++; }, 1);
        await new Promise((resolve) => { release = resolve; });
        fired += 1000;
        return { reply: "alive", state };
      } });
      export const start = () => guest.start(Undead, undefined, { name: "undead" });
      export const kill = () => { exit("undead", "kill"); release(); };
      export const wait = () => new Promise((resolve) => setTimeout(resolve, 30));`);
    await sandbox.call("main.start");
    const asked = sandbox.ask("undead", "");
    await until("it has begun", async () => valueOf(await sandbox.call<number>("main.count")) > 0);
    await sandbox.call("main.kill");
    assertFailed(await asked, "crashed");
    const before = valueOf(await sandbox.call<number>("main.count"));
    await sandbox.call("main.wait");
    assert.equal(valueOf(await sandbox.call("main.count")), before);
  });

  test("a process that is cut does not continue in the promises it left behind", async () => {
    await using sandbox = await create(
      `let after = 0;
       export const count = () => after;
       const Spinner = server({ name: "spinner", init: () => 0, async handleCall(message, state) {
         Promise.resolve().then(() => { after++; });
         setTimeout(() => { after += 10; }, 1);
         for (;;);
       } });
       export const start = () => guest.start(Spinner, undefined, { name: "spinner" });
       export const wait = () => new Promise((resolve) => setTimeout(resolve, 30));`,
      { limits: { stepMs: 500 } },
    );
    await sandbox.call("main.start");
    assertFailed(await sandbox.ask("spinner", ""), "timeout", "stepMs");
    await sandbox.call("main.wait");
    assert.ok(valueOf(await sandbox.call<number>("main.count")) < 10, "its timer fired");
    assert.equal((await sandbox.info()).rebuilds, 0);
  });

  test("terminate that spins or never ends does not keep its process running", async () => {
    await using sandbox = await create(
      `const Clinging = server({ name: "clinging", init: () => 0,
         handleCall: (message, state) => ({ reply: 1, state, stop: message }),
         terminate: (reason) => { if (reason === "spin") for (;;); return new Promise(() => {}); } });
       export const start = () => guest.start(Clinging, undefined, { name: "clinging" });`,
      { limits: { stepMs: 500, loadMs: 1_000 } },
    );
    for (const reason of ["spin", "never"]) {
      valueOf(await sandbox.call("main.start"));
      await sandbox.ask("clinging", reason);
      await until(
        "it is gone",
        async () => failureOfAsk(await sandbox.ask("clinging", "", { timeoutMs: 400 })) === "not-found",
      );
    }
    assert.equal((await sandbox.info()).rebuilds, 0);
  });
});

const failureOfAsk = (outcome: Awaited<ReturnType<Sandbox["ask"]>>): string =>
  outcome.ok ? "ok" : failureOf(outcome).kind;
