// Processes inside a sandbox, as the host sees them.

/** One process. */
export interface ProcessView {
  readonly pid: number;
  readonly name: string | null;
  readonly kind: "process" | "server" | "supervisor";
  readonly status: string;
  /** Its place in the tree of supervisors, ids joined by slashes; null outside of it, empty for the root. */
  readonly path: string | null;
  readonly queueLength: number;
  /** The most that ever waited in its mailbox. */
  readonly queueMax: number;
  readonly messages: number;
  readonly restarts: number;
  readonly links: readonly number[];
  readonly isTrappingExits: boolean;
  /** Those it supervises. */
  readonly children: readonly ProcessView[];
}

/** The states of a sandbox's servers, written down: plain data that can be kept and brought back. */
export interface StateCapture {
  readonly servers: readonly {
    readonly path: string;
    readonly key: string;
    readonly version: number | null;
    /** Encoded. */
    readonly state: string;
  }[];
  /** Children that were added while the tree was running. */
  readonly children: readonly {
    readonly supervisor: string;
    readonly id: string;
    readonly key: string;
    readonly kind: "server" | "supervisor";
    readonly args: string;
    readonly restart: string;
    readonly name: string | null;
    readonly shutdownMs: number | null;
  }[];
}

/** When the states of processes are written down by themselves: after every message, or regularly. */
export type CheckpointMode = "message" | { readonly everyMs: number } | null;
