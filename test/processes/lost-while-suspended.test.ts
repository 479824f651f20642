// A reload whose caller migrates the states, and an isolate that is lost on the way: every server is migrated once, or the
// reload is refused and the old code goes on.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { completeConfig } from "../../src/api/options/config.ts";
import { assemble, launcherFor, openJail } from "../../src/api/wiring/create-runtime.ts";
import type { Cell, CellLauncher } from "../../src/execution/cell.ts";
import { Watchdog } from "../../src/execution/enforcement/watchdog.ts";
import type { Command, DoneItem, Report } from "../../src/execution/protocol/messages.ts";
import type { Migrate, Runtime, Sandbox } from "../../src/index.ts";
import { valueOf } from "../support/outcomes.ts";
import { killCellOf, refusalOf } from "../support/reloading.ts";

type Managed = Extract<Command, { t: "manage" | "reload" }>;

interface Between extends AsyncDisposable {
  readonly runtime: Runtime;
  /** Sees the commands about processes that a cell gets; true kills the cell before it receives one. */
  killAt: ((command: Managed) => boolean) | undefined;
  /** Answered with the report that the isolate was lost. */
  denyAt: ((command: Managed) => boolean) | undefined;
  /** Whose answer comes right after the report that its isolate is lost. */
  loseAt: ((command: Managed) => boolean) | undefined;
}

// A runtime on real cells, with an interceptor between it and them.
async function startBetween(): Promise<Between> {
  const config = completeConfig({ cells: { count: 1, spare: 1, warm: 4 } });
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  const real = launcherFor(config, guards);
  const lost = new Map<number, number>();
  const denied = new Set<number>();
  const toAnswer = (item: DoneItem): DoneItem =>
    denied.has(item.op) ? { ...item, verdict: "gone", answer: "" } : item;
  const launch: CellLauncher = async (number, listener) => {
    const onReport = (report: Report): void => {
      for (const { op } of report.t === "done" ? report.items : []) {
        const key = lost.get(op);
        if (key !== undefined) listener.onReport({ t: "background", key, verdict: "memory", isLost: true });
      }
      listener.onReport(report.t === "done" ? { ...report, items: report.items.map(toAnswer) } : report);
    };
    const cell = await real(number, { ...bound(listener), onReport });
    const send = (command: Command): void => {
      if (command.t === "manage" || command.t === "reload") meet(cell, command);
      cell.send(command);
    };
    return { ...bound(cell), send };
  };
  const meet = (cell: Cell, command: Managed): void => {
    if (between.killAt?.(command) === true) process.kill(cell.facts.pid, "SIGKILL");
    if (between.denyAt?.(command) === true) denied.add(command.op);
    if (between.loseAt?.(command) === true) lost.set(command.op, command.key);
  };
  const between: Omit<Between, "runtime"> & { runtime: Runtime } = {
    runtime: undefined as unknown as Runtime,
    killAt: undefined,
    denyAt: undefined,
    loseAt: undefined,
    [Symbol.asyncDispose]: () => between.runtime.close(),
  };
  between.runtime = await assemble(config, { ...guards, launch });
  return between;
}

// The methods of an object of a class, to be put beside others.
function bound<T extends object>(of: T): T {
  const copy: Record<string, unknown> = {};
  for (let at: object = of; at !== Object.prototype; at = Object.getPrototypeOf(at) as object)
    for (const name of Object.getOwnPropertyNames(at)) {
      const value: unknown = (of as Record<string, unknown>)[name];
      copy[name] ??= typeof value === "function" ? value.bind(of) : value;
    }
  return copy as T;
}

// Old code cannot read new states, nor the other way round.
const source = (n: number): string => `
import { server, supervisor } from "vivarium/guest";
const Counter = server({ init: () => ({ v${n}: 0 }), handleCall(message, state) {
  const count = state.v${n} + 1;
  return { reply: [${n}, count], state: { v${n}: count } };
} });
export default supervisor({ children: [{ id: "c", start: Counter }, { id: "d", start: Counter }] });`;

const count = async (sandbox: Sandbox, name: string): Promise<unknown> => valueOf(await sandbox.ask(name, 1));

const isFirst = (command: Managed): boolean => command.t === "manage";
const isReload = (command: Managed): boolean => command.t === "reload";

function once(isMeant: (command: Managed) => boolean): (command: Managed) => boolean {
  let isOver = false;
  return (command) => !isOver && (isOver = isMeant(command));
}

