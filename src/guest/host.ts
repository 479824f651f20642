// What the cell gives a guest runtime: a few functions, held in closures that guest code cannot reach.
import type { LateScript } from "./globals/late-scripts.ts";

/** Functions of the cell host. Only primitives cross, and nothing of the cell's is thrown. The cell may answer null to any: see patient.ts. */
export interface Host {
  /** Takes one console line; returns whether the run may go on writing. */
  write(level: number, text: string): boolean;
  /** Starts a timer of at least this many milliseconds. */
  arm(id: number, delayMs: number): void;
  disarm(id: number): void;
  /** There is work for the scheduler of processes. */
  wake(): void;
  /** A process started, exited or was restarted. */
  report(kind: string, detail: string): void;
  /** The run has used up its fuel. */
  exhausted(): void;
  /** Sends a request to the host, answered later; returns why it cannot, or an empty text. */
  request(id: number, name: string, argsText: string): string;
  /** The parts of a URL as JSON, or an empty text where it is none. */
  parseUrl(input: string, base: string | undefined): string;
  /** The parts of a URL after one of its properties was assigned, as JSON, or an empty text where it is none. */
  changeUrl(href: string, property: string, value: string): string;
  /** So many random bytes as a text of letters up to 255; at most 65,536. */
  random(length: number): string;
  /** The text of a script that few guests use (globals/late-scripts.ts): an isolate that does not need it does not hold it. */
  late(script: LateScript): string;
}

/** What is set for one sandbox before its modules are loaded. */
export interface GuestSetup {
  /** How long an encoded result may be. */
  readonly resultBytes: number;
  /** The features that its profile enables. */
  readonly features: readonly string[];
  /** The capability that serves its `fetch`, where it has one. */
  readonly fetchBy?: string;
  /** Others may be in the same isolate. */
  readonly isDense: boolean;
  readonly deterministic: { readonly seed: number; readonly now: number } | null;
}
