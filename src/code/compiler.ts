// The orchestrator's side of the compiler process: many requests wait, few are sent, the oldest unanswered one is being
// worked on. When the process dies or is too slow, that one is at fault; the others are sent again to the next process.
import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { RuntimeClosedError, VivariumError } from "../model/errors.ts";
import type { Clock, Timer } from "../std/clock.ts";
import { FrameError, FrameReader, toFrame } from "../std/frames.ts";
import type { Artifact, Compilation, CompileRequest } from "./artifact.ts";
import { asCompilerAnswer, type CompilerAnswer, type CompilerTask } from "./compiler-protocol.ts";

export interface CompilerOptions {
  readonly clock: Clock;
  readonly programUrl: URL;
  readonly startMs: number;
}

interface Job {
  readonly id: number;
  readonly request: CompileRequest;
  readonly settle: (result: Compilation) => void;
  readonly fail: (error: VivariumError) => void;
  /** Processes that were killed from outside while they worked on it. */
  kills: number;
}

const sentMax = 16;
const startsMax = 3;
/** Whoever kills the compiler from outside once meant it no harm; twice under the same source, it was for the source. */
const killsMax = 1;
const closeMs = 2_000;
const pipeIndex = 3;
/** How many times its source a module may become, and what a small one may in any case. */
const outputFactor = 32;
const outputBytesMin = 2 ** 20;

export class Compiler {
  readonly #options: CompilerOptions;
  readonly #waiting: Job[] = [];
  readonly #sent: Job[] = [];
  readonly #living = new Set<CompilerProcess>();
  #process: CompilerProcess | undefined;
  #failedStarts = 0;
  #lastId = 0;
  #deadline: Timer | undefined;
  #closed: RuntimeClosedError | undefined;
  #restarts = 0;

  constructor(options: CompilerOptions) {
    this.#options = options;
  }

  /** How often a process had to be replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Compiles one module. A source that cannot be compiled is a value; only a compiler that cannot start rejects. */
  compile(request: CompileRequest): Promise<Compilation> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const bytes = Buffer.byteLength(request.source);
    if (bytes > request.sourceBytes) {
      return Promise.resolve(
        refusal(request, `the source must be at most sourceBytes, ${request.sourceBytes}: got ${bytes}`),
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<Compilation>();
    this.#waiting.push({ id: ++this.#lastId, request, settle: resolve, fail: reject, kills: 0 });
    this.#pump();
    return promise;
  }

  /** Starts the process ahead of the first request. */
  warm(): void {
    this.#process ??= this.#start();
  }

  /** Ends everything; resolves when no process is left. */
  async close(): Promise<void> {
    this.#closed = new RuntimeClosedError("compile");
    this.#deadline?.cancel();
    this.#process = undefined;
    for (const job of [...this.#sent.splice(0), ...this.#waiting.splice(0)]) job.fail(this.#closed);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(closeMs, resolve);
    for (const process of this.#living) process.kill();
    void Promise.all([...this.#living].map(({ ended }) => ended)).then(() => resolve());
    await promise;
    timer.cancel();
  }

  #pump(): void {
    this.#process ??= this.#start();
    while (this.#process.isReady && this.#sent.length < sentMax && this.#waiting.length > 0) {
      const job = this.#waiting.shift() as Job;
      this.#sent.push(job);
      this.#process.send({ id: job.id, name: job.request.name, source: job.request.source });
      if (this.#sent.length === 1) this.#watchOldest();
    }
  }

  #start(): CompilerProcess {
    const process = new CompilerProcess(this.#options, {
      onReady: () => {
        this.#failedStarts = 0;
        this.#pump();
      },
      onAnswer: (answer) => this.#take(answer),
      onEnd: (how, wasReady) => {
        this.#living.delete(process);
        this.#replace(process, how, wasReady);
      },
    });
    this.#living.add(process);
    return process;
  }

  // Answers come in the order of the tasks; anything else is not our compiler's voice.
  #take(answer: CompilerAnswer): void {
    const job = this.#sent[0];
    if (job === undefined || job.id !== answer.id) {
      this.#process?.kill();
      return;
    }
    this.#sent.shift();
    this.#watchOldest();
    job.settle(toCompilation(job.request, answer));
    this.#pump();
  }

  #watchOldest(): void {
    this.#deadline?.cancel();
    const oldest = this.#sent[0];
    if (oldest === undefined) return;
    const { compileMs } = oldest.request;
    this.#deadline = this.#options.clock.after(compileMs, () => {
      if (this.#sent[0] !== oldest) return;
      this.#sent.shift();
      oldest.settle(refusal(oldest.request, `it must be done within compileMs, ${compileMs}: it was not`));
      this.#process?.kill();
    });
  }

  #replace(process: CompilerProcess, how: string, wasReady: boolean): void {
    if (this.#process !== process) return;
    this.#process = undefined;
    this.#deadline?.cancel();
    const oldest = process.isKilled ? undefined : this.#sent[0];
    if (oldest !== undefined && (how !== "SIGKILL" || ++oldest.kills > killsMax)) {
      this.#sent.shift();
      oldest.settle(refusal(oldest.request, `the compiler must survive it: its process ended with ${how}`));
    }
    this.#waiting.unshift(...this.#sent.splice(0));
    if (wasReady) this.#restarts++;
    else if (++this.#failedStarts >= startsMax) return this.#giveUp(how);
    if (this.#waiting.length > 0) this.#pump();
  }

  #giveUp(how: string): void {
    this.#failedStarts = 0;
    const error = new VivariumError(
      "COMPILER_UNAVAILABLE",
      `Cannot start the compiler process after ${startsMax} tries: ${how}`,
    );
    for (const job of this.#waiting.splice(0)) job.fail(error);
  }
}

interface ProcessListener {
  readonly onReady: () => void;
  readonly onAnswer: (answer: CompilerAnswer) => void;
  readonly onEnd: (how: string, wasReady: boolean) => void;
}

class CompilerProcess {
  readonly #child: ChildProcess;
  /** Missing where the child could not be made; it says so a moment later. */
  readonly #pipe: Duplex | undefined;
  readonly #listener: ProcessListener;
  readonly #reader = new FrameReader(frameBytesMaxFor(0));
  readonly #startTimer: Timer;
  readonly #gone = Promise.withResolvers<void>();
  isReady = false;
  isKilled = false;

  constructor(options: CompilerOptions, listener: ProcessListener) {
    this.#listener = listener;
    this.#child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", fileURLToPath(options.programUrl), String(process.pid)],
      {
        cwd: "/",
        env: { TZ: "UTC", NO_COLOR: "1", OPENSSL_CONF: "/dev/null" },
        stdio: ["ignore", "ignore", "ignore", "pipe", "ignore", "pipe"],
      },
    );
    const stdio = this.#child.stdio as ChildProcess["stdio"] | undefined;
    this.#pipe = stdio?.[pipeIndex] as Duplex | undefined;
    this.#pipe?.on("error", () => {});
    this.#pipe?.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#startTimer = options.clock.after(options.startMs, () => this.kill());
    this.#child.on("error", (error) => this.#end(error.message));
    this.#child.on("exit", (code, signal) => this.#end(signal ?? `exit code ${code}`));
  }

  /** Resolves when the process is gone. */
  get ended(): Promise<void> {
    return this.#gone.promise;
  }

  send(task: CompilerTask): void {
    this.#reader.frameBytesMax = Math.max(this.#reader.frameBytesMax, frameBytesMaxFor(task.source.length));
    if (this.#pipe?.writable === true) this.#pipe.write(toFrame(task));
  }

  kill(): void {
    this.isKilled = true;
    this.#startTimer.cancel();
    this.#child.kill("SIGKILL");
  }

  #receive(chunk: Buffer): void {
    if (this.isKilled) return;
    try {
      this.#reader.push(chunk, (message) => this.#deliver(message));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#child.kill("SIGKILL");
    }
  }

  #deliver(message: unknown): void {
    if (!this.isReady) {
      this.isReady = true;
      this.#startTimer.cancel();
      return this.#listener.onReady();
    }
    const answer = asCompilerAnswer(message);
    if (answer === undefined) this.#child.kill("SIGKILL");
    else this.#listener.onAnswer(answer);
  }

  #end(how: string): void {
    this.#startTimer.cancel();
    this.#pipe?.destroy();
    this.#gone.resolve();
    this.#listener.onEnd(how, this.isReady);
  }
}

