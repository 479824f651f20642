// A child process, however it is started: a pipe to it, its end, and a way to end it.
import { PassThrough, type Writable } from "node:stream";
import { afterTurn } from "../../std/clock.ts";
import type { OnBytes } from "./child-pipe.ts";

export interface ChildSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A descriptor of ours that the child gets as descriptor 4. */
  readonly sharedFd?: number;
  /** Start a process group, so that what the child starts ends with it. */
  readonly isLeader?: boolean;
  /** The most threads that it will ever have; not checked where it is not given. */
  readonly threads?: number;
}

/** The user that a child runs as. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface ChildListener {
  /** What it wrote to its pipe. The bytes are valid only during the call. */
  readonly onBytes: OnBytes;
  /** It runs, and its pid is known. */
  onStart?(): void;
  /** It could not be started; nothing else follows. */
  onFailure(message: string): void;
  /** It has ended, and what it wrote was read, as far as it came within `drainMs`. `said` is the end of its stderr. */
  onEnd(how: string, said: string): void;
}

export interface Child {
  /** Undefined until it is started. */
  readonly pid: number | undefined;
  /** Connected to its descriptor 3. */
  readonly pipe: Writable;
  /** Ends it at once, or as soon as it is started. */
  kill(): void;
}

export interface Spawner {
  /** Why a child with so many threads cannot be started now, by the limits of this process and its user. */
  objectionTo(threads: number): string | undefined;
  spawn(settings: ChildSettings, listener: ChildListener): Child;
  /** Releases what it needs to start children, which ends all of them. */
  close(): Promise<void>;
}

/** How much of the end of a child's stderr is kept in memory. */
export const saidBytesMax = 4_096;
/** How long to wait after its end for what a child wrote: a leaked descriptor may keep its pipe open. */
export const drainMs = 250;

/** A child that could not be started: `onFailure` is called in the next turn. */
export function failedStart(listener: ChildListener, message: string): Child {
  afterTurn(() => listener.onFailure(message));
  return { pid: undefined, pipe: new PassThrough(), kill: () => {} };
}

/** Ends a process, or its whole group. One that is gone already is no error. */
export function killProcess(pid: number, isLeader: boolean | undefined): void {
  try {
    process.kill(isLeader === true ? -pid : pid, "SIGKILL");
  } catch {
    // It ended by itself in between.
  }
}

export function endInWords(code: number | null, signal: string | null): string {
  return signal ?? `exit code ${code}`;
}
