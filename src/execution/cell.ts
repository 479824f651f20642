// What the orchestration knows of a cell: it takes commands, gives reports, and dies one day.
import type { JailReport } from "../jail/layers.ts";
import type { KillCause } from "./enforcement/verdict.ts";
import type { BoxLimits, Command, Report } from "./protocol/messages.ts";

/** How a cell came to its end. */
export interface Death {
  /** Why we killed it; `exit` when it died by itself, `slice` when it was for a slice and not for a deadline. */
  readonly cause: KillCause | "exit" | "slice";
  /** In words, for a human. */
  readonly detail: string;
  /** Whom the watchdog blames, where it could tell. */
  readonly culprit: Suspect | undefined;
  /** What was inside isolates at the end. */
  readonly inside: readonly Suspect[];
  /** The operation that entered last on the main lane; those sent after it had not begun. */
  readonly lastBegun: number;
}

/** An operation inside the isolate of a sandbox. Operation 0 is the sandbox's own doing, between runs. */
export interface Suspect {
  readonly op: number;
  readonly key: number;
}

export interface CellFacts {
  readonly pid: number;
  readonly node: string;
  readonly slate: "mapped" | "written";
  readonly tether: "signal" | "thread";
  readonly jail: JailReport;
}

export interface Cell {
  readonly number: number;
  readonly facts: CellFacts;
  send(command: Command): void;
  /** For the watchdog: operations without an answer. */
  setInFlight(count: number): void;
  /** A sandbox with these limits comes in: the bounds of the whole cell must leave it room. */
  makeRoom(limits: Pick<BoxLimits, "memoryBytes" | "resultBytes">): void;
  /** For the watchdog: what the heaps of all its sandboxes were last seen to hold. */
  setHeapBytes(bytes: number): void;
  rssBytes(): number;
  /** What holds the cell's main lane at this moment, as the cell announced it. */
  inMainLane(): (Suspect & { readonly startedMs: number }) | undefined;
  /** Ends it at once. `onDeath` follows. */
  kill(cause: KillCause): void;
}

export interface CellListener {
  onReport(report: Report): void;
  onDeath(death: Death): void;
}

/** Starts a cell. Rejects with `CELL_START_FAILED`; the listener hears nothing before it resolves. */
export type CellLauncher = (number: number, listener: CellListener) => Promise<Cell>;
