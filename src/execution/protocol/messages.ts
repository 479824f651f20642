// Every message between the orchestrator and a cell, and the check that each end makes on arrival. Neither side is
// trusted: a guest that broke out speaks with the cell's voice, and a message of an unknown form ends the cell.

/** How a run enters its isolate: at once on the cell's main thread, there but for a short slice, or on its own thread. */
export type Lane = "sync" | "slice" | "async";

/** The limits that a cell enforces by itself. */
export interface BoxLimits {
  readonly memoryBytes: number;
  readonly stepMs: number;
  readonly cpuPercent: number | null;
  readonly resultBytes: number;
  readonly outputBytes: number;
}

/** How one sandbox differs from another before its modules are loaded. */
export interface Character {
  readonly deterministic: { readonly seed: number; readonly now: number } | null;
}

export interface LoadCommand {
  readonly t: "load";
  readonly op: number;
  readonly key: number;
  readonly lane: Lane;
  readonly budgetMs: number;
  readonly limits: BoxLimits;
  readonly character: Character;
  /** Name and factory text of each module, in the order of evaluation. */
  readonly modules: readonly (readonly [name: string, text: string])[];
}

/** An argument that crosses as it is. */
export type Primitive = number | string | boolean | null;

/** Runs that differ in nothing but sandbox and arguments. Their operations are numbered on from the first. */
export interface RunGroup {
  readonly op: number;
  readonly lane: Lane;
  readonly module: string;
  readonly export: string;
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  /** With a function shipped as source: its text; module and export are then empty. */
  readonly code?: string;
  readonly keys: readonly number[];
  /** Per run: up to three primitives as they are, or the list of arguments as encoded text. */
  readonly args: readonly (string | readonly Primitive[])[];
}

export type Command =
  | {
      readonly t: "start";
      readonly asyncLanes: number;
      readonly sliceMs: number;
      readonly warm: number;
      readonly warmMemoryBytes: number;
    }
  | LoadCommand
  | { readonly t: "run"; readonly groups: readonly RunGroup[] }
  | { readonly t: "drop"; readonly keys: readonly number[] }
  | { readonly t: "limits"; readonly key: number; readonly limits: BoxLimits }
  | { readonly t: "cancel"; readonly key: number; readonly op: number }
  | { readonly t: "sample"; readonly op: number; readonly key: number };

/** What the cell decided about one operation. `answered` leaves the judgement to the guest's own answer. */
export type CellVerdict =
  | "answered"
  | "timeout"
  | "cpu"
  | "cpu-share"
  | "memory"
  | "output"
  | "sliced"
  | "gone"
  | "cancelled";

/** How one operation ended. Times are whole microseconds: short to write and to read. */
export interface DoneItem {
  readonly op: number;
  readonly verdict: CellVerdict;
  /** A number, or a text: JSON, or what its first letter tells. */
  readonly answer: number | string;
  /** On the machine's monotonic clock. */
  readonly startedUs: number;
  readonly wallUs: number;
  readonly cpuUs: number;
  readonly outputBytes: number;
  /** The isolate is no more; the sandbox must be rebuilt before it can be entered again. */
  readonly isLost: boolean;
}

/** A sample of one sandbox's heap. */
export interface HeapSample {
  readonly key: number;
  readonly heapBytes: number;
  readonly heapPeakBytes: number;
  readonly externalBytes: number;
}

export interface DoneReport {
  readonly t: "done";
  /** Ordinary endings, five numbers or texts each: operation, answer, start, wall and processor time. */
  readonly quick: readonly (number | string)[];
  readonly items: readonly DoneItem[];
  /** Samples taken meanwhile. */
  readonly heaps: readonly HeapSample[];
}

/** How many arguments may cross as they are. */
export const plainArgsMax = 3;

/** How many values of `quick` belong together. */
export const quickWidth = 5;

export interface LogReport {
  readonly t: "log";
  readonly key: number;
  readonly op: number;
  readonly lines: readonly (readonly [level: number, text: string])[];
}

export type Report =
  | {
      readonly t: "ready";
      readonly node: string;
      readonly slate: "mapped" | "written";
      readonly tether: "signal" | "thread";
    }
  | DoneReport
  | { readonly t: "pending"; readonly op: number; readonly startedUs: number }
  | LogReport
  | { readonly t: "background"; readonly key: number; readonly verdict: CellVerdict }
  | { readonly t: "poisoned"; readonly why: string };

/** First letters of a guest's answer that is no value. A value is JSON, or a table that starts with V. */
export const answerLetters = { thrown: "T", refused: "R", missing: "X", pending: "P", never: "N" } as const;

/** How a shipped function is named in stacks; no module can have this name. */
export const shippedName = "#run";

const verdicts: ReadonlySet<unknown> = new Set<CellVerdict>([
  "answered",
  "timeout",
  "cpu",
  "cpu-share",
  "memory",
  "output",
  "sliced",
  "gone",
  "cancelled",
]);
const lanes: ReadonlySet<unknown> = new Set<Lane>(["sync", "slice", "async"]);

