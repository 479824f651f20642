// Bombs of an escaped guest: the watchdog ends the cell, the kernel would end it before the orchestrator, and the
// runtime goes on.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { completeConfig } from "../../src/api/options/config.ts";
import { assemble, launcherFor, openJail } from "../../src/api/wiring/create-runtime.ts";
import { Watchdog } from "../../src/execution/enforcement/watchdog.ts";
import { cellPrograms, jailedCellLaunch, type CellLaunch } from "../../src/execution/cell-launch.ts";
import { createRuntime, unwrap, type Runtime } from "../../src/index.ts";
import type { Jail } from "../../src/jail/jail.ts";
import { permissionFlags } from "../../src/jail/spawn/node-process.ts";
import { openKernel } from "../../src/std/kernel.ts";
import { childrenOf, figuresOf } from "../support/processes.ts";
import { until } from "../support/waiting.ts";
import { Setup } from "./setup.ts";

const MiB = 2 ** 20;
const hasKernel = openKernel() !== undefined;
const needs = "it needs Linux on arm64 or x64, and Node 26";

suite("a bomb of an escaped guest", () => {
  for (const [bomb, bound] of [
    ["threads", (pid: number) => figuresOf(pid).threads >= 1_000],
    ["memory", (pid: number) => figuresOf(pid).rssBytes >= 700 * MiB],
  ] as const) {
    test(`of ${bomb} ends its cell, and others answer`, async (t) => {
      if (!hasKernel) return t.skip(needs);
      await using setup = await Setup.set();
      await using runtime = await startWithOneTaken(setup, bomb);
      const cause = await until("the cell has ended", () => ends.get(runtime)?.find((each) => each === bomb));
      assert.equal(cause, bomb);
      const sandbox = await runtime.create({ modules: { main: "export const f = () => 42" } });
      assert.equal(unwrap(await sandbox.call("main.f")), 42);
    });

    test(`of ${bomb} succeeds without a jail`, async (t) => {
      if (!hasKernel) return t.skip(needs);
      await using setup = await Setup.set();
      const { spawn } = await import("node:child_process");
      const args = ["--disable-warning=ExperimentalWarning", setup.programFor("bomb", { bomb, alone: true })];
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      const ended = once(child, "exit");
      await until(`it has ${bomb}`, () => bound(child.pid as number));
      child.kill("SIGKILL");
      await ended;
    });
  }
});

suite("the kernel", () => {
  test("is offered every child before the orchestrator when memory runs out", async (t) => {
    if (process.platform !== "linux") return t.skip("it needs Linux");
    await using runtime = await createRuntime({ cells: { count: 1, spare: 0 } });
    await runtime.create({ modules: { main: "export const f = () => 42" } });
    const score = (pid: number | "self"): string =>
      readFileSync(`/proc/${pid}/oom_score_adj`, "latin1").trim();
    const pids = childrenOf(process.pid);
    assert.ok(pids.length >= 2, "a cell and a compiler");
    for (const pid of pids) assert.equal(score(pid), "1000");
    assert.notEqual(score("self"), "1000");
  });
});

const ends = new WeakMap<Runtime, string[]>();

// The first cell is the real one, with a bomb in it; those that come after it are as ever.
async function startWithOneTaken(setup: Setup, bomb: string): Promise<Runtime> {
  const config = completeConfig({ cells: { count: 1, spare: 1, memoryBytesMax: 400 * MiB } });
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  const program = setup.programFor("bomb", { bomb });
  const taken = launcherFor(config, guards, { program, launch: launchTaken(guards.jail, setup) });
  const real = launcherFor(config, guards);
  let launched = 0;
  const heard: string[] = [];
  const runtime = await assemble(config, {
    ...guards,
    launch: (number, listener) => {
      if (launched++ > 0) return real(number, listener);
      const onDeath: typeof listener.onDeath = (death) => {
        heard.push(death.cause);
        listener.onDeath(death);
      };
      return taken(number, { onReport: (report) => listener.onReport(report), onDeath });
    },
  });
  ends.set(runtime, heard);
  return runtime;
}

function launchTaken(jail: Jail, setup: Setup): CellLaunch {
  const programs = [...cellPrograms(), setup.programFolder];
  const flags = jail.has("permissions") ? permissionFlags({ read: programs, mayStartPrograms: false }) : [];
  return { ...jailedCellLaunch(jail), spawner: jail.spawnerFor({ execute: programs }), flags };
}
