// A cell as the orchestration sees it: it takes commands, sends reports, and ends.
import type { JailReport } from "../jail/layers.ts";
import type { KillCause } from "./enforcement/verdict.ts";
import type { BoxLimits, Command, Report } from "./protocol/messages.ts";

/** How a cell ended. */
export interface Death {
  /** Why we killed it; `exit` when it ended by itself, `slice` when a slice could not be cut. */
  readonly cause: KillCause | "exit" | "slice";
  /** In words. */
  readonly detail: string;
  /** The ticket that the watchdog found at fault, if any. */
  readonly culprit: Suspect | undefined;
  /** What was inside isolates at the end. */
  readonly inside: readonly Suspect[];
  /** The ticket that entered last on the main lane; those sent after it had not begun. */
  readonly lastBegun: number;
  /** Of those inside: since when, and what they have used. Left out where nobody measured. */
  readonly times?: readonly TimeInside[];
}

/** How long a ticket had been inside when its cell ended. */
export interface TimeInside {
  readonly op: number;
  /** When it entered, by its cell's own word. */
  readonly startedMs: number;
  /** Processor time of the whole cell since then, as the watchdog saw it; 0 where it saw none. */
  readonly cpuMs: number;
}

/** A ticket inside an isolate. Number 0 is what the sandbox does between runs. */
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
  /** For the watchdog: tickets without an answer. */
  setInFlight(count: number): void;
  /** A sandbox with these limits is loaded: raises the bounds of the whole cell as far as it needs. */
  makeRoom(limits: Pick<BoxLimits, "memoryBytes" | "resultBytes">): void;
  /** For the watchdog: what the heaps of all its sandboxes held at their latest samples. */
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

/** Starts a cell. Rejects with `CELL_START_FAILED`; the listener is not called before it resolves. */
export type CellLauncher = (number: number, listener: CellListener) => Promise<Cell>;
