// How owners share compiler processes: who goes first, when another process is started, and who gives way.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { CompilerStage, nextTurn, type FakeCompilerProcess } from "../../../support/compiler-stage.ts";

/** Longer than others wait behind one module before another process is started. */
const slowMs = 60;
/** Longer than a module may take while others wait and no process is free. */
const sliceMs = 400;
const attacker = { tenant: "attacker" };
const honest = { tenant: "honest" };

/** A stage whose processes are all busy with modules of the attacker that take long; one each. */
async function besieged(processesMax: number): Promise<CompilerStage> {
  const stage = new CompilerStage({ processesMax });
  for (let number = 0; number < 8; number++) stage.ask(`a${number}`, attacker);
  stage.ready(0);
  for (let number = 1; number < processesMax - 1; number++) {
    await stage.pass(slowMs);
    stage.ready(number);
  }
  await stage.pass(slowMs);
  return stage;
}

/** Which of the modules a and b a process has, recalled ones left out. */
function slowIn({ written }: FakeCompilerProcess): Set<string> {
  const names = new Set<string>();
  for (const name of written)
    if (name.startsWith("-")) names.delete(name.slice(1));
    else if (name === "a" || name === "b") names.add(name);
  return names;
}

suite("compiler processes", () => {
  test("one is enough as long as modules are quick", async () => {
    const stage = new CompilerStage();
    for (let number = 0; number < 20; number++) stage.ask(`m${number}`);
    stage.ready(0);
    for (let number = 0; number < 20; number++) {
      await stage.pass(10);
      stage.process(0).answer(`m${number}`);
    }
    await nextTurn();
    assert.equal(stage.done.length, 20);
    assert.equal(stage.processes.length, 1);
    await stage.close();
  });

  test("another is started when a module takes long while others wait, and what waited behind it goes there", async () => {
    const stage = new CompilerStage();
    stage.ask("long", attacker);
    stage.ask("quick", honest);
    stage.ready(0);
    assert.deepEqual(stage.process(0).written, ["long", "quick"]);
    await stage.pass(slowMs);
    assert.deepEqual(stage.process(0).written, ["long", "quick", "-quick"]);
    stage.ready(1);
    stage.process(1).answer("quick");
    await nextTurn();
    assert.deepEqual(stage.done, ["quick"]);
    stage.process(0).answer("long");
    // It did not hear in time that this was recalled: its answer counts no more.
    stage.process(0).answer("quick");
    await nextTurn();
    assert.deepEqual(stage.done, ["quick", "long"]);
    assert.equal(stage.process(0).isKilled, false);
    await stage.close();
  });

  test("one that goes on with a recalled module is replaced, without blame", async () => {
    const stage = new CompilerStage();
    stage.ask("long", attacker);
    stage.ask("other", honest);
    stage.ready(0);
    await stage.pass(slowMs);
    stage.ready(1);
    stage.process(0).answer("long");
    await stage.pass(slowMs);
    assert.equal(stage.process(0).isKilled, true);
    assert.equal(stage.process(1).isKilled, false);
    assert.deepEqual(stage.done, ["long"]);
    await stage.close();
  });

  test("are ended when they have had nothing to do for a while, but for one", async () => {
    const stage = new CompilerStage();
    stage.ask("long", attacker);
    stage.ask("quick", honest);
    stage.ready(0);
    await stage.pass(slowMs);
    stage.ready(1);
    stage.process(1).answer("quick");
    stage.process(0).answer("long");
    stage.process(0).say({ id: 2, ok: false, refusal: "it was recalled" });
    await stage.pass(5_000);
    assert.equal(stage.queue.processes, 1);
    assert.equal(stage.processes.filter(({ isKilled }) => isKilled).length, 1);
    await stage.pass(60_000);
    assert.equal(stage.queue.processes, 1);
    assert.equal(stage.queue.restarts, 0);
    await stage.close();
  });

  test("one tenant never has all of them, and another tenant's module is sent at once to the one that is left", async () => {
    const stage = await besieged(3);
    assert.deepEqual(
      stage.processes.map(({ written }) => written.filter((name) => !name.startsWith("-")).at(0)),
      ["a0", "a1"],
    );
    assert.equal(stage.queue.processes, 2);
    stage.ask("h", honest);
    stage.ready(2);
    assert.deepEqual(stage.process(2).written, ["h"]);
    await stage.close();
  });

  test("one sandbox never has all that its tenant may have", async () => {
    const stage = new CompilerStage();
    for (const name of ["a", "b", "c"]) stage.ask(name, { ...attacker, sandbox: "bad" });
    stage.ready(0);
    await stage.pass(slowMs);
    assert.equal(stage.processes.length, 1);
    stage.ask("d", { ...attacker, sandbox: "sibling" });
    stage.ready(1);
    assert.deepEqual(stage.process(1).written, ["d"]);
    await stage.close();
  });

  test("after close() none is left, and what waited is refused", async () => {
    const stage = await besieged(3);
    await stage.close();
    assert.ok(stage.processes.every(({ isKilled }) => isKilled));
    assert.deepEqual(stage.done, []);
  });
});

