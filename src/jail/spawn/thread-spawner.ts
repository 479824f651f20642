// Starts children through a thread that has entered the jail. Their pipes are made here, so that their data does not pass
// through that thread.
import type { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import type { Clock, Timer } from "../../std/clock.ts";
import { within } from "../../std/deadline.ts";
import { isOutOfDescriptors, wordsOf } from "../../std/descriptors.ts";
import type { Kernel } from "../../std/kernel.ts";
import { makeTether, type Tether } from "../../std/tether.ts";
import {
  drainMs,
  killProcess,
  failedStart,
  type Child,
  type ChildListener,
  type ChildSettings,
  type Spawner,
} from "./child.ts";
import { openPipe } from "./child-pipe.ts";
import type { Headroom } from "./headroom.ts";
import { raiseOomScore } from "./oom-score.ts";
import type { ChildReport, SpawnRequest, ThreadData, ThreadReport } from "./thread-messages.ts";

export interface ThreadSpawnerOptions {
  readonly clock: Clock;
  readonly kernel: Kernel;
  readonly programUrl: URL;
  readonly data: ThreadData;
  /** Without it, limits are not checked before a start. */
  readonly room?: Headroom;
}

interface ChildEntry {
  readonly settings: ChildSettings;
  readonly listener: ChildListener;
  readonly pipe: Socket;
  pid: number | undefined;
  isKilled: boolean;
  isClosed: boolean;
  /** The child's ends of its pipe and its tether, open here until the child has them. */
  theirFds: readonly number[];
  /** Releases its share of the limits, and our end of its tether. */
  readonly release: () => void;
  ending: { readonly how: string; readonly said: string; readonly timer: Timer } | undefined;
}

interface Starter {
  readonly worker: Worker;
  /** Settles when it is in the jail, or gone. */
  readonly entered: Promise<void>;
}

/** To enter the jail takes a thread a few milliseconds, unless the machine is busy elsewhere. */
const enterMs = 5_000;
const unixStream = { family: 1, type: 1 | 0o2000000 | 0o4000 } as const;

export class ThreadSpawner implements Spawner {
  readonly #options: ThreadSpawnerOptions;
  readonly #entries = new Map<number, ChildEntry>();
  #starter: Starter | undefined;
  #lastId = 0;

  constructor(options: ThreadSpawnerOptions) {
    this.#options = options;
  }

  objectionTo(threads: number): string | undefined {
    const { room, data } = this.#options;
    return room?.objectionTo({ threads, workers: this.#starter === undefined ? 1 : 0 }, data.user);
  }

  spawn(settings: ChildSettings, listener: ChildListener): Child {
    const objection = settings.threads === undefined ? undefined : this.objectionTo(settings.threads);
    if (objection !== undefined) return failedStart(listener, objection);
    const { kernel, room } = this.#options;
    const connections = makeConnections(kernel);
    if (connections === undefined) return failedStart(listener, wordsOf("EMFILE"));
    const { ourFd, theirFd, tether } = connections;
    const pipe = openPipe(ourFd, listener.onBytes);
    const id = ++this.#lastId;
    const entry: ChildEntry = {
      settings,
      listener,
      pipe,
      pid: undefined,
      isKilled: false,
      isClosed: false,
      theirFds: [theirFd, tether.childFd],
      release() {
        leave?.();
        closeIn(kernel, tether.ourFd);
      },
      ending: undefined,
    };
    const leave = room?.enter(settings.threads ?? 0, () => entry.pid);
    pipe.on("error", () => {});
    pipe.on("close", () => {
      entry.isClosed = true;
      if (entry.ending !== undefined) this.#end(id, entry);
    });
    this.#entries.set(id, entry);
    const message: SpawnRequest = { id, settings, pipeFd: theirFd, tetherFd: tether.childFd };
    this.#thread().postMessage(message);
    return {
      get pid() {
        return entry.pid;
      },
      pipe,
      kill() {
        entry.isKilled = true;
        if (entry.pid !== undefined && entry.ending === undefined) killProcess(entry.pid, settings.isLeader);
      },
    };
  }

  async close(): Promise<void> {
    const starter = this.#starter;
    if (starter === undefined) return;
    this.#starter = undefined;
    starter.worker.ref();
    // One that takes longer is ended all the same.
    const toError = (): Error => new Error(`it was not in the jail after ${enterMs} ms`);
    await within(this.#options.clock, { ms: enterMs, toError }, starter.entered).catch(() => {});
    await starter.worker.terminate();
  }

  #thread(): Worker {
    this.#starter ??= this.#start();
    return this.#starter.worker;
  }

  #start(): Starter {
    const worker = new Worker(this.#options.programUrl, {
      workerData: this.#options.data,
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: {},
      stdin: false,
    });
    const { promise: entered, resolve } = Promise.withResolvers<void>();
    let failure = "the thread that starts processes ended";
    worker.on("message", (report: ThreadReport) => {
      if (report.t === "entered") resolve();
      else this.#onReport(report);
    });
    worker.on("error", (error) => {
      failure = isOutOfDescriptors(error)
        ? wordsOf(error)
        : `the jail could not be entered: ${String(error)}`;
    });
    worker.on("exit", () => {
      resolve();
      this.#lose(worker, failure);
    });
    worker.unref();
    return { worker, entered };
  }

  #onReport(report: ChildReport): void {
    const entry = this.#entries.get(report.id);
    if (entry === undefined) return;
    this.#releaseTheirEnds(entry);
    if (report.t === "started") {
      entry.pid = report.pid;
      raiseOomScore(report.pid);
      if (entry.isKilled) killProcess(report.pid, entry.settings.isLeader);
      entry.listener.onStart?.();
    } else if (report.t === "failed") this.#fail(report.id, entry, report.message);
    else {
      const timer = this.#options.clock.after(drainMs, () => this.#end(report.id, entry));
      entry.release();
      entry.ending = { how: report.how, said: report.said, timer };
      if (entry.isClosed) this.#end(report.id, entry);
    }
  }

  #end(id: number, entry: ChildEntry): void {
    if (!this.#entries.delete(id) || entry.ending === undefined) return;
    const { how, said, timer } = entry.ending;
    timer.cancel();
    entry.listener.onEnd(how, said);
  }

  #fail(id: number, entry: ChildEntry, message: string): void {
    this.#entries.delete(id);
    entry.release();
    entry.pipe.destroy();
    entry.listener.onFailure(message);
  }

  // The kernel ends the children with the thread that started them.
  #lose(worker: Worker, failure: string): void {
    if (this.#starter?.worker === worker) this.#starter = undefined;
    for (const [id, entry] of this.#entries) {
      this.#releaseTheirEnds(entry);
      if (entry.pid === undefined) this.#fail(id, entry, failure);
      else {
        this.#entries.delete(id);
        entry.ending?.timer.cancel();
        if (entry.ending === undefined) entry.release();
        killProcess(entry.pid, entry.settings.isLeader);
        entry.listener.onEnd(entry.ending?.how ?? failure, entry.ending?.said ?? "");
      }
    }
  }

  #releaseTheirEnds(entry: ChildEntry): void {
    for (const fd of entry.theirFds) closeIn(this.#options.kernel, fd);
    entry.theirFds = [];
  }
}

// Node would warn, in a worker thread, that it has not opened this descriptor itself.
function closeIn(kernel: Kernel, fd: number): void {
  kernel.call("close", fd);
}

// All ends are close-on-exec: a child gets only those that are passed to it. Undefined where descriptors run out.
function makeConnections(kernel: Kernel): { ourFd: number; theirFd: number; tether: Tether } | undefined {
  const tether = makeTether(kernel);
  if (tether === undefined) return undefined;
  const pair = Buffer.alloc(8);
  if (kernel.call("socketpair", unixStream.family, unixStream.type, 0, pair) === 0)
    return { ourFd: pair.readInt32LE(0), theirFd: pair.readInt32LE(4), tether };
  closeIn(kernel, tether.childFd);
  closeIn(kernel, tether.ourFd);
  return undefined;
}
