// Tasks for compiler processes. They wait by owner, and whoever has used little compile time goes first. One process is
// enough as long as tasks are quick; where one takes long while others wait, another process is started, and where there can
// be no more, the task that takes long gives way. When a process crashes or is too slow, the task that it had is at fault;
// those behind it are sent to another.
import { RuntimeClosedError, VivariumError } from "../../model/errors.ts";
import { FairQueue, type Admission, type Owner } from "../../std/fair-queue.ts";
import { costMsOf, isOverSlice, sliceMsOf, workMsOf } from "./compile-time.ts";
import type { CompilerOptions } from "./compiler-process.ts";
import type { AnyTask } from "./compiler-protocol.ts";
import type { CompilerLaunch } from "./compiler-launch.ts";
import { CompilerWorker, type Job, type SentJob, type TaskResult } from "./compiler-worker.ts";

type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;

export interface QueueOptions extends Omit<CompilerOptions, "launch"> {
  /** How many processes there are at most. */
  readonly processesMax: number;
}

export interface TaskTerms {
  /** How much compile time it may use. */
  readonly compileMs: number;
  readonly owner: Owner;
  /** Names the task in `alsoFor`. */
  readonly request?: object;
}

const startsMax = 3;
const closeMs = 2_000;
/** How long no further process is started after one could not be, as long as there is another. */
const startPauseMs = 10_000;

/** Where no other process is at work, there is nothing to leave to others. */
const everyone: Admission<Job> = { group: () => true, member: () => true, item: () => true };

export class CompilerQueue {
  readonly #options: QueueOptions;
  readonly #makeLaunch: () => CompilerLaunch;
  #launch: CompilerLaunch | undefined;
  readonly #waiting = new FairQueue<Job>();
  readonly #byRequest = new WeakMap<object, Job>();
  readonly #workers = new Set<CompilerWorker>();
  /** Those that are being ended too. */
  readonly #running = new Set<CompilerWorker>();
  #failedStarts = 0;
  #pausedUntilMs = 0;
  #lastId = 0;
  #closed: RuntimeClosedError | undefined;
  #restarts = 0;

  /** `makeLaunch` is called for the first process. */
  constructor(options: QueueOptions, makeLaunch: () => CompilerLaunch) {
    this.#options = options;
    this.#makeLaunch = makeLaunch;
  }

  /** How often a process had to be replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** How many processes there are now. */
  get processes(): number {
    return this.#workers.size;
  }

  /** Runs a task. Rejects only when no process can be started, or the queue is closed. */
  ask(task: Unnumbered<AnyTask>, { compileMs, owner, request }: TaskTerms): Promise<TaskResult> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<TaskResult>();
    const numbered = { ...task, id: ++this.#lastId } as AnyTask;
    const costMs = costMsOf("source" in task ? task.source.length : 0);
    const sliceMs = sliceMsOf(costMs);
    const fresh = { kills: 0, hasGivenWay: false };
    const job = { task: numbered, compileMs, costMs, sliceMs, owners: [owner], settle, fail, ...fresh };
    if (request !== undefined) this.#byRequest.set(request, job);
    this.#waiting.add(job, owner, job);
    this.#pump();
    return promise;
  }

