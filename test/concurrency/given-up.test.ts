// Callers that give up, by a signal or by a deadline: before they begin and while they wait, on every method that waits.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { join } from "node:path";
import { after, suite, test } from "node:test";
import {
  CancelledError,
  type CancelOptions,
  type Individual,
  type Recording,
  type Runtime,
  type Sandbox,
  type StateCapture,
} from "../../src/index.ts";
import type { Timer } from "../../src/std/clock.ts";
import { FakeClock } from "../../src/testing/index.ts";
import { Folder } from "../support/folders.ts";
import { startRuntime } from "../support/runtimes.ts";
import { fulfilled, settled } from "../support/waiting.ts";

/** A bound that no timer of the runtime has, so that it is told from all others. */
const deadlineMs = 54_321;

/** A clock that knows how many timers of the deadline are set. */
class CountingClock extends FakeClock {
  deadlines = 0;

  override after(delayMs: number, act: () => void): Timer {
    if (delayMs !== deadlineMs) return super.after(delayMs, act);
    this.deadlines++;
    let isSet = true;
    const unset = (): void => {
      if (isSet) this.deadlines--;
      isSet = false;
    };
    const timer = super.after(delayMs, () => {
      unset();
      act();
    });
    return {
      cancel: () => {
        unset();
        timer.cancel();
      },
    };
  }
}

const main = `import { server, supervisor } from "vivarium/guest";
  const Counter = server({ name: "c", init: () => 0, handleCall: (by, n) => ({ reply: n + by, state: n + by }) });
  export const f = () => 1;
  export default supervisor({ children: [{ id: "c", start: Counter }] });`;
const modules = { main };

interface World {
  readonly runtime: Runtime;
  readonly sandbox: Sandbox;
  readonly seeded: Sandbox;
  readonly folder: string;
  readonly individual: Individual;
  readonly recording: Recording;
  readonly states: StateCapture;
}

/** What is called, how a message names it, and which sandbox must not be there afterwards. */
interface Case {
  readonly call: (world: World, options: CancelOptions) => Promise<unknown>;
  readonly what: string;
  readonly absent?: string;
}

const creation = 'the creation of sandbox "new"';
const cases: Readonly<Record<string, Case>> = {
  "create()": {
    call: ({ runtime }, o) => runtime.create("new", { modules, ...o }),
    what: creation,
    absent: "new",
  },
  "create({ path })": {
    call: ({ runtime, folder }, o) => runtime.create("new", { path: join(folder, "main.ts"), ...o }),
    what: creation,
    absent: "new",
  },
  "fork()": {
    call: ({ runtime }, o) => runtime.fork("s", { id: "new", ...o }),
    what: creation,
    absent: "new",
  },
  "fork({ state })": {
    call: ({ runtime }, o) => runtime.fork("s", { id: "new", state: true, ...o }),
    what: creation,
    absent: "new",
  },
  "import()": {
    call: ({ runtime, individual }, o) => runtime.import(individual, { id: "new", ...o }),
    what: creation,
    absent: "new",
  },
  "session()": {
    call: ({ runtime }, o) => runtime.session({ id: "new", ...o }),
    what: creation,
    absent: "new",
  },
  "restart()": { call: ({ runtime }, o) => runtime.restart("s", o), what: 'the restart of sandbox "s"' },
  "collect()": { call: ({ runtime }, o) => runtime.collect(o), what: "the sweep" },
  "compile.source()": {
    call: ({ runtime }, o) => runtime.compile.source(`export const n = ${Math.random()};`, o),
    what: "the compilation",
  },
  "compile.check()": {
    call: ({ runtime }, o) => runtime.compile.check(`export const n = ${Math.random()};`, o),
    what: "the compilation",
  },
  "compile.file()": {
    call: ({ runtime, folder }, o) => runtime.compile.file(join(folder, "main.ts"), o),
    what: "the compilation",
  },
  "compile.directory()": {
    call: ({ runtime, folder }, o) => runtime.compile.directory(join(folder, "main.ts"), o),
    what: "the compilation",
  },
  "compile.types()": {
    call: ({ runtime }, o) => runtime.compile.types({ main: "export const a: number = 1;" }, o),
    what: "the check of types",
  },
  "journal.entries()": {
    call: ({ runtime }, o) => runtime.journal.entries({}, o),
    what: "the reading of the journal",
  },
  "documents.read()": {
    call: ({ runtime }, o) => runtime.documents.read("rows", "", o),
    what: 'the reading of documents of "rows"',
  },
  "documents.write()": {
    call: ({ runtime }, o) => runtime.documents.write("rows", new Map([["a", 1]]), o),
    what: 'the writing of documents of "rows"',
  },
  "data.compact()": { call: async ({ runtime }, o) => runtime.data?.compact(o), what: "the compaction" },
  "data.backup()": {
    call: async ({ runtime, folder }, o) => runtime.data?.backup(join(folder, `copy-${Math.random()}`), o),
    what: "the backup",
  },
  "sandbox.hotReload()": {
    call: ({ sandbox }, o) => sandbox.hotReload({ main: `${main} // ${Math.random()}` }, o),
    what: 'the reload of sandbox "s"',
  },
  "sandbox.hotReload({ dryRun })": {
    call: ({ sandbox }, o) => sandbox.hotReload({ main: `${main} // other` }, { dryRun: true, ...o }),
    what: 'the reload of sandbox "s"',
  },
  "sandbox.rollback()": {
    call: ({ sandbox }, o) => sandbox.rollback("main", 1, o),
    what: 'the rollback of sandbox "s"',
  },
  "sandbox.rollbackTo()": {
    call: ({ sandbox }, o) => sandbox.rollbackTo(1, o),
    what: 'the rollback of sandbox "s"',
  },
  "sandbox.replay()": {
    call: ({ seeded, recording }, o) => seeded.replay(recording, o),
    what: 'the replay of a run of sandbox "seeded"',
  },
  "sandbox.processes()": {
    call: ({ sandbox }, o) => sandbox.processes(o),
    what: 'the description of processes of sandbox "s"',
  },
  "sandbox.checkpoint()": {
    call: ({ sandbox }, o) => sandbox.checkpoint(o),
    what: 'the checkpoint of sandbox "s"',
  },
  "sandbox.captureState()": {
    call: ({ sandbox }, o) => sandbox.captureState(o),
    what: 'the capture of sandbox "s"',
  },
  "sandbox.restoreState()": {
    call: ({ sandbox, states }, o) => sandbox.restoreState(states, o),
    what: 'the return to captured states of sandbox "s"',
  },
  "sandbox.suspend()": { call: ({ sandbox }, o) => sandbox.suspend(o), what: 'the suspend of sandbox "s"' },
  "sandbox.export()": { call: ({ sandbox }, o) => sandbox.export(o), what: 'the export of sandbox "s"' },
  "sandbox.usage()": { call: ({ sandbox }, o) => sandbox.usage(o), what: 'the measurement of sandbox "s"' },
  "sandbox.updateLimits()": {
    call: ({ sandbox }, o) => sandbox.updateLimits({ timeoutMs: 777 }, o),
    what: 'the change of limits of sandbox "s"',
  },
  "sandbox.restart()": { call: ({ sandbox }, o) => sandbox.restart(o), what: 'the restart of sandbox "s"' },
};

