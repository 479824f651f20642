// Every message between the orchestrator and a cell. Both ends check them on arrival (checks.ts), as a guest that has escaped
// could send as its cell; a malformed message ends the cell.
import type { ScriptCall } from "./shipped-code.ts";
import type { JailLayer } from "../../jail/layers.ts";
import type { FeatureName } from "../../model/code/finding.ts";
import type { Series, StreamStep } from "./run-parts.ts";

/** How a run enters its isolate: on the cell's main thread, there for at most a short slice, or on a thread of its own. */
export type Lane = (typeof laneNames)[number];
export const laneNames = ["sync", "slice", "async"] as const;

/** The limits that a cell enforces by itself. */
export interface BoxLimits {
  readonly memoryBytes: number;
  readonly stepMs: number;
  readonly cpuPercent: number | null;
  readonly resultBytes: number;
  readonly outputBytes: number;
  readonly fuel: number | null;
  readonly processes: number;
  readonly messageQueue: number;
  readonly loadMs: number;
}

/** How one sandbox differs from another before its modules are loaded. */
export interface Character {
  readonly deterministic: { readonly seed: number; readonly now: number } | null;
}

/** The processes of a sandbox that has them. */
export interface ProcessPlan {
  /** The module whose supervisor is the root of the tree; null for none. */
  readonly supervisor: string | null;
  /** The captured states to begin with; empty for none. */
  readonly capture: string;
  /** Whether every change of state is reported with what it answers. */
  readonly isCheckpointed: boolean;
}

export interface LoadCommand {
  readonly t: "load";
  readonly op: number;
  readonly key: number;
  readonly lane: Lane;
  /** The same code was loaded quickly before. */
  readonly isProven: boolean;
  /** It may be in one isolate with other such sandboxes. */
  readonly isDense: boolean;
  readonly budgetMs: number;
  readonly limits: BoxLimits;
  readonly character: Character;
  /** The processor time that the sandbox used lately, in isolates before this one. */
  readonly usedMs: number;
  /** The features that its profile grants, and the capability that serves its `fetch`, where it has one. */
  readonly features: readonly FeatureName[];
  readonly fetchBy?: string | undefined;
  /** Null in a sandbox without processes. */
  readonly processes: ProcessPlan | null;
  /** Timers and processes are paused. */
  readonly isHeld: boolean;
  /** Name and factory text of each module, in the order of evaluation. */
  readonly modules: readonly (readonly [name: string, text: string])[];
}

export interface ReloadCommand {
  readonly t: "reload";
  readonly op: number;
  readonly key: number;
  /** A top level in a running sandbox cannot be repeated, so that it gets no slice. */
  readonly lane: Exclude<Lane, "slice">;
  readonly budgetMs: number;
  /** Name and factory text of each module that changed, in the order of evaluation. */
  readonly modules: readonly (readonly [name: string, text: string])[];
  readonly removed: readonly string[];
  /** The version of each changed module before and after, as JSON, for migrations. */
  readonly versions: string;
  /** States that the host migrated itself, as JSON; empty for none. */
  readonly states: string;
}

/** A request about processes; its answer is a text. */
export interface ManageCommand {
  readonly t: "manage";
  readonly op: number;
  readonly key: number;
  readonly budgetMs: number;
  readonly verb: string;
  readonly first: string;
  readonly second: string;
}

/** An argument that is sent as it is. */
export type Primitive = number | string | boolean | null;

/** Runs that differ in nothing but sandbox and arguments. Their tickets are numbered on from the first. */
export interface RunGroup {
  readonly op: number;
  readonly lane: Lane;
  readonly module: string;
  readonly export: string;
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  /** Null in a sandbox that does not count it. */
  readonly fuel: number | null;
  /** With a function shipped as source: its text; module and export are then empty. */
  readonly code?: string;
  /** How stacks name `code`. */
  readonly codeName?: string;
  /** Where `code` is a script and no function. */
  readonly script?: ScriptCall;
  /** A message to the process that `export` names, which is its argument. */
  readonly tell?: "ask" | "send";
  /** A step of the stream that the function gives. */
  readonly stream?: StreamStep;
  readonly keys: readonly number[];
  /** Per run: up to three primitives as they are, or the list of arguments as encoded text. */
  readonly args: readonly (string | readonly Primitive[])[];
  /** There is one list of arguments, for all runs. */
  readonly isShared?: boolean;
  /** Instead of one function with its arguments: cases, whose bounds are each those of the group. */
  readonly series?: Series;
}