/** The report that a message is, or undefined where it is none. */
export function asReport(message: unknown): Report | undefined {
  if (!isRecord(message)) return undefined;
  const isGood = reportChecks[message["t"] as Report["t"]];
  return Object.hasOwn(reportChecks, String(message["t"])) && isGood(message)
    ? (message as unknown as Report)
    : undefined;
}

/** The command that a message is, or undefined where it is none. */
export function asCommand(message: unknown): Command | undefined {
  if (!isRecord(message)) return undefined;
  const isGood = commandChecks[message["t"] as Command["t"]];
  return Object.hasOwn(commandChecks, String(message["t"])) && isGood(message)
    ? (message as unknown as Command)
    : undefined;
}

type Fields = Record<string, unknown>;

const reportChecks: Record<Report["t"], (message: Fields) => boolean> = {
  ready: (m) =>
    isText(m["node"]) &&
    (m["slate"] === "mapped" || m["slate"] === "written") &&
    (m["tether"] === "signal" || m["tether"] === "thread"),
  done: (m) => isQuick(m["quick"]) && isList(m["items"], isDoneItem) && isList(m["heaps"], isHeapSample),
  pending: (m) => isCount(m["op"]) && isAmount(m["startedUs"]),
  log: (m) => isCount(m["key"]) && isCount(m["op"]) && isList(m["lines"], isLine),
  background: (m) => isCount(m["key"]) && verdicts.has(m["verdict"]),
  poisoned: (m) => isText(m["why"]),
};

const commandChecks: Record<Command["t"], (message: Fields) => boolean> = {
  start: (m) =>
    isCount(m["asyncLanes"]) &&
    isAmount(m["sliceMs"]) &&
    isCount(m["warm"]) &&
    isAmount(m["warmMemoryBytes"]),
  load: (m) => isLoad(m),
  run: (m) => isList(m["groups"], isRunGroup),
  drop: (m) => isList(m["keys"], isCount),
  limits: (m) => isCount(m["key"]) && isBoxLimits(m["limits"]),
  cancel: (m) => isCount(m["op"]) && isCount(m["key"]),
  sample: (m) => isCount(m["op"]) && isCount(m["key"]),
};

function isQuick(value: unknown): boolean {
  if (!Array.isArray(value) || value.length % quickWidth !== 0) return false;
  for (let i = 0; i < value.length; i += quickWidth) {
    const isAnswer = typeof value[i + 1] === "string" || isNumber(value[i + 1]);
    if (
      !isAnswer ||
      !isCount(value[i]) ||
      !isAmount(value[i + 2]) ||
      !isAmount(value[i + 3]) ||
      !isAmount(value[i + 4])
    )
      return false;
  }
  return true;
}

function isDoneItem(item: unknown): boolean {
  if (!isRecord(item)) return false;
  const { answer } = item;
  return (
    isCount(item["op"]) &&
    verdicts.has(item["verdict"]) &&
    (typeof answer === "string" || isNumber(answer)) &&
    isAmount(item["startedUs"]) &&
    isAmount(item["wallUs"]) &&
    isAmount(item["cpuUs"]) &&
    isAmount(item["outputBytes"]) &&
    typeof item["isLost"] === "boolean"
  );
}

function isHeapSample(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return (
    isCount(value["key"]) &&
    isAmount(value["heapBytes"]) &&
    isAmount(value["heapPeakBytes"]) &&
    isAmount(value["externalBytes"])
  );
}

function isLoad(m: Fields): boolean {
  return (
    isCount(m["op"]) &&
    isCount(m["key"]) &&
    lanes.has(m["lane"]) &&
    isAmount(m["budgetMs"]) &&
    isBoxLimits(m["limits"]) &&
    isRecord(m["character"]) &&
    isList(m["modules"], isPair)
  );
}

function isRunGroup(group: unknown): boolean {
  if (!isRecord(group)) return false;
  const { keys, args } = group;
  return (
    isCount(group["op"]) &&
    lanes.has(group["lane"]) &&
    isText(group["module"]) &&
    isText(group["export"]) &&
    isAmount(group["timeoutMs"]) &&
    (group["cpuMs"] === null || isAmount(group["cpuMs"])) &&
    (group["code"] === undefined || isText(group["code"])) &&
    isList(keys, isCount) &&
    isList(args, isArgs) &&
    (keys as unknown[]).length === (args as unknown[]).length
  );
}

const isArgs = (value: unknown): boolean =>
  isText(value) || (isList(value, isPrimitive) && (value as unknown[]).length <= plainArgsMax);
const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null;

function isBoxLimits(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { memoryBytes, stepMs, cpuPercent, resultBytes, outputBytes } = value;
  return (
    isAmount(memoryBytes) &&
    isAmount(stepMs) &&
    (cpuPercent === null || isAmount(cpuPercent)) &&
    isAmount(resultBytes) &&
    isAmount(outputBytes)
  );
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isAmount = (value: unknown): boolean => isNumber(value) && (value as number) >= 0;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isPair = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && isText(value[0]) && isText(value[1]);
const isLine = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 2 &&
  isCount(value[0]) &&
  (value[0] as number) < 5 &&
  isText(value[1]);
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);
