// Starts children from the calling thread, without a jail of its own.
import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { PassThrough, type Duplex } from "node:stream";
import type { Clock } from "../../std/clock.ts";
import { wordsOf } from "../../std/descriptors.ts";
import { openKernel } from "../../std/kernel.ts";
import { bindTether, makeTether, tetherFd } from "../../std/tether.ts";
import {
  drainMs,
  endInWords,
  killProcess,
  saidBytesMax,
  failedStart,
  type ChildSettings,
  type Spawner,
  type User,
} from "./child.ts";
import { readPipe } from "./child-pipe.ts";
import type { Headroom } from "./headroom.ts";
import { raiseOomScore } from "./oom-score.ts";

const pipeFd = 3;

/** Without `room`, limits are not checked before a start. */
export function makePlainSpawner(clock: Clock, user: User | undefined, room?: Headroom): Spawner {
  const kernel = openKernel();
  const objectionTo: Spawner["objectionTo"] = (threads) => room?.objectionTo({ threads, workers: 0 }, user);
  return {
    objectionTo,
    spawn(settings, listener) {
      const objection = settings.threads === undefined ? undefined : objectionTo(settings.threads);
      if (objection !== undefined) return failedStart(listener, objection);
      const tether = kernel && makeTether(kernel);
      const { child, pipe, said } = startChild(settings, user, {
        pipe: "pipe",
        tether: tether?.childFd ?? "pipe",
      });
      letProcessEnd(child);
      const leave = room?.enter(settings.threads ?? 0, () => child.pid);
      if (kernel !== undefined && tether !== undefined) {
        if (child.pid !== undefined)
          bindTether(kernel, tether.childFd, { pid: child.pid, isLeader: settings.isLeader === true });
        kernel.call("close", tether.childFd);
      }
      const release = (): void => {
        leave?.();
        if (tether !== undefined) kernel?.call("close", tether.ourFd);
      };
      if (pipe !== null) readPipe(pipe, listener.onBytes);
      pipe?.on("error", () => {});
      child.on("spawn", () => {
        if (child.pid !== undefined) raiseOomScore(child.pid);
        listener.onStart?.();
      });
      child.on("error", (error) => {
        if (child.pid === undefined) release();
        listener.onFailure(wordsOf(error));
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
            killProcess(child.pid, settings.isLeader);
        },
      };
    },
    close: () => Promise.resolve(),
  };
}

// Whoever waits for what comes of a child keeps the process alive, not the child and its pipes.
function letProcessEnd(child: ReturnType<typeof spawn>): void {
  child.unref();
  // Its streams are sockets, which their type does not say.
  for (const stream of (child.stdio ?? []) as readonly (Partial<Socket> | null | undefined)[])
    stream?.unref?.();
}

/** The connections to a child: new pipes, or given descriptors. */
export interface Connections {
  readonly pipe: "pipe" | number;
  readonly tether: "pipe" | number;
}

/** Starts a child with the root folder as its working directory and nothing inherited. */
export function startChild(
  settings: ChildSettings,
  user: User | undefined,
  { pipe, tether }: Connections,
): { child: ReturnType<typeof spawn>; pipe: Duplex | null; said: () => string } {
  const child = spawn(settings.command, [...settings.args], {
    cwd: "/",
    env: settings.env,
    stdio: ["ignore", "ignore", "pipe", pipe, settings.sharedFd ?? "ignore", tether],
    detached: settings.isLeader === true,
    ...user,
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-saidBytesMax);
  });
  // Where descriptors or processes run out, a child has neither a pid nor streams, and emits an error in a later turn.
  const stdio = (child.stdio ?? []) as readonly (Duplex | null | undefined)[];
  if (child.pid === undefined) for (const stream of stdio) stream?.destroy();
  stdio[tetherFd]?.on("error", () => {});
  return { child, pipe: stdio[pipeFd] ?? null, said: () => said };
}
