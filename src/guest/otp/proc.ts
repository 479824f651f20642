// The record of a process: its mailbox, links and monitors.
import type { Mailbox } from "./mailbox.ts";
import type { ExitReason, Pid, Ref } from "./types.ts";

/** A message. All have the same fields: code that the engine has optimised for some kinds is not discarded when another comes. */
export type Envelope =
  | { readonly kind: "info" | "cast"; readonly content: unknown }
  | { readonly kind: "call"; readonly content: Question }
  /** Its supervisor asks it to terminate. */
  | { readonly kind: "stop"; readonly content: ExitReason }
  | { readonly kind: "exit"; readonly content: Exit }
  | { readonly kind: "down"; readonly content: Exit & { readonly ref: Ref } };

export interface Question {
  readonly message: unknown;
  readonly request: Request;
}

export interface Exit {
  readonly from: Proc | undefined;
  readonly reason: ExitReason;
}

/** An exit reason that the runtime set. A guest may use the same words as reasons of its own, which count for nothing. */
export type SystemReason = "cut" | "overflow" | "noproc" | "processes";

/** A call that waits for its reply. */
export interface Request {
  readonly asker: Proc | undefined;
  readonly settle: (
    answer:
      | { readonly value: unknown }
      | { readonly failure: ExitReason; readonly systemReason?: SystemReason },
  ) => void;
  isOpen: boolean;
  /** The process that was asked, until it is answered. */
  holder: Proc | undefined;
  /** The process that was asked has begun to handle it. */
  isTaken?: boolean;
}

/**
 * What a process does with its messages. Every implementation has all of these: a missing one would be looked up on a
 * prototype, where a guest could put its own.
 */
export interface Behaviour {
  readonly kind: "process" | "server" | "supervisor";
  /** Takes a message out of the mailbox and handles it. A promise when that takes longer than this step. */
  take(): unknown;
  /** Whether it can take one of its messages now; a plain process receives selectively. */
  isReady(): boolean;
  /** Whether one of its children has exited and may be restarted. */
  isRestarting(): boolean;
  /** It has exited: stores what is needed for its restart. */
  ended(): void;
}

export interface Proc {
  readonly id: number;
  readonly pid: Pid;
  /** The next one that waits for a turn. */
  next: Proc | undefined;
  readonly mailbox: Mailbox<Envelope>;
  readonly parent: Proc | undefined;
  behaviour: Behaviour | undefined;
  name: string | null;
  /** Its path in the tree of supervisors; null outside of it. */
  path: string | null;
  status: "starting" | "idle" | "ready" | "busy" | "ending" | "exited";
  isTrapping: boolean;
  /** A reload is under way that changes its code: messages wait. */
  isSuspended: boolean;
  /** It was started with code of a reload that is not committed. */
  isUncommitted: boolean;
  // Most processes have none of these for all of their life.
  links: Set<Proc> | undefined;
  /** The monitors of this process, and who set them. */
  monitors: Map<Ref, Proc> | undefined;
  /** Calls that it has not replied to. */
  requests: Set<Request> | undefined;
  messages: number;
  restarts: number;
}
