// The layers of the jail by name, and what each of them stops. The plan, `health()` and the documents use this list.

export interface LayerFacts {
  /** Applied by the thread that starts the process, or by the process itself once all is loaded. */
  readonly by: "starter" | "itself";
  /** Whether it is used by default, where the system has it. */
  readonly isDefault: boolean;
  readonly stops: string;
}

export const jailLayers = {
  permissions: {
    by: "starter",
    isDefault: true,
    stops: "files, network, programs and threads through Node's own functions",
  },
  user: {
    by: "starter",
    isDefault: true,
    stops: "what only root or the orchestrator's user may do: files, signals, memory of other processes",
  },
  filter: {
    by: "starter",
    isDefault: true,
    stops: "sockets, io_uring, tracing, namespaces, keys and modules of the kernel",
  },
  landlock: {
    by: "starter",
    isDefault: true,
    stops: "all files but the program's own, all writing, TCP, signals to other processes",
  },
  tether: { by: "itself", isDefault: true, stops: "outliving the orchestrator" },
  descriptors: { by: "itself", isDefault: true, stops: "use of files that the orchestrator had open" },
  resources: { by: "itself", isDefault: true, stops: "filling disks, core dumps, many open files" },
  hidden: {
    by: "itself",
    isDefault: true,
    stops: "other processes of the same user from reading its memory",
  },
  seal: {
    by: "itself",
    isDefault: true,
    stops: "every system call that a running cell does not need: open, exec, fork, socket, kill of others",
  },
  tripwire: { by: "itself", isDefault: false, stops: "a second try: the first forbidden call ends the cell" },
  jitless: { by: "starter", isDefault: false, stops: "memory that is both written and executed" },
} as const satisfies Readonly<Record<string, LayerFacts>>;

export type JailLayer = keyof typeof jailLayers;

export const jailLayerNames = Object.keys(jailLayers) as readonly JailLayer[];

export function isJailLayer(value: unknown): value is JailLayer {
  return typeof value === "string" && Object.hasOwn(jailLayers, value);
}

/** Which layers hold, and why the others do not. */
export interface JailReport {
  readonly layers: readonly JailLayer[];
  readonly missing: readonly { readonly layer: JailLayer; readonly why: string }[];
}
