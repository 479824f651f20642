// A child process as those who need one see it, whoever starts it: a pipe to speak over, an end, and a way to end it.
import { PassThrough, type Duplex } from "node:stream";
import { afterTurn } from "../std/clock.ts";

export interface ChildSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A descriptor of ours that the child gets as its number 4. */
  readonly sharedFd?: number;
  /** Start a group of processes, so that what the child starts ends with it. */
  readonly isLeader?: boolean;
  /** The most threads that it will ever have; not looked at unless it is given. */
  readonly threads?: number;
}

/** Whom a child belongs to. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface ChildListener {
  /** It runs, and its pid is known. */
  onStart?(): void;
  /** It could not be started; nothing else follows. */
  onFailure(message: string): void;
  /** It has ended, and all that it wrote was read, or at least waited for. `said` is the end of what it wrote to stderr. */
  onEnd(how: string, said: string): void;
}

export interface Child {
  /** Undefined until it is started. */
  readonly pid: number | undefined;
  /** Its number 3. */
  readonly pipe: Duplex;
  /** Ends it at once, or as soon as it is started. */
  kill(): void;
}

export interface Spawner {
  /** Why a child with so many threads cannot be started now, by what this process and its user may have. */
  objectionTo(threads: number): string | undefined;
  spawn(settings: ChildSettings, listener: ChildListener): Child;
  /** Ends what it needs to start children, and thereby all of them. */
  close(): Promise<void>;
}

/** What a child's last words may have. */
export const saidBytesMax = 4_096;
/** How long what a child wrote before its end may be on its way. A descriptor that leaked must not keep us waiting. */
export const drainMs = 250;

/** A child that could not be started, as it will say in a moment. */
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
