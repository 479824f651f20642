// Processes inside a sandbox, as the host and their own sandbox see them.

export const processKinds = ["process", "server", "supervisor"] as const;
export const processStatuses = ["idle", "ready", "busy", "ending"] as const;

/** What can be told of one process. */
export interface ProcessInfo {
  readonly pid: number;
  readonly name: string | null;
  readonly kind: (typeof processKinds)[number];
  readonly status: (typeof processStatuses)[number];
  readonly queueLength: number;
  /** The most that ever waited in its mailbox. */
  readonly queueMax: number;
  readonly messages: number;
  readonly restarts: number;
  readonly links: readonly number[];
  readonly isTrappingExits: boolean;
}

/** The same, with its place among the others. */
export interface ProcessView extends ProcessInfo {
  /** In the tree of supervisors, ids joined by slashes; null outside of it, empty for the root. */
  readonly path: string | null;
  /** Those it supervises. */
  readonly children: readonly ProcessView[];
}

/** What a server begins with when its supervisor starts it again. */
export const restartOrigins = ["init", "last"] as const;
export type RestartFrom = (typeof restartOrigins)[number];

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
    /** Missing where it was written before there was a choice: then init. */
    readonly restartFrom?: RestartFrom;
    readonly name: string | null;
    readonly shutdownMs: number | null;
  }[];
}

/** Whether a value is a capture, whole and of the right form. */
export function isStateCapture(value: unknown): value is StateCapture {
  const { servers, children } = fieldsOf<StateCapture>(value);
  return (
    Array.isArray(servers) && Array.isArray(children) && servers.every(isServer) && children.every(isChild)
  );
}

function fieldsOf<T>(value: unknown): Partial<Record<keyof T, unknown>> {
  return (typeof value === "object" && value !== null ? value : {}) as Partial<Record<keyof T, unknown>>;
}

const isText = (value: unknown): boolean => typeof value === "string";

function isServer(value: unknown): boolean {
  const { path, key, state, version } = fieldsOf<StateCapture["servers"][number]>(value);
  return [path, key, state].every(isText) && (version === null || Number.isSafeInteger(version));
}

function isChild(value: unknown): boolean {
  const child = fieldsOf<StateCapture["children"][number]>(value);
  const { supervisor, id, key, kind, args, restart, restartFrom, name, shutdownMs } = child;
  return (
    [supervisor, id, key, kind, args, restart].every(isText) &&
    (restartFrom === undefined || restartOrigins.includes(restartFrom as RestartFrom)) &&
    (name === null || isText(name)) &&
    (shutdownMs === null || typeof shutdownMs === "number")
  );
}

/** How the state of one server comes into the form that its new code wants. */
export interface StateReport {
  readonly path: string | null;
  readonly name: string | null;
  readonly module: string;
  /** As it is, along its schema's migrations, by `codeChange`, by the caller's `migrate`; `none` where there is no way. */
  readonly way: "kept" | "migrations" | "codeChange" | "host" | "none";
  /** The versions of its schema on the way; empty where it does not go by them. */
  readonly versions: readonly number[];
  /** Why it cannot be done; null when it can. */
  readonly problem: string | null;
}

/** Failures of a whole sandbox that may be answered with a new beginning. */
export const restartKinds = ["crashed", "timeout", "cpu", "memory", "output-limit", "load"] as const;

/** When a sandbox that failed is restarted by itself: for these reasons, and so often within the window. */
export interface RestartRule {
  readonly on: readonly (typeof restartKinds)[number][];
  readonly max: number;
  readonly windowMs: number;
}

/** What a sandbox says of its processes when it is created. */
export interface ProcessSettings {
  /** The module whose supervisor is the root of the tree; null where guests start processes as they like. */
  readonly supervisor: string | null;
  readonly checkpoint: CheckpointMode;
}

/** When the states of processes are written down by themselves: after every message, or regularly. */
export type CheckpointMode = "message" | { readonly everyMs: number } | null;
