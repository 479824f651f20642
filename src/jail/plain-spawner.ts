// Starts children from the calling thread, with nothing around them that the caller does not put there.
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { PassThrough, type Duplex } from "node:stream";
import type { Clock } from "../std/clock.ts";
import { openKernel } from "../std/kernel.ts";
import { bindTether, makeTether, tetherFd } from "../std/tether.ts";
import {
  drainMs,
  endInWords,
  killProcess,
  saidBytesMax,
  stillborn,
  type ChildOrder,
  type Spawner,
} from "./child.ts";
import type { Room } from "./room.ts";
import { offerToKernel } from "./sacrifice.ts";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

const pipeFd = 3;

/** Without a room, nobody asks whether there is any. */
export function makePlainSpawner(clock: Clock, user: User | undefined, room?: Room): Spawner {
  const kernel = openKernel();
  const objectionTo: Spawner["objectionTo"] = (threads) => room?.objectionTo({ threads, workers: 0 }, user);
  return {
    objectionTo,
    spawn(order, listener) {
      const objection = order.threads === undefined ? undefined : objectionTo(order.threads);
      if (objection !== undefined) return stillborn(listener, objection);
      const tether = kernel && makeTether(kernel);
      const { child, pipe, said } = startChild(order, user, {
        pipe: "pipe",
        tether: tether?.childFd ?? "pipe",
      });
      const leave = room?.enter(order.threads ?? 0, () => child.pid);
      if (kernel !== undefined && tether !== undefined) {
        if (child.pid !== undefined)
          bindTether(kernel, tether.childFd, { pid: child.pid, isLeader: order.isLeader === true });
        closeSync(tether.childFd);
      }
      const release = (): void => {
        leave?.();
        if (tether !== undefined) closeSync(tether.ourFd);
      };
      pipe?.on("error", () => {});
      child.on("spawn", () => {
        if (child.pid !== undefined) offerToKernel(child.pid);
        listener.onStart?.();
      });
      child.on("error", (error) => {
        if (child.pid === undefined) release();
        listener.onFailure(error.message);
      });
      child.on("exit", (code, signal) => {
        release();
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = clock.after(drainMs, resolve);
        child.once("close", () => resolve());
        void promise.then(() => {
          timer.cancel();
          listener.onEnd(endInWords(code, signal), said());
        });
      });
      return {
        get pid() {
          return child.pid;
        },
        pipe: pipe ?? new PassThrough(),
        kill() {
          if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
            killProcess(child.pid, order.isLeader);
        },
      };
    },
    close: () => Promise.resolve(),
  };
}

/** What leads to a child: new ones, or descriptors that are given. */
export interface Ways {
  readonly pipe: "pipe" | number;
  readonly tether: "pipe" | number;
}

/** Starts a child in an empty surrounding. */
export function startChild(
  order: ChildOrder,
  user: User | undefined,
  { pipe, tether }: Ways,
): { child: ReturnType<typeof spawn>; pipe: Duplex | null; said: () => string } {
  const child = spawn(order.command, [...order.args], {
    cwd: "/",
    env: order.env,
    stdio: ["ignore", "ignore", "pipe", pipe, order.sharedFd ?? "ignore", tether],
    detached: order.isLeader === true,
    ...user,
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-saidBytesMax);
  });
  // Where descriptors or processes run out, a child has neither a pid nor streams; it only says so, a moment later.
  const stdio = (child.stdio ?? []) as readonly (Duplex | null | undefined)[];
  if (child.pid === undefined) for (const stream of stdio) stream?.destroy();
  stdio[tetherFd]?.on("error", () => {});
  return { child, pipe: stdio[pipeFd] ?? null, said: () => said };
}