const clock = new CountingClock();
const files = new Folder({ "main.ts": "export const f = () => 1;" });
const data = new Folder();
const world = await openWorld();
// After the runtime, which closes first.
after(() => [files, data].forEach((folder) => folder[Symbol.dispose]()));

async function openWorld(): Promise<World> {
  const runtime = await startRuntime({ clock, data: data.path });
  const sandbox = await runtime.create("s", { modules, supervisor: "main" });
  const plain = { main: "export const f = () => 1;" };
  const seeded = await runtime.create("seeded", { modules: plain, deterministic: { seed: 1 } });
  const { recording } = await seeded.call("main.f", { record: true });
  const [individual, states] = [await sandbox.export(), await sandbox.captureState()];
  return { runtime, sandbox, seeded, folder: files.path, individual, recording, states };
}

suite("a caller that gives up", () => {
  /** The error of a call, once it is settled; nothing of the wait is left then. */
  async function errorOf(
    name: string,
    promise: Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<CancelledError> {
    const result = await settled(name, promise);
    assert.equal(result.status, "rejected", `${name} was not rejected`);
    const { reason } = result as PromiseRejectedResult;
    assert.ok(reason instanceof CancelledError, `${name}: ${String(reason)}`);
    assert.equal(reason.code, "CANCELLED");
    assert.equal(clock.deadlines, 0, "a timer is left");
    if (signal !== undefined) assert.deepEqual(getEventListeners(signal, "abort"), []);
    return reason;
  }

  /** The sandbox can be used, after a restart where that was given up. */
  async function check({ absent }: Case): Promise<void> {
    const { runtime, sandbox } = world;
    if (absent !== undefined) assert.equal(await runtime.has(absent), false);
    const { status } = await sandbox.info();
    assert.ok(["running", "failed"].includes(status), status);
    if (status === "failed") await fulfilled("the restart", sandbox.restart());
    assert.equal((await fulfilled("a call", sandbox.call("main.f"))).ok, true);
    assert.equal((await sandbox.info()).limits.timeoutMs === 777, false);
  }

  for (const [name, given] of Object.entries(cases)) {
    test(`of ${name} before it begins gets CANCELLED, and nothing is begun`, async () => {
      const signal = AbortSignal.abort("why");
      const error = await errorOf(name, given.call(world, { signal, deadlineMs }), signal);
      assert.equal(error.message, `Cannot finish ${given.what} as its signal was aborted`);
      assert.deepEqual([error.cause, error.deadlineMs], ["why", null]);
      await check(given);
    });

    test(`of ${name} while it waits gets CANCELLED`, async () => {
      const giveUp = new AbortController();
      const { signal } = giveUp;
      const waiting = given.call(world, { signal, deadlineMs });
      giveUp.abort("why");
      const error = await errorOf(name, waiting, signal);
      assert.deepEqual([error.cause, error.deadlineMs], ["why", null]);
      await check(given);
    });

    test(`of ${name} by a deadline gets CANCELLED, which names the bound`, async () => {
      const waiting = given.call(world, { deadlineMs });
      assert.equal(clock.deadlines, 1);
      clock.advance(deadlineMs);
      const error = await errorOf(name, waiting);
      const rule = `it must be done within ${deadlineMs} ms (deadlineMs): it was not`;
      assert.equal(error.message, `Cannot finish ${given.what} as ${rule}`);
      assert.equal(error.deadlineMs, deadlineMs);
      await check(given);
    });

    test(`of ${name} not at all leaves no timer`, async () => {
      const { signal } = new AbortController();
      await fulfilled(name, given.call(world, { signal, deadlineMs }));
      assert.equal(clock.deadlines, 0);
      assert.deepEqual(getEventListeners(signal, "abort"), []);
      if (given.absent !== undefined) await world.runtime.destroy(given.absent);
      if (name === "sandbox.suspend()") await world.sandbox.resume();
      if (name === "sandbox.updateLimits()") await world.sandbox.updateLimits({ timeoutMs: 1_000 });
    });
  }
});
