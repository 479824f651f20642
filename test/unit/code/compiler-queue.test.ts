// The time of a compilation: cut when the compiler had it, and given again when the machine did not let it work.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Duplex } from "node:stream";
import { suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { CompilerQueue, type TaskResult } from "../../../src/code/compiler-queue.ts";
import type { ChildListener } from "../../../src/jail/child.ts";
import { toFrame } from "../../../src/std/frames.ts";
import { processorMsOf } from "../../../src/std/processor-time.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";

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
    const surroundings = { kind: "modules", spawner, layers: [], flags: [], env: {} } as const;
    const options = {
      clock: this.clock,
      programUrl: new URL(import.meta.url),
      startMs: 1_000,
      backend: "rolldown",
    } as const;
    this.#queue = new CompilerQueue(options, () => surroundings);
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

  /** The process is gone by itself. */
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
  test("is sent when there is at most one before it, and is at fault for a crash that comes before its answer", async () => {
    const stage = new Stage(undefined);
    for (let more = 0; more < 3; more++) stage.ask();
    await nextTurn();
    assert.equal(stage.written, 2);
    stage.say({ id: 1, ok: false, diagnostics: [] });
    await nextTurn();
    assert.equal(stage.written, 3);
    stage.die("SIGSEGV");
    await nextTurn();
    assert.deepEqual(stage.results, [
      { id: 1, ok: false, diagnostics: [] },
      { unanswered: "crashed", how: "SIGSEGV" },
    ]);
    await stage.close();
  });

  test("is late when its time is over and nothing is known of the processor", async () => {
    const stage = new Stage(undefined);
    await stage.pass(compileMs);
    assert.deepEqual(stage.results, [{ unanswered: "late" }]);
    assert.equal(stage.kills, 1);
    await stage.close();
  });

  test("whose process got nothing of the processor has its time once more, three times and no more", async () => {
    const idle = spawn("sleep", ["600"], { stdio: "ignore" });
    const stage = new Stage(idle.pid);
    for (let time = 0; time < 3; time++) await stage.pass(compileMs);
    assert.deepEqual(stage.results, []);
    await stage.pass(compileMs);
    assert.deepEqual(stage.results, [{ unanswered: "late" }]);
    idle.kill("SIGKILL");
    await stage.close();
  });

  test("that did use the processor is late after its time", async () => {
    const stage = new Stage(process.pid);
    const startMs = processorMsOf(process.pid) ?? assert.fail("the system does not tell");
    while ((processorMsOf(process.pid) ?? 0) < startMs + compileMs);
    await stage.pass(compileMs);
    assert.deepEqual(stage.results, [{ unanswered: "late" }]);
    await stage.close();
  });

  test("whose answer is there and only our thread came late to it is not late", async () => {
    const stage = new Stage(undefined);
    stage.clock.advance(compileMs);
    stage.say({ id: 1, ok: false, diagnostics: [] });
    await nextTurn();
    assert.deepEqual(stage.results, [{ id: 1, ok: false, diagnostics: [] }]);
    assert.equal(stage.kills, 0);
    await stage.close();
  });
});
