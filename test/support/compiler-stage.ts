// A queue of the compiler with processes that do only what a test says, on a clock that stands still.
import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { CompilerQueue } from "../../src/code/compiler/compiler-queue.ts";
import type { TaskResult } from "../../src/code/compiler/compiler-worker.ts";
import type { ChildListener } from "../../src/jail/spawn/child.ts";
import { FrameReader, toFrame } from "../../src/std/frames.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";

export async function nextTurn(): Promise<void> {
  await turn();
  await turn();
}

interface Written {
  readonly t: string;
  readonly id: number;
  readonly name?: string;
}

/** A compiler process: what was written to it, and what it says. */
export class FakeCompilerProcess {
  /** What was written to it: names of modules, and the recalled ones as `-name`. */
  readonly written: string[] = [];
  isKilled = false;
  readonly listener: ChildListener;
  readonly pipe: Duplex;
  readonly #names = new Map<number, string>();

  constructor(listener: ChildListener) {
    this.listener = listener;
    const reader = new FrameReader(2 ** 24);
    this.pipe = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        reader.push(chunk, (message) => this.#take(message as Written));
        done();
      },
    });
  }

  say(message: unknown): void {
    this.listener.onBytes(toFrame(message));
  }

  /** Answers the module of this name. */
  answer(name: string): void {
    const [id] = [...this.#names].findLast(([, known]) => known === name) ?? assert.fail(`no ${name}`);
    this.say({ id, ok: false, diagnostics: [] });
  }

  /** Says of what was recalled last that it was left out. */
  answerRecalled(): void {
    const last = this.written.at(-1);
    if (last?.startsWith("-") === true) this.answer(last.slice(1));
  }

  /** Ends by itself. */
  die(how: string): void {
    this.listener.onEnd(how, "");
  }

  #take({ t, id, name = "" }: Written): void {
    if (t !== "recall") this.#names.set(id, name);
    this.written.push(t === "recall" ? `-${this.#names.get(id)}` : name);
  }
}

export interface StageOptions {
  /** Whose processor time counts as that of each process; undefined where it is not known. */
  readonly pid?: number | undefined;
  readonly processesMax?: number;
}

export interface Asked {
  readonly compileMs?: number;
  readonly tenant?: string;
  readonly sandbox?: string;
  readonly sourceLength?: number;
  readonly request?: object;
}

export class CompilerStage {
  readonly clock = new FakeClock();
  readonly processes: FakeCompilerProcess[] = [];
  /** The results in their order, by the name of the module. */
  readonly results: (readonly [string, TaskResult])[] = [];
  readonly queue: CompilerQueue;

  constructor({ pid, processesMax = 3 }: StageOptions = {}) {
    const spawner = {
      objectionTo: () => undefined,
      spawn: (_order: unknown, listener: ChildListener) => {
        const process = new FakeCompilerProcess(listener);
        this.processes.push(process);
        return { pid, pipe: process.pipe, kill: () => void (process.isKilled = true) };
      },
      close: () => Promise.resolve(),
    };
    const launch = { kind: "modules", spawner, layers: [], flags: [], env: {} } as const;
    const options = {
      clock: this.clock,
      programUrl: new URL(import.meta.url),
      startMs: 1_000_000,
      backend: "rolldown",
      processesMax,
    } as const;
    this.queue = new CompilerQueue(options, () => launch);
  }

  /** Of this process, the first has number 0. */
  process(number: number): FakeCompilerProcess {
    return this.processes[number] ?? assert.fail(`there is no process ${number}`);
  }

  ready(number: number): void {
    this.process(number).say({ t: "ready" });
  }

  ask(name: string, asked: Asked = {}): void {
    const { compileMs = 10_000, tenant = "", sandbox = name, sourceLength = 0, request } = asked;
    const task = { t: "module", name, source: "x".repeat(sourceLength), isMetered: false } as const;
    const owner = { group: tenant, member: sandbox };
    // What is not answered is refused when the queue is closed.
    this.queue.ask(task, { compileMs, owner, ...(request === undefined ? {} : { request }) }).then(
      (result) => this.results.push([name, result]),
      () => {},
    );
  }

  /** The names of those that were answered, or at fault. */
  get done(): string[] {
    return this.results.map(([name]) => name);
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await nextTurn();
  }

  async close(): Promise<void> {
    const closed = this.queue.close();
    for (const process of this.processes) process.die("SIGKILL");
    await closed;
  }
}