/** How much a source may become. */
function outputBytesMaxFor(sourceLength: number): number {
  return Math.max(outputBytesMin, sourceLength * outputFactor);
}

/** How long the answer to a source may be: what it may become, quoted, and what is said of it. */
function frameBytesMaxFor(sourceLength: number): number {
  return 2 * outputBytesMaxFor(sourceLength) + 2 ** 20;
}

function toCompilation(request: CompileRequest, answer: CompilerAnswer): Compilation {
  if (!answer.ok) {
    const [first] = answer.diagnostics;
    const at = first === undefined ? "" : ` (${first.module}:${first.line}:${first.column})`;
    const message = `Cannot compile module "${request.name}" as it must be a program: ${first?.message ?? "it is not"}${at}`;
    return { ok: false, stage: "parse", message, diagnostics: answer.diagnostics };
  }
  const { module } = answer;
  const bytes = Buffer.byteLength(module.code) + module.sourceMaps.reduce((sum, map) => sum + map.length, 0);
  const bytesMax = outputBytesMaxFor(request.source.length);
  if (bytes > bytesMax) return refusal(request, `its output must be at most ${bytesMax} bytes: got ${bytes}`);
  const artifact: Artifact = {
    ...module,
    source: request.source,
    checksum: checksumOf(request),
    warnings: [],
  };
  return { ok: true, artifact };
}

/** What tells one compilation from another. */
export function checksumOf(request: { readonly name: string; readonly source: string }): string {
  const extension = /\.[cm]?[jt]sx?$/.exec(request.name)?.[0] ?? "";
  return createHash("sha256").update(extension).update("\0").update(request.source).digest("hex");
}

function refusal(request: CompileRequest, why: string): Compilation {
  const message = `Cannot compile module "${request.name}" as ${why}`;
  return { ok: false, stage: "compile", message, diagnostics: [] };
}
