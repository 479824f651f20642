// One compiler process: started with an empty environment, and used over a pipe of its own.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Child } from "../../jail/spawn/child.ts";
import { threadsOfNode } from "../../jail/spawn/node-process.ts";
import { afterTurn, type Clock, type Timer } from "../../std/clock.ts";
import { processorMsOf, tickMs } from "../../std/processor-time.ts";
import { FrameError, FrameReader, toFrame } from "../../std/frames.ts";
import type { BackendName } from "../compiler-host/backends/backend.ts";
import {
  isCompilerAnswer,
  frameBytesMaxFor,
  type AnyTask,
  type Recall,
  type CompilerAnswer,
} from "./compiler-protocol.ts";
import type { CompilerLaunch } from "./compiler-launch.ts";

export interface CompilerOptions {
  readonly clock: Clock;
  readonly programUrl: URL;
  readonly startMs: number;
  readonly backend: BackendName;
  readonly launch: CompilerLaunch;
}

const filePoolThreads = 4;

/** How long the answer to a task without a source may be: a package, or type errors. */
const packageBytesMax = 64 * 2 ** 20;

export interface CompilerListener {
  readonly onReady: () => void;
  readonly onAnswer: (answer: CompilerAnswer) => void;
  readonly onEnd: (how: string, wasReady: boolean) => void;
}

export class CompilerProcess {
  readonly #child: Child;
  readonly #listener: CompilerListener;
  readonly #reader = new FrameReader(frameBytesMaxFor(0));
  readonly #startTimer: Timer;
  readonly #gone = Promise.withResolvers<void>();
  readonly #clock: Clock;
  #askedMs = -Infinity;
  #processorMs: number | undefined;
  isReady = false;
  isKilled = false;

  constructor(options: CompilerOptions, listener: CompilerListener) {
    this.#listener = listener;
    this.#clock = options.clock;
    const { launch, programUrl, backend } = options;
    const { kind, flags, layers, env } = launch;
    const program = [fileURLToPath(programUrl), String(process.pid), backend, layers.join(","), kind];
    const settings = {
      command: process.execPath,
      args: ["--disable-warning=ExperimentalWarning", ...flags, ...program],
      env,
      isLeader: true,
      // Node's own, its pool for files, and one of the compiler's for each processor.
      threads: threadsOfNode + filePoolThreads + availableParallelism() + 1,
    };
    this.#child = launch.spawner.spawn(settings, {
      onBytes: (bytes) => this.#receive(bytes),
      onFailure: (message) => this.#end(message),
      onEnd: (how, said) => this.#end(said === "" || this.isReady ? how : `${how}; it said: ${said.trim()}`),
    });
    // Where our own thread was blocked, its first message may have arrived already.
    this.#startTimer = options.clock.after(options.startMs, () =>
      afterTurn(() => {
        if (!this.isReady) this.kill();
      }),
    );
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<void> {
    return this.#gone.promise;
  }

  /**
   * The processor time that it has used; undefined where the system does not report it. The kernel counts in ticks, and is not
   * asked again before another one has passed.
   */
  processorMs(): number | undefined {
    const { pid } = this.#child;
    const nowMs = this.#clock.monotonic();
    if (pid === undefined || nowMs - this.#askedMs < tickMs) return this.#processorMs;
    this.#askedMs = nowMs;
    return (this.#processorMs = processorMsOf(pid));
  }

  send(task: AnyTask | Recall): void {
    const length = "source" in task ? frameBytesMaxFor(task.source.length) : packageBytesMax;
    this.#reader.frameBytesMax = Math.max(this.#reader.frameBytesMax, length);
    if (this.#child.pipe.writable) this.#child.pipe.write(toFrame(task));
  }

  kill(): void {
    this.isKilled = true;
    this.#startTimer.cancel();
    this.#child.kill();
  }

  #receive(bytes: Buffer): void {
    if (this.isKilled) return;
    try {
      this.#reader.push(bytes, (message) => this.#deliver(message));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#child.kill();
    }
  }

  #deliver(message: unknown): void {
    if (!this.isReady) {
      this.isReady = true;
      this.#startTimer.cancel();
      return this.#listener.onReady();
    }
    if (isCompilerAnswer(message)) this.#listener.onAnswer(message);
    else this.#child.kill();
  }

  #end(how: string): void {
    this.#startTimer.cancel();
    this.#child.pipe.destroy();
    this.#gone.resolve();
    this.#listener.onEnd(how, this.isReady);
  }
}
