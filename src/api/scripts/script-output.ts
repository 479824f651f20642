// The console lines of a session: those that were written while a script ran, and each as it comes for whoever listens.
import type { LogLine } from "../../model/runs/log-line.ts";
import type { LineListener, LineSource } from "../../orchestration/sandboxes/account.ts";
import { LogStore } from "../../orchestration/sandboxes/log-store.ts";

/** The run of a script; undefined before it is submitted. */
type RunOf = () => LineSource | undefined;

interface Current {
  readonly logBytes: number;
  readonly runOf: RunOf;
  /** The attempt that its lines are of; 0 where none of them is known to be of one. */
  op: number;
  lines: LogStore;
}

export class ScriptOutput {
  readonly #onOutput: ((line: LogLine) => unknown) | undefined;
  #current: Current | undefined;
  /** Scripts that have ended: what their runs still write is nobody's. */
  readonly #ended = new WeakSet<LineSource>();

  constructor(onOutput: ((line: LogLine) => unknown) | undefined) {
    this.#onOutput = onOutput;
  }

  /**
   * What its sandbox calls with each line. Those of scripts that were cut are not the script's; those of a call that ran meanwhile
   * may be, as a script that waits can go on inside the entry of a call.
   */
  readonly onLine: LineListener = (line, run) => {
    const current = this.#current;
    if (current !== undefined && (run === undefined || !this.#ended.has(run))) {
      if (run !== undefined && run === current.runOf()) beginAttempt(current, run);
      current.lines.push(line);
    }
    return this.#onOutput?.(line);
  };

  /** A script begins. */
  begin(logBytes: number, runOf: RunOf): void {
    this.#current = { logBytes, runOf, op: 0, lines: new LogStore(logBytes) };
  }

  /** It ends: its lines. */
  end(): LogLine[] {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return [];
    const run = current.runOf();
    if (run !== undefined) {
      beginAttempt(current, run);
      this.#ended.add(run);
    }
    return current.lines.toArray();
  }
}

// A run that begins again, as its cell died, writes its lines again.
function beginAttempt(current: Current, { op }: LineSource): void {
  if (current.op !== 0 && current.op !== op) current.lines = new LogStore(current.logBytes);
  current.op = op;
}
