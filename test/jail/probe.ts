// What a probe is: one thing that an escaped guest would try, with the layers of which each alone must stop it.
import type { JailLayer } from "../../src/jail/layers.ts";
import type { Kernel } from "../../src/std/kernel.ts";

/** What the orchestrator's side laid out to be found. */
export interface Targets {
  readonly secretFile: string;
  readonly keyFile: string;
  readonly projectFile: string;
  readonly folder: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly unixPath: string;
  readonly abstractName: string;
  readonly parentPid: number;
  /** Where the parent holds a secret of eight bytes. */
  readonly parentAddress: string;
  readonly siblingPid: number;
  readonly leakedFd: number;
}

export interface Tools {
  readonly kernel: Kernel;
  readonly targets: Targets;
  /** Text as the kernel takes it; referenced until the process ends. */
  readonly text: (value: string) => Uint8Array;
  /** Starts a program through the C library and waits for its end; 0 when it went well. */
  readonly start: (path: string, ...args: readonly string[]) => number;
}

/** A number as of a system call: negative for an error; anything else that is returned is a success. */
export type Act = (tools: Tools) => unknown;

export interface Probe {
  readonly id: string;
  /** Each of these must stop it alone. */
  readonly by: readonly JailLayer[];
  /** Only root could do it anyway, so that only as root there is something to stop. */
  readonly isForRoot?: true;
  readonly act: Act;
}

/** Whether it was done, or by which error it was stopped. */
export type Finding = "open" | `stopped: ${string}`;

export const errorNames: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  3: "ESRCH",
  9: "EBADF",
  13: "EACCES",
  14: "EFAULT",
  22: "EINVAL",
  25: "ENOTTY",
  27: "EFBIG",
  38: "ENOSYS",
};