  /** Another owner waits for a task as well: it is done when either has its turn. */
  alsoFor(request: object, owner: Owner): void {
    const job = this.#byRequest.get(request);
    if (job === undefined || job.owners.some((known) => isSame(known, owner))) return;
    job.owners.push(owner);
    if (!this.#waiting.has(job)) return;
    this.#waiting.add(job, owner, job);
    this.#pump();
  }

  /** Starts a process ahead of the first task. */
  warm(): void {
    if (this.#workers.size === 0) this.#start();
  }

  /** Ends everything; resolves when no process is left. */
  async close(): Promise<void> {
    const closed = (this.#closed = new RuntimeClosedError("compile", { isUnderWay: true }));
    const sent = [...this.#workers].flatMap((worker) => worker.jobs);
    this.#workers.clear();
    for (const job of [...sent, ...this.#waiting.clear()]) job.fail(closed);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(closeMs, resolve);
    for (const worker of this.#running) worker.kill();
    void Promise.all([...this.#running].map(({ ended }) => ended)).then(() => resolve());
    await promise;
    timer.cancel();
  }

  #pump(): void {
    if (this.#closed !== undefined) return;
    while (this.#sendNext());
    if (this.#waiting.size === 0) return;
    if (this.#mayStart()) this.#start();
    else this.#makeWay();
  }

  // Sends the task whose turn it is to a process that has nothing to do, or else to one that will soon have nothing to do.
  #sendNext(): boolean {
    const free = [...this.#workers].filter(({ hasRoom }) => hasRoom);
    for (const worker of [...free.filter(({ isIdle }) => isIdle), ...free.filter(({ isIdle }) => !isIdle)]) {
      const next = this.#waiting.peek(this.#admissionTo(worker));
      if (next === undefined) continue;
      this.#waiting.begin(next.item, next.owner, next.item.costMs);
      worker.send(next.item, next.owner);
      return true;
    }
    return false;
  }

  // No group has all processes, and no member all of its group's: for whoever comes next there is one left. Nor do modules
  // that are known to take long have all of them, or all of a group's: others find one where none takes long.
  #admissionTo(worker: CompilerWorker | undefined): Admission<Job> {
    const { processesMax } = this.#options;
    const others = [...this.#workers].filter((other) => other !== worker);
    if (others.length === 0) return everyone;
    const countOf = (isSuch: (sent: SentJob) => boolean): number =>
      others.filter((other) => other.has(isSuch)).length;
    const most = Math.max(1, processesMax - 1);
    const some = Math.max(1, processesMax - 2);
    return {
      group: (group) => countOf(({ owner }) => owner.group === group) < most,
      member: (member) => countOf(({ owner }) => isSame(owner, member)) < some,
      item: ({ hasGivenWay }, { group }) =>
        !hasGivenWay ||
        (countOf(({ job }) => job.hasGivenWay) < most &&
          countOf(({ job, owner }) => job.hasGivenWay && owner.group === group) < some),
    };
  }

  // Another process is started where there is none, or where those that there are have tasks that take long.
  #mayStart(): boolean {
    const workers = [...this.#workers];
    if (workers.length === 0) return true;
    return (
      workers.length < this.#options.processesMax &&
      workers.every(({ isReady, isSlow }) => isReady && isSlow) &&
      this.#options.clock.monotonic() >= this.#pausedUntilMs &&
      this.#waiting.peek(this.#admissionTo(undefined)) !== undefined
    );
  }

  // Of the tasks that have gone on for long, one ends where another owner waits that has used less. It begins again later,
  // with twice the time, so that it comes to its end.
  #makeWay(): void {
    const busy = [...this.#workers].flatMap((worker) => {
      const { current } = worker;
      if (current === undefined || !worker.isSlow) return [];
      const progress = worker.progress();
      return isOverSlice(progress, current.job.sliceMs) ? [{ worker, current, progress }] : [];
    });
    if ([...this.#workers].some(({ isReady }) => !isReady)) return;
    for (const { worker, current, progress } of busy.toSorted(
      (a, b) => b.progress.passedMs - a.progress.passedMs,
    )) {
      const next = this.#waiting.peek(this.#admissionTo(worker));
      if (next === undefined || isSame(next.owner, current.owner)) continue;
      if (!this.#waiting.hasUsedLess(next.owner, current.owner, workMsOf(progress))) continue;
      current.job.sliceMs *= 2;
      current.job.hasGivenWay = true;
      return worker.release("it gave way to others");
    }
  }

  #start(): void {
    this.#launch ??= this.#makeLaunch();
    const worker = new CompilerWorker(
      { ...this.#options, launch: this.#launch },
      {
        onReady: () => {
          this.#failedStarts = 0;
          this.#pump();
        },
        onResult: ({ job, owner }, result, workMs) => {
          this.#waiting.end(owner, { costMs: job.costMs, workMs });
          job.settle(result);
          this.#pump();
        },
        onBack: (jobs, workMs) => this.#takeBack(jobs, workMs),
        onSlow: () => this.#pump(),
        onIdle: () => this.#retire(worker),
        onOver: (how, wasReady) => this.#onOver(worker, how, wasReady),
      },
    );
    this.#workers.add(worker);
    this.#running.add(worker);
    void worker.ended.then(() => this.#running.delete(worker));
  }

  #retire(worker: CompilerWorker): void {
    if (this.#workers.size < 2) return;
    this.#workers.delete(worker);
    worker.kill();
  }

  #takeBack(jobs: readonly SentJob[], workMs: number): void {
    // Put back before their turn is over, so that their owners keep their places.
    for (const { job } of jobs.toReversed())
      for (const owner of job.owners) this.#waiting.add(job, owner, { costMs: job.costMs, isFirst: true });
    for (const [index, { job, owner }] of jobs.entries())
      this.#waiting.end(owner, { costMs: job.costMs, workMs: index === 0 ? workMs : 0 });
    this.#pump();
  }

  #onOver(worker: CompilerWorker, how: string, wasReady: boolean): void {
    this.#workers.delete(worker);
    if (wasReady) this.#restarts++;
    else if (this.#workers.size > 0) this.#pausedUntilMs = this.#options.clock.monotonic() + startPauseMs;
    else if (++this.#failedStarts >= startsMax) this.#giveUp(how);
  }

  #giveUp(how: string): void {
    this.#failedStarts = 0;
    const message = `Cannot start the compiler process after ${startsMax} tries: ${how}`;
    const error = new VivariumError("COMPILER_UNAVAILABLE", message);
    for (const job of this.#waiting.clear()) job.fail(error);
  }
}

function isSame(a: Owner, b: Owner): boolean {
  return a.group === b.group && a.member === b.member;
}
