// Starts children from the calling thread, with nothing around them that the caller does not put there.
import { spawn } from "node:child_process";
import { PassThrough, type Duplex } from "node:stream";
import type { Clock } from "../std/clock.ts";
import { tetherFd } from "../std/tether.ts";
import { drainMs, endInWords, killProcess, saidBytesMax, type ChildOrder, type Spawner } from "./child.ts";
import { offerToKernel } from "./sacrifice.ts";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

const pipeFd = 3;

export function makePlainSpawner(clock: Clock, user: User | undefined): Spawner {
  return {
    spawn(order, listener) {
      const { child, pipe, said } = startChild(order, user, "pipe");
      pipe?.on("error", () => {});
      child.on("spawn", () => {
        if (child.pid !== undefined) offerToKernel(child.pid);
        listener.onStart?.();
      });
      child.on("error", (error) => listener.onFailure(error.message));
      child.on("exit", (code, signal) => {
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

/** Starts a child in an empty surrounding. Its pipe is a new one, or a descriptor that is given. */
export function startChild(
  order: ChildOrder,
  user: User | undefined,
  pipe: "pipe" | number,
): { child: ReturnType<typeof spawn>; pipe: Duplex | null; said: () => string } {
  const child = spawn(order.command, [...order.args], {
    cwd: "/",
    env: order.env,
    stdio: ["ignore", "ignore", "pipe", pipe, order.sharedFd ?? "ignore", "pipe"],
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
