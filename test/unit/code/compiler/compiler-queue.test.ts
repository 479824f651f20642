// The time of a compilation: cut when the compiler had it, and given again when the machine did not let it work.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Duplex } from "node:stream";
import { suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { CompilerQueue, type TaskResult } from "../../../../src/code/compiler/compiler-queue.ts";
import type { ChildListener } from "../../../../src/jail/spawn/child.ts";
import { toFrame } from "../../../../src/std/frames.ts";
import { processorMsOf } from "../../../../src/std/processor-time.ts";
import { FakeClock } from "../../../../src/testing/fake-clock.ts";

const compileMs = 40;
async function nextTurn(): Promise<void> {
  await turn();
  await turn();
}

/** A queue whose compiler has this pid, is ready at once, and answers nothing by itself. */
class Stage {
  readonly clock = new FakeClock();
  readonly results: TaskResult[] = [];
  kills = 0;
  readonly #queue: CompilerQueue;
  /** Tasks that were written to the process. */
  written = 0;
  readonly #pipe = new Duplex({
    read: () => {},
    write: (_chunk, _encoding, done) => {
      this.written++;
      done();
    },
  });
  #child: ChildListener | undefined;

  constructor(pid: number | undefined) {
    const spawner = {
      objectionTo: () => undefined,
      spawn: (_order: unknown, listener: ChildListener) => {
        this.#child = listener;
        return { pid, pipe: this.#pipe, kill: () => void this.kills++ };
      },
      close: () => Promise.resolve(),
    };
    const launch = { kind: "modules", spawner, layers: [], flags: [], env: {} } as const;
    const options = {
      clock: this.clock,
      programUrl: new URL(import.meta.url),
      startMs: 1_000,
      backend: "rolldown",
    } as const;
    this.#queue = new CompilerQueue(options, () => launch);
    this.ask();
    this.say({ t: "ready" });
  }

  ask(): void {
    const task = { t: "module", name: "main", source: "", isMetered: false } as const;
    // What is not answered is refused when the queue is closed.
    this.#queue.ask(task, compileMs).then(
      (result) => this.results.push(result),
      () => {},
    );
  }

  /** The process has ended by itself. */
  die(how: string): void {
    this.#child?.onEnd(how, "");
  }

  say(message: unknown): void {
    this.#pipe.emit("data", toFrame(message));
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await nextTurn();
  }

  async close(): Promise<void> {
    const closed = this.#queue.close();
    this.#child?.onEnd("SIGKILL", "");
    await closed;
  }
}

suite("a compilation", () => {
  test("is sent when there is at most one before it, and is blamed for a crash that comes before its answer", async () => {
    const phase = new Stage(undefined);
    for (let more = 0; more < 3; more++) phase.ask();
    await nextTurn();
    assert.equal(phase.written, 2);
    phase.say({ id: 1, ok: false, diagnostics: [] });
    await nextTurn();
    assert.equal(phase.written, 3);
    phase.die("SIGSEGV");
    await nextTurn();
    assert.deepEqual(phase.results, [
      { id: 1, ok: false, diagnostics: [] },
      { unanswered: "crashed", how: "SIGSEGV" },
    ]);
    await phase.close();
  });

  test("is late when its time is over and nothing is known of the processor", async () => {
    const phase = new Stage(undefined);
    await phase.pass(compileMs);
    assert.deepEqual(phase.results, [{ unanswered: "late" }]);
    assert.equal(phase.kills, 1);
    await phase.close();
  });

  test("whose process got nothing of the processor has its time once more, three times and no more", async () => {
    const idle = spawn("sleep", ["600"], { stdio: "ignore" });
    const phase = new Stage(idle.pid);
    for (let time = 0; time < 3; time++) await phase.pass(compileMs);
    assert.deepEqual(phase.results, []);
    await phase.pass(compileMs);
    assert.deepEqual(phase.results, [{ unanswered: "late" }]);
    idle.kill("SIGKILL");
    await phase.close();
  });

  test("that did use the processor is late after its time", async () => {
    const phase = new Stage(process.pid);
    const startMs = processorMsOf(process.pid) ?? assert.fail("the system does not tell");
    while ((processorMsOf(process.pid) ?? 0) < startMs + compileMs);
    await phase.pass(compileMs);
    assert.deepEqual(phase.results, [{ unanswered: "late" }]);
    await phase.close();
  });

  test("whose answer is there and only our thread came late to it is not late", async () => {
    const phase = new Stage(undefined);
    phase.clock.advance(compileMs);
    phase.say({ id: 1, ok: false, diagnostics: [] });
    await nextTurn();
    assert.deepEqual(phase.results, [{ id: 1, ok: false, diagnostics: [] }]);
    assert.equal(phase.kills, 0);
    await phase.close();
  });
});
