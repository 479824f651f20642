// When there are no cells, no descriptors, no store or no compiler, callers get errors, and the runtime recovers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Outcome } from "../../src/index.ts";
import { startBreakable, type Breakable } from "../support/breakable.ts";
import { childrenOf, commandOf, figuresOf } from "../support/processes.ts";
import { fulfilled, rejectionCode, settled, until } from "../support/waiting.ts";

/** Half of the time that is waited for a cell by default. */
const boundMs = 30_000;
/** For some thirty starts, one after the other, half of them without descriptors. */
const startsMs = 600_000;
const modules = { main: "export const f = (n) => n;" };
const kindOf = (outcome: Outcome): string => (outcome.ok ? "ok" : outcome.error.kind);
const isOpen = async (broken: Breakable): Promise<boolean> =>
  (await broken.runtime.health()).unavailable !== null;

suite("without cells", () => {
  test("restart() is refused and leaves a sandbox that can be restarted later", async () => {
    await using broken = await startBreakable();
    const sandbox = await broken.runtime.create("a", { modules });
    broken.isBroken = true;
    await broken.signal("SIGKILL");
    await until("the breaker is open", () => isOpen(broken));
    assert.equal(await rejectionCode("restart", sandbox.restart()), "CELLS_UNAVAILABLE");
    assert.equal((await sandbox.info()).status, "failed");
    assert.equal(kindOf(await fulfilled("call", sandbox.call("main.f"))), "not-running");
    // Not that it is in the wrong state: it may be tried again.
    assert.equal(await rejectionCode("restart", sandbox.restart()), "CELLS_UNAVAILABLE");
  });

  test("create() and calls are refused when all cells are full and no other can be started", async () => {
    await using broken = await startBreakable({ cells: { sandboxesMax: 2, spare: 0 } });
    const { runtime } = broken;
    const kept = await Promise.all([1, 2].map((n) => runtime.create(`kept-${n}`, { modules })));
    broken.isBroken = true;
    const creation = runtime.create("one-too-many", { modules });
    assert.equal(await rejectionCode("create", creation), "CELLS_UNAVAILABLE");
    assert.equal(await runtime.has("one-too-many"), false);
    for (const sandbox of kept) assert.equal(kindOf(await sandbox.call("main.f", { args: [1] })), "ok");
  });

  test("create() waits for one no longer than waitMs", async () => {
    await using broken = await startBreakable({ cells: { sandboxesMax: 1, spare: 0, waitMs: 300 } });
    await broken.runtime.create("first", { modules });
    broken.isBroken = true;
    const creation = broken.runtime.create("second", { modules });
    assert.equal(await rejectionCode("create", creation, boundMs), "CELLS_UNAVAILABLE");
  });

  test("hotReload() of a sandbox that lost its cell waits no longer either", async () => {
    await using broken = await startBreakable({ cells: { spare: 0, waitMs: 300 } });
    const sandbox = await broken.runtime.create("first", { modules });
    broken.isBroken = true;
    const gone = new Promise((resolve) => broken.runtime.events.on("cell.exited", resolve));
    await broken.signal("SIGKILL");
    await fulfilled("the cell's end", gone);
    const reload = sandbox.hotReload({ main: `${modules.main} // anew` });
    assert.equal(await rejectionCode("hotReload", reload, boundMs), "CELLS_UNAVAILABLE");
  });

  test("a spare steps in at once when all are full, though no other can be started", async () => {
    await using broken = await startBreakable({ cells: { sandboxesMax: 1, spare: 1 } });
    await broken.runtime.create("first", { modules });
    broken.isBroken = true;
    const second = await fulfilled("create", broken.runtime.create("second", { modules }));
    assert.equal(kindOf(await second.call("main.f", { args: [1] })), "ok");
  });

  test("spare cells that are lost one after the other are replaced", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const sandbox = await runtime.create("a", { modules });
    for (let round = 0; round < 3; round++) {
      await broken.whole();
      const home = await broken.cellOf("a");
      const { cells } = await runtime.metrics();
      await broken.signal(
        "SIGKILL",
        cells.map(({ pid }) => pid).filter((pid) => pid !== home),
      );
      assert.equal(kindOf(await sandbox.call("main.f", { args: [round + 1] })), "ok");
    }
    await broken.signal("SIGKILL");
    assert.equal(
      kindOf(await fulfilled("call", sandbox.call("main.f", { args: [9], repeatable: true }))),
      "ok",
    );
  });
});