suite("a module that takes long", () => {
  test("gives way to an owner who has used less when no process is free, and begins again later", async () => {
    const stage = new CompilerStage({ processesMax: 2 });
    stage.ask("a", attacker);
    stage.ready(0);
    await stage.pass(slowMs);
    stage.ask("b", { tenant: "second" });
    stage.ready(1);
    await stage.pass(slowMs);
    stage.ask("h", honest);
    await stage.pass(sliceMs);
    assert.equal(stage.process(0).isKilled, true, "the one that has had most");
    assert.equal(stage.process(1).isKilled, false);
    stage.ready(2);
    assert.equal(stage.process(2).written[0], "h");
    assert.equal(stage.queue.restarts, 1);
    stage.process(2).answer("h");
    await nextTurn();
    assert.equal(stage.process(2).written[1], "a");
    stage.process(2).answer("a");
    await nextTurn();
    assert.deepEqual(stage.done, ["h", "a"]);
    await stage.close();
  });

  test("does not give way where only its own sandbox waits", async () => {
    const stage = new CompilerStage();
    for (const name of ["a", "b"]) stage.ask(name, { sandbox: "same" });
    stage.ready(0);
    await stage.pass(sliceMs);
    await stage.pass(sliceMs);
    assert.equal(stage.process(0).isKilled, false);
    await stage.close();
  });

  test("has twice the time when it begins again, so that it comes to its end", async () => {
    const stage = new CompilerStage({ processesMax: 1 });
    let made = 0;
    stage.ask("long");
    stage.ready(0);
    const runsMs: number[] = [];
    for (let process = 0; process < 3; process++) {
      // Whoever waits has used nothing yet.
      stage.ask(`other${++made}`, honest);
      let ranMs = 0;
      while (!stage.process(process).isKilled && ranMs < 20_000) {
        await stage.pass(10);
        ranMs += 10;
      }
      runsMs.push(ranMs);
      stage.ready(process + 1);
      stage.process(process + 1).answer(`other${made}`);
      await nextTurn();
      assert.equal(stage.process(process + 1).written.at(-1), "long");
    }
    assert.deepEqual(
      runsMs.map((ms) => Math.round(ms / 300)),
      [1, 2, 4],
    );
    await stage.close();
  });

  test("never has the last process when it begins again: that is left for modules of which nothing is known", async () => {
    const stage = new CompilerStage({ processesMax: 2 });
    stage.ask("a", attacker);
    stage.ready(0);
    await stage.pass(slowMs);
    stage.ask("b", { tenant: "second" });
    stage.ready(1);
    await stage.pass(slowMs);
    stage.ask("c", { tenant: "third" });
    await stage.pass(sliceMs);
    stage.ready(2);
    stage.ask("d", { tenant: "fourth" });
    await stage.pass(sliceMs);
    stage.ready(3);
    const begun = stage.processes.map(({ written }) => written[0]);
    assert.deepEqual(begun, ["a", "b", "c", "d"]);
    // Two have given way, one of them begins again, and the other does not, though a process has nothing to do.
    for (const [number, name] of [
      [2, "c"],
      [3, "d"],
    ] as const) {
      stage.process(number).answer(name);
      stage.process(number).answerRecalled();
    }
    await stage.pass(slowMs);
    const [free, busy] = stage.processes.slice(2).toSorted((x, y) => slowIn(x).size - slowIn(y).size);
    assert.ok(free !== undefined && busy !== undefined);
    assert.deepEqual([slowIn(free).size, slowIn(busy).size], [0, 1]);
    stage.ask("h", honest);
    assert.equal(free.written.at(-1), "h");
    await stage.close();
  });

  test("that is late is at fault alone; those behind it are sent again, in their order", async () => {
    const stage = new CompilerStage({ processesMax: 1 });
    stage.ask("late", { compileMs: 200 });
    for (const name of ["x", "y", "z"]) stage.ask(name, { compileMs: 200 });
    stage.ready(0);
    await stage.pass(slowMs);
    await stage.pass(200);
    stage.ready(1);
    for (const name of ["x", "y", "z"]) {
      await stage.pass(1);
      stage.process(1).answer(name);
    }
    await nextTurn();
    assert.deepEqual(
      stage.results.map(([name, result]) => [name, "unanswered" in result ? result.unanswered : "answered"]),
      [
        ["late", "late"],
        ["x", "answered"],
        ["y", "answered"],
        ["z", "answered"],
      ],
    );
    await stage.close();
  });
});

suite("the next module", () => {
  test("is that of the tenant that has used least, whatever waits before it", async () => {
    const stage = new CompilerStage({ processesMax: 1 });
    for (let number = 0; number < 5; number++) stage.ask(`a${number}`, attacker);
    stage.ready(0);
    await stage.pass(40);
    stage.ask("h", honest);
    stage.process(0).answer("a0");
    stage.process(0).answer("a1");
    await nextTurn();
    assert.deepEqual(stage.process(0).written.slice(0, 3), ["a0", "a1", "h"]);
    await stage.close();
  });

  test("may be one that another tenant asked for first, where both want the same", async () => {
    const stage = new CompilerStage({ processesMax: 1 });
    const request = {};
    for (let number = 0; number < 5; number++) stage.ask(`a${number}`, attacker);
    stage.ask("shared", { ...attacker, request });
    stage.ready(0);
    await stage.pass(40);
    stage.queue.alsoFor(request, { group: "honest", member: "h" });
    stage.process(0).answer("a0");
    await nextTurn();
    assert.deepEqual(stage.process(0).written.slice(0, 3), ["a0", "a1", "shared"]);
    await stage.close();
  });
});