/** Cases for many sandboxes: the exports that they call, and of each as JSON which of them, and its arguments. */
export interface KeepCommand {
  readonly t: "keep";
  readonly list: number;
  readonly targets: readonly (readonly [module: string, name: string])[];
  readonly cases: readonly string[];
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
  | ReloadCommand
  | ManageCommand
  /** Pauses timers and processes, or lets them go on. */
  | { readonly t: "hold"; readonly key: number; readonly isHeld: boolean }
  /** The answer to a request: the text of a value, or a code and why there is none. */
  | {
      readonly t: "answer";
      readonly key: number;
      readonly id: number;
      readonly code: string;
      readonly text: string;
    }
  | { readonly t: "settle"; readonly op: number; readonly key: number; readonly isCommitted: boolean }
  | { readonly t: "run"; readonly groups: readonly RunGroup[] }
  | KeepCommand
  /** No further series needs these lists. */
  | { readonly t: "release"; readonly lists: readonly number[] }
  | { readonly t: "drop"; readonly keys: readonly number[] }
  | { readonly t: "limits"; readonly key: number; readonly limits: BoxLimits }
  | { readonly t: "cancel"; readonly key: number; readonly op: number }
  | { readonly t: "sample"; readonly op: number; readonly key: number };

/** What the cell decided about one ticket. `answered` leaves the judgement to the guest's own answer. */
export type CellVerdict =
  | "answered"
  | "timeout"
  | "cpu"
  | "cpu-share"
  | "fuel"
  | "memory"
  | "output"
  | "sliced"
  /** Not begun: it was sent for the main lane, which is spared now. */
  | "spared"
  | "gone"
  /** Another sandbox in the same isolate has cost it. */
  | "neighbour"
  | "cancelled";

/** It is no fault of the sandbox that it has lost its isolate, or has none. */
export function isOfOthers(verdict: CellVerdict): boolean {
  return verdict === "gone" || verdict === "neighbour";
}

/** How one ticket ended. Times are whole microseconds: short to write and to read. */
export interface DoneItem {
  readonly op: number;
  readonly verdict: CellVerdict;
  /** A number, or a text: JSON, or tagged by its first letter (answer-tags.ts). */
  readonly answer: number | string;
  /** On the machine's monotonic clock. */
  readonly startedUs: number;
  readonly wallUs: number;
  readonly cpuUs: number;
  readonly outputBytes: number;
  /** The fuel that it used, where that is counted. */
  readonly fuel: number | null;
  /** The isolate is gone; the sandbox must be loaded again. */
  readonly isLost: boolean;
  /**
   * Of a series: the answers of the cases before the one that all else is about, each followed by its fuel where that is counted.
   * Missing where it is not known which case it is.
   */
  readonly before?: readonly (number | string)[];
}

/** A sample of one sandbox's heap. */
export interface HeapSample {
  readonly key: number;
  readonly heapBytes: number;
  readonly heapPeakBytes: number;
  readonly externalBytes: number;
  readonly processes: number;
  readonly processesMax: number;
  readonly queueMax: number;
  /** The number of its isolate, and how many sandboxes are in that. */
  readonly isolate: number;
  readonly sandboxes: number;
}

/** States of processes that changed, as captured. */
export interface ChangedStates {
  readonly key: number;
  readonly capture: string;
  /** Operations that a process had begun and not answered: they may not be repeated from these states. */
  readonly begun: readonly number[];
}

export interface DoneReport {
  readonly t: "done";
  /** Ordinary completions, five numbers or texts each: ticket, answer, start, wall and processor time. */
  readonly quick: readonly (number | string)[];
  readonly items: readonly DoneItem[];
  /** Samples taken meanwhile. */
  readonly heaps: readonly HeapSample[];
  /** What must be stored before these completions are passed on. */
  readonly states: readonly ChangedStates[];
}

/** How many arguments may be sent as they are. */
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
      /** The layers of the jail that hold. */
      readonly layers: readonly JailLayer[];
    }
  | DoneReport
  | { readonly t: "pending"; readonly op: number; readonly startedUs: number }
  /** A run waits until nothing else is inside its sandbox, and others for the main lane do not wait for it. */
  | { readonly t: "waiting"; readonly op: number }
  | LogReport
  | {
      readonly t: "background";
      readonly key: number;
      readonly verdict: CellVerdict;
      readonly isLost: boolean;
    }
  /** A guest asks the host for something. */
  | {
      readonly t: "request";
      readonly key: number;
      readonly op: number;
      readonly id: number;
      readonly name: string;
      readonly args: string;
    }
  /** An event of a process: its kind, and JSON. */
  | { readonly t: "process"; readonly key: number; readonly kind: string; readonly detail: string }
  | { readonly t: "poisoned"; readonly why: string };

/** How long after an entry's time the engine gives up ending it: it poisons the cell, and suspends the thread for good. */
export const engineGraceMs = 5_000;
/** Why a cell is then poisoned, in the words of isolated-vm. */
export const unendedEntry = "Script failed to terminate";
