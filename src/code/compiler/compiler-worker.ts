// One compiler process with the jobs that were sent to it. The oldest unanswered one is being compiled: it is at fault when
// the process crashes, and its time is counted. One more waits behind it, and is recalled where that takes long.
import type { VivariumError } from "../../model/errors.ts";
import { afterTurn, type Timer } from "../../std/clock.ts";
import type { Owner } from "../../std/fair-queue.ts";
import { tickMs } from "../../std/processor-time.ts";
import { isLate, nextLookMs, patienceMs, workMsOf, type CompileProgress } from "./compile-time.ts";
import { CompilerProcess, type CompilerOptions } from "./compiler-process.ts";
import type { AnyTask, CompilerAnswer } from "./compiler-protocol.ts";

/** The result of a task: the process's answer, or why there is none. */
export type TaskResult =
  | CompilerAnswer
  | { readonly unanswered: "late" }
  | { readonly unanswered: "crashed"; readonly how: string };

export interface Job {
  readonly task: AnyTask;
  readonly compileMs: number;
  /** What it may be expected to cost. */
  readonly costMs: number;
  /** All that want it; the first is the one that asked. */
  readonly owners: Owner[];
  readonly settle: (result: TaskResult) => void;
  readonly fail: (error: VivariumError) => void;
  /** How long it may go on while others wait. */
  sliceMs: number;
  /** It went on for longer than that before, and gave way. */
  hasGivenWay: boolean;
  /** How many processes were killed from outside while they processed it. */
  kills: number;
}

/** A job that was sent, and the owner whose turn it was. */
export interface SentJob {
  readonly job: Job;
  readonly owner: Owner;
  /** It was sent elsewhere since: its answer is dropped. */
  isRecalled: boolean;
}

export interface WorkerListener {
  readonly onReady: () => void;
  /** A job is done with, after so much work; it was answered, or is at fault. */
  readonly onResult: (sent: SentJob, result: TaskResult, workMs: number) => void;
  /** Jobs come back unanswered, the first after so much work. */
  readonly onBack: (jobs: readonly SentJob[], workMs: number) => void;
  /** The job that is being compiled takes long. */
  readonly onSlow: () => void;
  /** It has had nothing to do for a while. */
  readonly onIdle: () => void;
  /** It takes no more jobs. Called once, before its jobs are reported, and not after `kill`. */
  readonly onOver: (how: string, wasReady: boolean) => void;
}

/**
 * One is processed and one waits behind it; the next is sent when an answer was read. With more of them, a write to a
 * process that has just ended would close the pipe and lose unread answers: the wrong task would be blamed.
 */
const sentMax = 2;
const killsMax = 3;
/** What it costs to start another process; whoever is at fault for the end of one is charged that too. */
const replacementMs = 200;
/** How long a process is retained that has nothing to do, unless it is the only one. */
const idleMs = 5_000;

interface End {
  readonly how: string;
  readonly wasReady: boolean;
  readonly result?: TaskResult;
}

export class CompilerWorker {
  readonly #options: CompilerOptions;
  readonly #listener: WorkerListener;
  readonly #process: CompilerProcess;
  readonly #sent: SentJob[] = [];
  #sinceMs = 0;
  #processorMsBefore: number | undefined;
  #look: Timer | undefined;
  #isOver = false;