suite("a compiler", () => {
  const compilerOf = (): number | undefined =>
    childrenOf(process.pid).find((pid) => commandOf(pid).includes("compiler-host"));

  test("killed from outside in the middle of a batch costs no item", async () => {
    await using broken = await startBreakable();
    const sources = Array.from({ length: 300 }, (_, n) => ({
      modules: { main: `${modules.main} export const own = () => ${n}; // ${Math.random()}` },
    }));
    const batch = broken.runtime.batch.create(sources);
    for (let kills = 0; kills < 3; kills++) {
      const { done } = batch.progress;
      await until("it goes on", () => batch.progress.done > done || batch.progress.done === sources.length);
      const pid = compilerOf();
      if (pid !== undefined) process.kill(pid, "SIGKILL");
    }
    const results = await fulfilled("batch", batch);
    assert.deepEqual(
      results.filter(({ ok }) => !ok),
      [],
    );
    const calls = await broken.runtime.batch.call<number>(
      results.map(({ sandboxId }) => sandboxId),
      "main.own",
    );
    assert.ok(calls.every((outcome) => outcome.ok && outcome.value === outcome.index));
  });

  test("that one source brings down is not brought down by each of its copies", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const copies = Array.from({ length: 40 }, () => ({
      modules: { main: `export const f = ${"!".repeat(900_000)}1` },
    }));
    const results = await fulfilled("batch", runtime.batch.create(copies));
    assert.ok(results.every((result) => !result.ok && result.error.code === "COMPILE_FAILED"));
    assert.ok((await runtime.metrics()).compile.restarts <= 2);
  });

  test("reports the first of very many mistakes, not all of them", async () => {
    await using broken = await startBreakable();
    const diagnostics = await fulfilled("check", broken.runtime.compile.check("let a;".repeat(2_000)));
    assert.ok(diagnostics.length > 0 && diagnostics.length <= 20, `${diagnostics.length} diagnostics`);
  });
});

suite("a batch", () => {
  test("goes on after an item whose spec is none, or whose arguments cannot be made", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const specs = [
      ...Array.from({ length: 70 }, () => ({ modules })),
      null as never,
      "x" as never,
      { modules },
    ];
    const made = await fulfilled("create", runtime.batch.create(specs));
    assert.deepEqual(
      made.flatMap((result) => (result.ok ? [] : [[result.index, result.error.code]])),
      [70, 71].map((index) => [index, "INVALID_OPTIONS"]),
    );
    const ids = Array.from({ length: 300 }, (_, n) => made[n % 70]?.sandboxId ?? "");
    const args = (_id: string, index: number): unknown[] => {
      if (index === 250) throw new TypeError("not this one");
      return [index];
    };
    const calls = await fulfilled("call", runtime.batch.call(ids, "main.f", { args, concurrency: 50 }));
    assert.deepEqual(
      calls.filter(({ ok }) => !ok).map(({ index }) => index),
      [250],
    );
  });

  test("that is cut while its function is compiled settles at once", async () => {
    await using broken = await startBreakable();
    const { runtime } = broken;
    const { id } = await runtime.create("a", { modules });
    // Takes the compiler far longer than the batch may take.
    const long = "a += 1;".repeat(100_000);
    // oxlint-disable-next-line typescript/no-implied-eval -- only its source is wanted
    const slow = Function("a", long) as () => unknown;
    const batch = runtime.batch.run([id, id], slow, { deadlineMs: 100 });
    const after = runtime.compile.check(`let a = 0; ${long}`).then(() => "the compiler was done first");
    const results = await fulfilled("batch", Promise.race([batch, after]));
    assert.ok(typeof results !== "string", String(results));
    assert.deepEqual(results.map(kindOf), ["cancelled", "cancelled"]);
    await after;
  });
});

suite("descriptors", () => {
  test("that run out crash nothing, and cells start again when there are some", async () => {
    const script = fileURLToPath(new URL("no-descriptors.ts", import.meta.url));
    const command = `ulimit -n 100; exec "${process.execPath}" "${script}"`;
    const ran = await settled("script", promisify(execFile)("sh", ["-c", command]));
    assert.equal(ran.status, "fulfilled", ran.status === "rejected" ? String(ran.reason) : "");
    assert.match((ran as PromiseFulfilledResult<{ stdout: string }>).value.stdout, /^answered again$/m);
  });

  test("of which none is free at any moment of a start give an error that names the limit, and nothing else", async () => {
    const script = fileURLToPath(new URL("few-descriptors.ts", import.meta.url));
    const command = `ulimit -n 100; exec "${process.execPath}" "${script}"`;
    const ran = await settled("script", promisify(execFile)("sh", ["-c", command]), startsMs);
    assert.equal(ran.status, "fulfilled", ran.status === "rejected" ? String(ran.reason) : "");
    const { stdout, stderr } = (ran as PromiseFulfilledResult<{ stdout: string; stderr: string }>).value;
    assert.equal(stderr, "");
    const lines = stdout.trim().split("\n");
    assert.equal(lines.pop(), "done");
    const starts = lines.map((line) => JSON.parse(line) as { first: string; again: string; left: number });
    for (const { first, ...rest } of starts) {
      assert.match(first, /^works$|^[A-Z]+_[A-Z_]+: Cannot [^]+ulimit -n\), 100[^]*$/);
      assert.deepEqual(rest, { ...rest, again: "works", left: 0 });
    }
    assert.ok(starts.filter(({ first }) => first !== "works").length > 5, "too few starts met the limit");
  });

  test("and threads are all given back by close()", async () => {
    const before = figuresOf(process.pid);
    for (let round = 0; round < 6; round++) {
      const broken = await startBreakable();
      await broken.runtime.create({ modules });
      await broken.runtime.close();
    }
    await until(
      "descriptors are given back",
      () => figuresOf(process.pid).descriptors <= before.descriptors + 2,
    );
    await until("threads are given back", () => figuresOf(process.pid).threads <= before.threads + 1);
    assert.equal(childrenOf(process.pid).length, 0);
  });
});
