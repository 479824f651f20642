// One compiler process: started with a bare environment, spoken to over a pipe of its own, and gone one day.
import { spawn, type ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Clock, Timer } from "../std/clock.ts";
import { FrameError, FrameReader, toFrame } from "../std/frames.ts";
import type { BackendName } from "./backends/backend.ts";
import { asCompilerAnswer, type CompilerAnswer } from "./compiler-protocol.ts";

export interface CompilerOptions {
  readonly clock: Clock;
  readonly programUrl: URL;
  readonly startMs: number;
  readonly backend: BackendName;
}

const pipeIndex = 3;
const frameBytesMax = 256 * 2 ** 20;

export interface CompilerListener {
  readonly onReady: () => void;
  readonly onAnswer: (answer: CompilerAnswer) => void;
  readonly onEnd: (how: string, wasReady: boolean) => void;
}

export class CompilerProcess {
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #listener: CompilerListener;
  readonly #reader = new FrameReader(frameBytesMax);
  readonly #startTimer: Timer;
  isReady = false;
  isKilled = false;

  constructor(options: CompilerOptions, listener: CompilerListener) {
    this.#listener = listener;
    this.#child = spawn(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        fileURLToPath(options.programUrl),
        String(process.pid),
        options.backend,
      ],
      {
        cwd: "/",
        env: { TZ: "UTC", NO_COLOR: "1", OPENSSL_CONF: "/dev/null" },
        stdio: ["ignore", "ignore", "ignore", "pipe", "ignore", "pipe"],
        // A group of its own, so that tools which it starts end with it.
        detached: true,
      },
    );
    this.#pipe = this.#child.stdio[pipeIndex] as Duplex;
    this.#pipe.on("error", () => {});
    this.#pipe.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#startTimer = options.clock.after(options.startMs, () => this.kill());
    this.#child.on("error", (error) => this.#end(error.message));
    this.#child.on("exit", (code, signal) => this.#end(signal ?? `exit code ${code}`));
  }

  send(message: object): void {
    if (this.#pipe.writable) this.#pipe.write(toFrame(message));
  }

  kill(): void {
    this.isKilled = true;
    this.#startTimer.cancel();
    this.#killGroup();
  }

  #receive(chunk: Buffer): void {
    if (this.isKilled) return;
    try {
      this.#reader.push(chunk, (message) => this.#deliver(message));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#killGroup();
    }
  }

  #deliver(message: unknown): void {
    if (!this.isReady) {
      this.isReady = true;
      this.#startTimer.cancel();
      return this.#listener.onReady();
    }
    const answer = asCompilerAnswer(message);
    if (answer === undefined) this.#killGroup();
    else this.#listener.onAnswer(answer);
  }

  #end(how: string): void {
    this.#startTimer.cancel();
    this.#pipe.destroy();
    this.#listener.onEnd(how, this.isReady);
  }

  #killGroup(): void {
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // It ended by itself in between.
    }
  }
}
