// What a process is: its record, its mailbox, and those who are tied to it.
import type { Chain } from "./mailbox.ts";
import type { ExitReason, Pid, Ref } from "./types.ts";

/** What waits in a mailbox. */
export type Envelope =
  | { readonly kind: "info"; readonly message: unknown }
  | { readonly kind: "cast"; readonly message: unknown }
  | { readonly kind: "call"; readonly message: unknown; readonly request: Request }
  /** Its supervisor wants it to end in order. */
  | { readonly kind: "stop"; readonly reason: ExitReason }
  | { readonly kind: "exit"; readonly from: Proc | undefined; readonly reason: ExitReason }
  | {
      readonly kind: "down";
      readonly ref: Ref;
      readonly from: Proc | undefined;
      readonly reason: ExitReason;
    };

/** What the runtime itself decided about a process; a guest's own reasons may use the same words and are none. */
export type Verdict = "cut" | "overflow" | "noproc" | "processes";

/** One question that waits for its answer. */
export interface Request {
  readonly asker: Proc | undefined;
  readonly settle: (
    answer: { readonly value: unknown } | { readonly failure: ExitReason; readonly verdict?: Verdict },
  ) => void;
  isOpen: boolean;
  /** Whoever was asked has begun with it. */
  isTaken?: boolean;
}

/**
 * What a process does with its messages. All of it is there in each of them: what is looked for in vain is found where a
 * guest may put something.
 */
export interface Behaviour {
  readonly kind: "process" | "server" | "supervisor";
  /** Takes a message out of the mailbox and does what is to be done. A promise when that is longer than this step. */
  take(): unknown;
  /** Whether it wants any of its messages now; a plain process chooses. */
  isReady(): boolean;
  /** Whether one of those it supervises has ended and may begin again. */
  isMending(): boolean;
  /** It is gone: what outlives it is kept. */
  ended(): void;
}

export interface Proc {
  readonly id: number;
  readonly pid: Pid;
  readonly mailbox: Chain<Envelope>;
  readonly parent: Proc | undefined;
  behaviour: Behaviour | undefined;
  name: string | null;
  /** Its place in the tree of supervisors; null outside of it. */
  path: string | null;
  status: "starting" | "idle" | "ready" | "busy" | "ending" | "dead";
  isTrapping: boolean;
  /** A reload is under way that changes its code: messages wait. */
  isSuspended: boolean;
  /** It began with code of a reload that is not committed. */
  isEarly: boolean;
  readonly links: Set<Proc>;
  /** Who watches it. */
  readonly watchers: Map<Ref, Proc>;
  /** Questions that it has not answered. */
  readonly requests: Set<Request>;
  messages: number;
  restarts: number;
}
