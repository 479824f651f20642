// Starts children through a thread that jailed itself. Their pipes are made here, so that what they say does not pass
// through that thread.
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { VivariumError } from "../model/errors.ts";
import type { Clock, Timer } from "../std/clock.ts";
import type { Kernel } from "../std/kernel.ts";
import {
  drainMs,
  killProcess,
  type Child,
  type ChildListener,
  type ChildOrder,
  type Spawner,
} from "./child.ts";
import { offerToKernel } from "./sacrifice.ts";
import type { SpawnOrder, ThreadData, ThreadNews } from "./thread-messages.ts";

export interface ThreadSpawnerOptions {
  readonly clock: Clock;
  readonly kernel: Kernel;
  readonly programUrl: URL;
  readonly data: ThreadData;
}

interface Ward {
  readonly order: ChildOrder;
  readonly listener: ChildListener;
  readonly pipe: Socket;
  pid: number | undefined;
  isKilled: boolean;
  isClosed: boolean;
  /** The child's end of its pipe, ours until the child has it. */
  theirFd: number | undefined;
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

  /** Starts the thread ahead of the first child. */
  warm(): void {
    this.#thread();
  }

  spawn(order: ChildOrder, listener: ChildListener): Child {
    const [ourFd, theirFd] = makePipe(this.#options.kernel);
    const pipe = new Socket({ fd: ourFd, readable: true, writable: true });
    const id = ++this.#lastId;
    const ward: Ward = {
      order,
      listener,
      pipe,
      pid: undefined,
      isKilled: false,
      isClosed: false,
      theirFd,
      ending: undefined,
    };
    pipe.on("error", () => {});
    pipe.on("close", () => {
      ward.isClosed = true;
      if (ward.ending !== undefined) this.#end(id, ward);
    });
    this.#wards.set(id, ward);
    this.#thread().postMessage({ id, order, pipeFd: theirFd } satisfies SpawnOrder);
    return {
      get pid() {
        return ward.pid;
      },
      pipe,
      kill() {
        ward.isKilled = true;
        if (ward.pid !== undefined && ward.ending === undefined) killProcess(ward.pid, order.isLeader);
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
    worker.on("message", (news: ThreadNews) => this.#hear(news));
    worker.on("error", (error) => (failure = `the jail could not be entered: ${String(error)}`));
    worker.on("exit", () => this.#lose(worker, failure));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #hear(news: ThreadNews): void {
    if (news.t === "jailed") return;
    const ward = this.#wards.get(news.id);
    if (ward === undefined) return;
    releaseTheirEnd(ward);
    if (news.t === "started") {
      ward.pid = news.pid;
      offerToKernel(news.pid);
      if (ward.isKilled) killProcess(news.pid, ward.order.isLeader);
      ward.listener.onStart?.();
    } else if (news.t === "failed") this.#fail(news.id, ward, news.message);
    else {
      const timer = this.#options.clock.after(drainMs, () => this.#end(news.id, ward));
      ward.ending = { how: news.how, said: news.said, timer };
      if (ward.isClosed) this.#end(news.id, ward);
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
    ward.pipe.destroy();
    ward.listener.onFailure(message);
  }

  // The kernel ends the children with the thread that started them.
  #lose(worker: Worker, failure: string): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const [id, ward] of this.#wards) {
      releaseTheirEnd(ward);
      if (ward.pid === undefined) this.#fail(id, ward, failure);
      else {
        this.#wards.delete(id);
        ward.ending?.timer.cancel();
        killProcess(ward.pid, ward.order.isLeader);
        ward.listener.onEnd(ward.ending?.how ?? failure, ward.ending?.said ?? "");
      }
    }
  }
}

function releaseTheirEnd(ward: Ward): void {
  if (ward.theirFd !== undefined) closeSync(ward.theirFd);
  ward.theirFd = undefined;
}

// Both ends close on exec: a child gets only the one that is put into its place.
function makePipe(kernel: Kernel): [ours: number, theirs: number] {
  const pair = Buffer.alloc(8);
  const result = kernel.call("socketpair", unixStream.family, unixStream.type, 0, pair);
  if (result !== 0)
    throw new VivariumError("CELL_START_FAILED", `Cannot make a pipe to a child: error ${-result}`);
  return [pair.readInt32LE(0), pair.readInt32LE(4)];
}
