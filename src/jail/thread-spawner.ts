// Starts children through a thread that jailed itself. Their pipes are made here, so that what they say does not pass
// through that thread.
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import type { Clock, Timer } from "../std/clock.ts";
import type { Kernel } from "../std/kernel.ts";
import { makeTether, type Tether } from "../std/tether.ts";
import {
  drainMs,
  killProcess,
  failedStart,
  type Child,
  type ChildListener,
  type ChildSettings,
  type Spawner,
} from "./child.ts";
import type { Headroom } from "./headroom.ts";
import { raiseOomScore } from "./oom-score.ts";
import type { SpawnRequest, ThreadData, ThreadReport } from "./thread-messages.ts";

export interface ThreadSpawnerOptions {
  readonly clock: Clock;
  readonly kernel: Kernel;
  readonly programUrl: URL;
  readonly data: ThreadData;
  /** Without it, nobody asks whether there is room. */
  readonly room?: Headroom;
}

interface Ward {
  readonly settings: ChildSettings;
  readonly listener: ChildListener;
  readonly pipe: Socket;
  pid: number | undefined;
  isKilled: boolean;
  isClosed: boolean;
  /** The child's ends of its pipe and its tether, ours until the child has them. */
  theirFds: readonly number[];
  /** Ends what it took: its place, and our end of its tether. */
  readonly release: () => void;
  ending: { readonly how: string; readonly said: string; readonly timer: Timer } | undefined;
}

const unixStream = { family: 1, type: 1 | 0o2000000 | 0o4000 } as const;

export class ThreadSpawner implements Spawner {
  readonly #options: ThreadSpawnerOptions;
  readonly #wards = new Map<number, Ward>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: ThreadSpawnerOptions) {
    this.#options = options;
  }

  objectionTo(threads: number): string | undefined {
    const { room, data } = this.#options;
    return room?.objectionTo({ threads, workers: this.#worker === undefined ? 1 : 0 }, data.user);
  }

  spawn(settings: ChildSettings, listener: ChildListener): Child {
    const objection = settings.threads === undefined ? undefined : this.objectionTo(settings.threads);
    if (objection !== undefined) return failedStart(listener, objection);
    const { kernel, room } = this.#options;
    const ways = makeWays(kernel);
    if (ways === undefined) return failedStart(listener, "no descriptor is left for its pipes");
    const { ourFd, theirFd, tether } = ways;
    const pipe = new Socket({ fd: ourFd, readable: true, writable: true });
    const id = ++this.#lastId;
    const ward: Ward = {
      settings,
      listener,
      pipe,
      pid: undefined,
      isKilled: false,
      isClosed: false,
      theirFds: [theirFd, tether.childFd],
      release() {
        leave?.();
        closeSync(tether.ourFd);
      },
      ending: undefined,
    };
    const leave = room?.enter(settings.threads ?? 0, () => ward.pid);
    pipe.on("error", () => {});
    pipe.on("close", () => {
      ward.isClosed = true;
      if (ward.ending !== undefined) this.#end(id, ward);
    });
    this.#wards.set(id, ward);
    const message: SpawnRequest = { id, settings, pipeFd: theirFd, tetherFd: tether.childFd };
    this.#thread().postMessage(message);
    return {
      get pid() {
        return ward.pid;
      },
      pipe,
      kill() {
        ward.isKilled = true;
        if (ward.pid !== undefined && ward.ending === undefined) killProcess(ward.pid, settings.isLeader);
      },
    };
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#options.programUrl, {
      workerData: this.#options.data,
      execArgv: ["--disable-warning=ExperimentalWarning"],
      env: {},
      stdin: false,
    });
    let failure = "the thread that starts processes ended";
    worker.on("message", (report: ThreadReport) => this.#hear(report));
    worker.on("error", (error) => (failure = `the jail could not be entered: ${String(error)}`));
    worker.on("exit", () => this.#lose(worker, failure));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #hear(report: ThreadReport): void {
    const ward = this.#wards.get(report.id);
    if (ward === undefined) return;
    releaseTheirEnds(ward);
    if (report.t === "started") {
      ward.pid = report.pid;
      raiseOomScore(report.pid);
      if (ward.isKilled) killProcess(report.pid, ward.settings.isLeader);
      ward.listener.onStart?.();
    } else if (report.t === "failed") this.#fail(report.id, ward, report.message);
    else {
      const timer = this.#options.clock.after(drainMs, () => this.#end(report.id, ward));
      ward.release();
      ward.ending = { how: report.how, said: report.said, timer };
      if (ward.isClosed) this.#end(report.id, ward);
    }
  }

  #end(id: number, ward: Ward): void {
    if (!this.#wards.delete(id) || ward.ending === undefined) return;
    const { how, said, timer } = ward.ending;
    timer.cancel();
    ward.listener.onEnd(how, said);
  }

  #fail(id: number, ward: Ward, message: string): void {
    this.#wards.delete(id);
    ward.release();
    ward.pipe.destroy();
    ward.listener.onFailure(message);
  }

  // The kernel ends the children with the thread that started them.
  #lose(worker: Worker, failure: string): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const [id, ward] of this.#wards) {
      releaseTheirEnds(ward);
      if (ward.pid === undefined) this.#fail(id, ward, failure);
      else {
        this.#wards.delete(id);
        ward.ending?.timer.cancel();
        if (ward.ending === undefined) ward.release();
        killProcess(ward.pid, ward.settings.isLeader);
        ward.listener.onEnd(ward.ending?.how ?? failure, ward.ending?.said ?? "");
      }
    }
  }
}

function releaseTheirEnds(ward: Ward): void {
  for (const fd of ward.theirFds) closeSync(fd);
  ward.theirFds = [];
}

// All ends close on exec: a child gets only those that are put into their places. Undefined where descriptors run out.
function makeWays(kernel: Kernel): { ourFd: number; theirFd: number; tether: Tether } | undefined {
  const tether = makeTether(kernel);
  if (tether === undefined) return undefined;
  const pair = Buffer.alloc(8);
  if (kernel.call("socketpair", unixStream.family, unixStream.type, 0, pair) === 0)
    return { ourFd: pair.readInt32LE(0), theirFd: pair.readInt32LE(4), tether };
  closeSync(tether.childFd);
  closeSync(tether.ourFd);
  return undefined;
}
