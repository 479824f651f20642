// What the scan finds in a module's code. The scan only reports; a profile decides.

/** How a kind of finding is treated unless a profile has its own rule: `plain` ones are admitted everywhere. */
export type FindingLevel = "blocked" | "suspicious" | "plain";

/** What an isolate has only where a profile enables it. */
export type FeatureName = "dynamicCode" | "webAssembly" | "sharedMemory" | "resizableBuffers";

interface FindingRow {
  readonly level: FindingLevel;
  /** What the code does. */
  readonly about: string;
  /** What its author may do instead. */
  readonly instead: string;
  /** Where this feature is enabled, it is no finding. */
  readonly feature?: FeatureName;
}

/** Every kind of finding. */
export const findingTable = {
  "import-builtin": {
    level: "blocked",
    about: "imports a module of the host: a builtin of Node, or a file, address or path",
    instead: "take what you need as an argument; a sandbox has no files, sockets or programs",
  },
  import: {
    level: "plain",
    about: "imports any other module by name",
    instead: "nothing has to change",
  },
  "import-computed": {
    level: "suspicious",
    about: "imports a module whose name is computed at run time",
    instead: "write the module's name as a string literal",
  },
  "import-meta": {
    level: "suspicious",
    about: "asks where it was loaded from (import.meta)",
    instead: "a module has no location here; pass in what depends on it",
  },
  "host-global": {
    level: "suspicious",
    about: "names a global of a host environment, which guests do not have",
    instead: "use the language and the web's globals that guests have; nothing else exists here",
  },
  "global-computed": {
    level: "suspicious",
    about: "reads a property of the global object whose name is computed at run time",
    instead: "write the global's name directly",
  },
  "dynamic-code": {
    level: "suspicious",
    about: "makes code from text (eval, Function, or a constructor's constructor)",
    instead: "write the function out; text cannot become code here",
    feature: "dynamicCode",
  },
  "web-assembly": {
    level: "suspicious",
    about: "uses WebAssembly, whose memory the heap limit does not count",
    instead: "write it in JavaScript",
    feature: "webAssembly",
  },
  "shared-memory": {
    level: "suspicious",
    about: "uses shared memory (SharedArrayBuffer, Atomics)",
    instead: "use an ArrayBuffer; there is no other thread to share it with",
    feature: "sharedMemory",
  },
  "resizable-buffer": {
    level: "suspicious",
    about: "makes a buffer that can grow",
    instead: "make a new ArrayBuffer of the size you need",
    feature: "resizableBuffers",
  },
  prototype: {
    level: "suspicious",
    about: "changes a prototype that all code shares, or gets hold of one through an object",
    instead: "use a class or a function of your own",
  },
  "stack-trace": {
    level: "suspicious",
    about: "replaces how stack traces are made (Error.prepareStackTrace)",
    instead: "read error.stack as it is",
  },
  size: {
    level: "suspicious",
    about: "is unusually large",
    instead: "split the module, or move its data elsewhere",
  },
  "too-many": {
    level: "suspicious",
    about: "has more findings than are reported",
    instead: "first fix those that are shown",
  },
} as const satisfies Record<string, FindingRow>;

export type FindingName = keyof typeof findingTable;

export const findingNames: readonly FindingName[] = Object.keys(findingTable) as FindingName[];

/** One finding, at its first position in the guest's own source. Lines and columns count from 1. */
export interface Finding {
  readonly rule: FindingName;
  /** The import, the global or the member, as written. */
  readonly what: string;
  readonly line: number;
  readonly column: number;
  /** How often it occurs. */
  readonly count: number;
}

/** How many findings of one module are reported; blocked ones come first. */
export const findingsMax = 100;
/** How long the text of a finding may be. */
export const whatLengthMax = 120;

export const featureNames: readonly FeatureName[] = [
  "dynamicCode",
  "webAssembly",
  "sharedMemory",
  "resizableBuffers",
];

/** What these start may go on or end in the time of another sandbox: whoever has one of them needs an isolate of its own. */
export const lastingFeatures = ["webAssembly", "sharedMemory"] as const satisfies readonly FeatureName[];

export function isFindingName(value: unknown): value is FindingName {
  return typeof value === "string" && Object.hasOwn(findingTable, value);
}

/** Globals that a sandbox has where a capability is granted that serves them. */
export const fetchGlobals = ["fetch", "Headers", "Request", "Response"] as const;

/** Whether a finding is none where a capability is granted that serves `fetch`. */
export function isServedByFetch({ rule, what }: Pick<Finding, "rule" | "what">): boolean {
  return rule === "host-global" && fetchGlobals.some((name) => what === name);
}

/** The feature that makes this no finding. */
export function featureFor(rule: FindingName): FeatureName | undefined {
  const row: FindingRow = findingTable[rule];
  return row.feature;
}