  constructor(options: CompilerOptions, listener: WorkerListener) {
    this.#options = options;
    this.#listener = listener;
    this.#process = new CompilerProcess(options, {
      onReady: () => {
        if (this.#isOver) return;
        this.#beginNext();
        listener.onReady();
      },
      onAnswer: (answer) => this.#take(answer),
      onEnd: (how, wasReady) => this.#onEnd(how, wasReady),
    });
  }

  get isReady(): boolean {
    return this.#process.isReady;
  }

  /** Resolves when its process has ended. */
  get ended(): Promise<void> {
    return this.#process.ended;
  }

  get isIdle(): boolean {
    return this.#sent.length === 0;
  }

  /** The jobs that it has not answered. */
  get jobs(): Job[] {
    return this.#sent.filter(({ isRecalled }) => !isRecalled).map(({ job }) => job);
  }

  /** The job that is being compiled, unless it was sent elsewhere since. */
  get current(): SentJob | undefined {
    return this.#sent[0]?.isRecalled === false ? this.#sent[0] : undefined;
  }

  /** Whether what is being compiled takes long. */
  get isSlow(): boolean {
    return !this.isIdle && this.#passedMs() >= patienceMs;
  }

  /** Whether one more job can be sent: behind one that takes long, none. */
  get hasRoom(): boolean {
    return this.isReady && this.#sent.length < sentMax && !this.isSlow;
  }

  /** Whether such a job is with it. */
  has(isSuch: (sent: SentJob) => boolean): boolean {
    return this.#sent.some((sent) => !sent.isRecalled && isSuch(sent));
  }

  progress(): CompileProgress {
    return this.#progressAt(this.#process.processorMs());
  }

  #progressAt(processorMs: number | undefined): CompileProgress {
    const usedMs =
      processorMs === undefined || this.#processorMsBefore === undefined
        ? undefined
        : processorMs - this.#processorMsBefore;
    return { usedMs, passedMs: this.#passedMs() };
  }

  send(job: Job, owner: Owner): void {
    this.#sent.push({ job, owner, isRecalled: false });
    this.#process.send(job.task);
    if (this.#sent.length === 1) this.#beginNext();
  }

  /** Ends the process without blame; what it had comes back. */
  release(how: string): void {
    this.#over({ how, wasReady: this.isReady });
  }

  /** Ends the process; nothing is reported any more. */
  kill(): void {
    this.#isOver = true;
    this.#look?.cancel();
    this.#process.kill();
  }

  #passedMs(): number {
    return this.#options.clock.monotonic() - this.#sinceMs;
  }

  // Answers come in the order of the tasks; a process that deviates was compromised by the one that it has.
  #take(answer: CompilerAnswer): void {
    if (this.#isOver) return;
    const [first] = this.#sent;
    if (first?.job.task.id !== answer.id) {
      const how = "an answer to another source";
      return this.#over({ how, wasReady: true, result: { unanswered: "crashed", how } });
    }
    const workMs = this.#workMsAtEnd();
    this.#sent.shift();
    this.#beginNext();
    if (first.isRecalled) this.#listener.onReady();
    else this.#listener.onResult(first, answer, workMs);
  }

  // The kernel counts in ticks: of one that took less it has nothing to say, and somebody waits for the answer.
  #workMsAtEnd(): number {
    const passedMs = this.#passedMs();
    return passedMs < tickMs ? passedMs : workMsOf(this.progress());
  }

  #beginNext(): void {
    this.#look?.cancel();
    this.#sinceMs = this.#options.clock.monotonic();
    if (this.isIdle) {
      this.#look = this.#options.clock.after(idleMs, () => this.#listener.onIdle());
      return;
    }
    this.#processorMsBefore = this.#process.processorMs();
    this.#watch(this.#progressAt(this.#processorMsBefore));
  }

  #watch(progress: CompileProgress): void {
    const [first] = this.#sent;
    if (first === undefined) return;
    const lookMs = nextLookMs(progress, first.job);
    // Where our own thread was blocked, the answer may have arrived already.
    this.#look = this.#options.clock.after(lookMs, () => afterTurn(() => this.#lookAt(first)));
  }

  #lookAt(first: SentJob): void {
    if (this.#isOver || this.#sent[0] !== first) return;
    if (first.isRecalled) return this.release("it went on with a source that was recalled");
    const progress = this.progress();
    if (isLate(progress, first.job.compileMs))
      return this.#over({ how: "late", wasReady: true, result: { unanswered: "late" } });
    if (this.isSlow) this.#recall();
    this.#watch(progress);
    if (this.isSlow) this.#listener.onSlow();
  }

  // What waits behind one that takes long is done elsewhere. The process answers that it left it out, or else with a result
  // that is dropped.
  #recall(): void {
    const second = this.#sent[1];
    if (second === undefined || second.isRecalled) return;
    second.isRecalled = true;
    this.#process.send({ t: "recall", id: second.job.task.id });
    this.#listener.onBack([{ ...second, isRecalled: false }], 0);
  }

  #onEnd(how: string, wasReady: boolean): void {
    if (this.#isOver) return;
    const first = this.current;
    // A kill from outside says nothing about the source that was processed, unless it happens repeatedly.
    const isInnocent = how === "SIGKILL" && first !== undefined && ++first.job.kills < killsMax;
    this.#over({ how, wasReady, ...(isInnocent ? {} : { result: { unanswered: "crashed", how } }) });
  }

  // Where there is a result, it is that of the job that was being compiled.
  #over({ how, wasReady, result }: End): void {
    if (this.#isOver) return;
    const workMs = this.isIdle ? 0 : workMsOf(this.progress());
    const jobs = this.#sent.splice(0);
    this.kill();
    this.#listener.onOver(how, wasReady);
    const [first, ...others] = jobs;
    const isSettled = first !== undefined && !first.isRecalled && result !== undefined;
    if (isSettled) this.#listener.onResult(first, result, workMs + replacementMs);
    const back = (isSettled ? others : jobs).filter(({ isRecalled }) => !isRecalled);
    this.#listener.onBack(back, first?.isRecalled === false ? workMs : 0);
  }
}
