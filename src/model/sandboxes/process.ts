// Processes inside a sandbox, as the host and guests see them.

export const processKinds = ["process", "server", "supervisor"] as const;
export const processStatuses = ["idle", "ready", "busy", "ending"] as const;

/** The public view of one process. */
export interface ProcessInfo {
  readonly pid: number;
  readonly name: string | null;
  readonly kind: (typeof processKinds)[number];
  readonly status: (typeof processStatuses)[number];
  readonly queueLength: number;
  /** The greatest length of its mailbox. */
  readonly queueMax: number;
  readonly messages: number;
  readonly restarts: number;
  readonly links: readonly number[];
  readonly trappingExits: boolean;
}

/** The same, with its position in the tree. */
export interface ProcessView extends ProcessInfo {
  /** In the tree of supervisors, ids joined by slashes; null outside of it, empty for the root. */
  readonly path: string | null;
  /** The processes that it supervises. */
  readonly children: readonly ProcessView[];
}

/** Where the state of a restarted server comes from. */
export const restartOrigins = ["init", "last"] as const;
export type RestartFrom = (typeof restartOrigins)[number];

/** The captured states of a sandbox's servers: plain data that can be stored and restored. */
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
    /** Missing in captures of older versions: then init. */
    readonly restartFrom?: RestartFrom;
    readonly name: string | null;
    readonly shutdownMs: number | null;
  }[];
}

/** Whether a value is a complete capture of the right form. */
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

/** How the state of one server is migrated to its new code. */
export interface StateReport {
  readonly path: string | null;
  readonly name: string | null;
  readonly module: string;
  /** Unchanged, along its schema's migrations, by `codeChange`, by the caller's `migrate`; `none` where there is no path. */
  readonly way: "kept" | "migrations" | "codeChange" | "host" | "none";
  /** The versions of its schema that it passes; empty without migrations. */
  readonly versions: readonly number[];
  /** Why it cannot be migrated; null when it can. */
  readonly problem: string | null;
}

/** Failures of a whole sandbox after which it may be restarted. */
export const restartKinds = ["crashed", "timeout", "cpu", "memory", "output-limit", "load"] as const;

/** The bounds of a rule, wherever it comes from. */
export const restartBounds = { max: 1_000, windowMs: 86_400_000 } as const;

/** When a failed sandbox is restarted automatically: after which failures, and how often within the window. */
export interface RestartRule {
  /** The kinds of failure after which it begins again. Default: all but `load`. */
  readonly on: readonly (typeof restartKinds)[number][];
  /** How often within the window. Default: 3. */
  readonly max: number;
  /** The window. Default: 60,000. */
  readonly windowMs: number;
}

/** The settings of a sandbox's processes. */
export interface ProcessSettings {
  /** The module whose supervisor is the root of the tree; null where there is no tree. */
  readonly supervisor: string | null;
  readonly checkpoint: CheckpointMode;
}

/** When the states of processes are captured automatically: after every message, or at an interval. */
export type CheckpointMode = "message" | { readonly everyMs: number } | null;
