// Tasks for the compiler process: many wait, few are sent, and the oldest unanswered one is being processed. When the
// process crashes or is too slow, that task is at fault; the others are sent to the next process.
import { RuntimeClosedError, VivariumError } from "../../model/errors.ts";
import { afterTurn, type Timer } from "../../std/clock.ts";
import { isStarved } from "../../std/processor-time.ts";
import { CompilerProcess, type CompilerOptions } from "./compiler-process.ts";
import type { AnyTask, CompilerAnswer } from "./compiler-protocol.ts";
import type { CompilerLaunch } from "./compiler-launch.ts";

type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;

/** The result of a task: the process's answer, or why there is none. */
export type TaskResult =
  | CompilerAnswer
  | { readonly unanswered: "late" }
  | { readonly unanswered: "crashed"; readonly how: string };

interface Job {
  readonly task: AnyTask;
  readonly deadlineMs: number;
  readonly settle: (result: TaskResult) => void;
  readonly fail: (error: VivariumError) => void;
  /** How many processes were killed from outside while they processed it. */
  kills: number;
}

/**
 * One is processed and one waits behind it; the next is sent when an answer was read. With more of them, a write to a
 * process that has just ended would close the pipe and lose unread answers: the wrong task would be blamed.
 */
const sentMax = 2;
const startsMax = 3;
const killsMax = 3;
const closeMs = 2_000;
/** How often a process that the machine had no time for gets its time once more. */
const extensionsMax = 3;

export class CompilerQueue {
  readonly #options: Omit<CompilerOptions, "launch">;
  readonly #makeLaunch: () => CompilerLaunch;
  #launch: CompilerLaunch | undefined;
  readonly #waiting: Job[] = [];
  readonly #sent: Job[] = [];
  readonly #running = new Set<CompilerProcess>();
  #process: CompilerProcess | undefined;
  #failedStarts = 0;
  #lastId = 0;
  #deadline: Timer | undefined;
  #closed: RuntimeClosedError | undefined;
  #restarts = 0;

  /** `makeLaunch` is called for the first process. */
  constructor(options: Omit<CompilerOptions, "launch">, makeLaunch: () => CompilerLaunch) {
    this.#options = options;
    this.#makeLaunch = makeLaunch;
  }

  /** How often a process had to be replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Runs a task. Rejects only when no process can be started, or the queue is closed. */
  ask(task: Unnumbered<AnyTask>, deadlineMs: number): Promise<TaskResult> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const { promise, resolve, reject } = Promise.withResolvers<TaskResult>();
    const numbered = { ...task, id: ++this.#lastId } as AnyTask;
    this.#waiting.push({ task: numbered, deadlineMs, settle: resolve, fail: reject, kills: 0 });
    this.#pump();
    return promise;
  }

  /** Starts the process ahead of the first task. */
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
    for (const process of this.#running) process.kill();
    void Promise.all([...this.#running].map(({ ended }) => ended)).then(() => resolve());
    await promise;
    timer.cancel();
  }

  #pump(): void {
    this.#process ??= this.#start();
    while (this.#process.isReady && this.#sent.length < sentMax && this.#waiting.length > 0) {
      const job = this.#waiting.shift() as Job;
      this.#sent.push(job);
      this.#process.send(job.task);
      if (this.#sent.length === 1) this.#watchOldest();
    }
  }

  #start(): CompilerProcess {
    this.#launch ??= this.#makeLaunch();
    const options = { ...this.#options, launch: this.#launch };
    const process = new CompilerProcess(options, {
      onReady: () => {
        this.#failedStarts = 0;
        this.#pump();
      },
      onAnswer: (answer) => this.#take(answer),
      onEnd: (how, wasReady) => {
        this.#running.delete(process);
        this.#replace(process, how, wasReady);
      },
    });
    this.#running.add(process);
    return process;
  }

  // Answers come in the order of the tasks; a process that deviates is compromised.
  #take(answer: CompilerAnswer): void {
    const job = this.#sent[0];
    if (job === undefined || job.task.id !== answer.id) {
      this.#process?.kill();
      return;
    }
    this.#sent.shift();
    this.#watchOldest();
    job.settle(answer);
    this.#pump();
  }

  #watchOldest(): void {
    this.#deadline?.cancel();
    const oldest = this.#sent[0];
    if (oldest !== undefined) this.#watch(oldest, this.#process?.processorMs(), 0);
  }

  #watch(oldest: Job, processorMs: number | undefined, extensions: number): void {
    const look = (): void => {
      if (this.#sent[0] !== oldest) return;
      const usedMs = (this.#process?.processorMs() ?? Infinity) - (processorMs ?? 0);
      const passedMs = (extensions + 1) * oldest.deadlineMs;
      if (isStarved(usedMs, passedMs) && extensions < extensionsMax)
        return this.#watch(oldest, processorMs, extensions + 1);
      this.#sent.shift();
      oldest.settle({ unanswered: "late" });
      this.#process?.kill();
    };
    // Where our own thread was blocked, the answer may have arrived already.
    this.#deadline = this.#options.clock.after(oldest.deadlineMs, () => afterTurn(look));
  }

  #replace(process: CompilerProcess, how: string, wasReady: boolean): void {
    if (this.#process !== process) return;
    this.#process = undefined;
    this.#deadline?.cancel();
    if (!process.isKilled) this.#blame(how);
    this.#waiting.unshift(...this.#sent.splice(0));
    if (wasReady) this.#restarts++;
    else if (++this.#failedStarts >= startsMax) return this.#giveUp(how);
    if (this.#waiting.length > 0) this.#pump();
  }

  // A kill from outside says nothing about the source that was processed, unless it happens repeatedly.
  #blame(how: string): void {
    const [suspect] = this.#sent;
    if (suspect === undefined) return;
    const isInnocent = how === "SIGKILL" && ++suspect.kills < killsMax;
    if (isInnocent) return;
    this.#sent.shift();
    suspect.settle({ unanswered: "crashed", how });
  }

  #giveUp(how: string): void {
    this.#failedStarts = 0;
    const message = `Cannot start the compiler process after ${startsMax} tries: ${how}`;
    const error = new VivariumError("COMPILER_UNAVAILABLE", message);
    for (const job of this.#waiting.splice(0)) job.fail(error);
  }
}