async function startCounting(
  between: Between,
  checkpoint: "message" | null = "message",
): Promise<{ readonly sandbox: Sandbox; readonly called: string[]; readonly migrate: Migrate }> {
  const sandbox = await between.runtime.create({
    modules: { main: source(1) },
    supervisor: "main",
    checkpoint,
  });
  await count(sandbox, "c");
  await count(sandbox, "c");
  await count(sandbox, "d");
  const called: string[] = [];
  const migrate: Migrate = (state, { path }) => {
    called.push(String(path));
    return { v2: (state as { v1: number }).v1 + 100 };
  };
  return { sandbox, called, migrate };
}

suite("an isolate that is lost in a reload with migrate", () => {
  test("after its servers were suspended: they are suspended again, and each is migrated once", async () => {
    await using between = await startBetween();
    const { sandbox, called, migrate } = await startCounting(between);
    between.loseAt = once(isFirst);
    const report = await sandbox.hotReload({ main: source(2) }, { migrate });
    assert.deepEqual(called.toSorted(), ["c", "d"]);
    assert.deepEqual(
      report.states?.map(({ way }) => way),
      ["host", "host"],
    );
    assert.deepEqual(
      [await count(sandbox, "c"), await count(sandbox, "d")],
      [
        [2, 103],
        [2, 102],
      ],
    );
    assert.equal((await sandbox.info()).rebuilds, 1);
  });

  test("before they are held back: the sandbox is running all the same, and each is migrated once", async () => {
    await using between = await startBetween();
    const { sandbox, called, migrate } = await startCounting(between);
    between.killAt = once(isFirst);
    await sandbox.hotReload({ main: source(2) }, { migrate });
    assert.deepEqual(called.toSorted(), ["c", "d"]);
    assert.deepEqual(
      [await count(sandbox, "c"), await count(sandbox, "d")],
      [
        [2, 103],
        [2, 102],
      ],
    );
  });

  test("each time they are held back: the reload is refused for that reason, and the old code goes on", async () => {
    await using between = await startBetween();
    const { sandbox, called, migrate } = await startCounting(between);
    let times = 0;
    between.denyAt = (command) => isFirst(command) && ++times > 0;
    const error = await refusalOf(sandbox.hotReload({ main: source(2) }, { migrate }), "MIGRATION_FAILED");
    assert.equal(error.failure?.kind, "cell-lost");
    between.denyAt = undefined;
    assert.equal(times, 3);
    assert.deepEqual(called, []);
    assert.deepEqual(await count(sandbox, "c"), [1, 3]);
  });

  test("while the caller migrates: the reload is refused, and the old code goes on with the old states", async () => {
    for (const checkpoint of ["message", null] as const) {
      await using between = await startBetween();
      const { sandbox, called, migrate } = await startCounting(between, checkpoint);
      const killing: Migrate = async (state, about) => {
        if (about.path === "c") await killCellOf(between.runtime, sandbox);
        return migrate(state, about);
      };
      const reload = sandbox.hotReload({ main: source(2) }, { migrate: killing });
      const error = await refusalOf(reload, "MIGRATION_FAILED");
      assert.match(error.message, /isolate that is no more/);
      assert.equal(error.failure?.kind, "cell-lost");
      assert.deepEqual(called.toSorted(), ["c", "d"]);
      assert.deepEqual(await count(sandbox, "c"), [1, checkpoint === null ? 1 : 3]);
      assert.equal(await sandbox.version("main"), 1);
      await sandbox.hotReload({ main: source(2) }, { migrate });
      assert.deepEqual(await count(sandbox, "d"), [2, checkpoint === null ? 101 : 102]);
    }
  });

  test("when its new code is about to come: that is not evaluated with the states of another isolate", async () => {
    await using between = await startBetween();
    const { sandbox, called, migrate } = await startCounting(between);
    between.killAt = once(isReload);
    const error = await refusalOf(sandbox.hotReload({ main: source(2) }, { migrate }), "MIGRATION_FAILED");
    assert.match(error.message, /isolate that is no more/);
    assert.deepEqual(called.toSorted(), ["c", "d"]);
    assert.deepEqual(await count(sandbox, "c"), [1, 3]);
  });

  test("after its new code was evaluated: what is saved is not taken from another isolate", async () => {
    await using between = await startBetween();
    const { sandbox, migrate } = await startCounting(between);
    between.loseAt = once(isReload);
    const error = await refusalOf(sandbox.hotReload({ main: source(2) }, { migrate }));
    assert.match(error.message, /there is none under way/);
    assert.deepEqual(
      [await count(sandbox, "c"), await count(sandbox, "d")],
      [
        [1, 3],
        [1, 2],
      ],
    );
    await sandbox.hotReload({ main: source(2) }, { migrate });
    assert.deepEqual(await count(sandbox, "c"), [2, 104]);
  });
});
