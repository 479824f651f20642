// The runs of each sandbox that wait for the main lane of one cell, and whose turn it is. What is known of a sandbox stays until
// it leaves the cell: thousands of runs come and go with nothing made for each.
import { Queue } from "../../std/queue.ts";
import type { RunTicket } from "../runs/ticket.ts";

/** Of a line whose runs stay here for now. */
export const heldLevel = -1;

/** The runs of one sandbox, in their order. They are all of one level. */
export class RunLine {
  readonly key: number;
  readonly items: Queue<RunTicket> = new Queue();
  level = 0;
  /** How many of its runs wait for it at the cell. */
  aside = 0;
  /** At which levels it stands among the turns, one bit for each. */
  turnsAt = 0;
  /** Its sandbox has left the cell. */
  isForgotten = false;

  constructor(key: number) {
    this.key = key;
  }
}

/** Whose turn it is at one level: each line gives one run, then the next one does. */
export class Turns {
  readonly #level: number;
  /** Among them some that have no runs at this level any more. */
  readonly #lines = new Queue<RunLine>();
  readonly #onShift: (line: RunLine) => void;

  /** `onShift` is called when a line has given a run. */
  constructor(level: number, onShift: (line: RunLine) => void) {
    this.#level = level;
    this.#onShift = onShift;
  }

  /** A line has a run at this level. */
  add(line: RunLine): void {
    const bit = 1 << this.#level;
    if ((line.turnsAt & bit) !== 0) return;
    line.turnsAt |= bit;
    this.#lines.push(line);
  }

  peek(): RunTicket | undefined {
    return this.#next()?.items.peek();
  }

  shift(): RunTicket | undefined {
    const line = this.#next();
    if (line === undefined) return undefined;
    this.#lines.shift();
    const ticket = line.items.shift();
    if (line.items.size > 0) this.#lines.push(line);
    else line.turnsAt &= ~(1 << this.#level);
    this.#onShift(line);
    return ticket;
  }

  #next(): RunLine | undefined {
    for (;;) {
      const line = this.#lines.peek();
      if (line === undefined || (line.items.size > 0 && line.level === this.#level)) return line;
      this.#lines.shift();
      line.turnsAt &= ~(1 << this.#level);
    }
  }
}

/** The lines of one cell, by the numbers of isolates. */
export class RunLines {
  readonly #byKey = new Map<number, RunLine>();

  get(key: number): RunLine | undefined {
    return this.#byKey.get(key);
  }

  open(key: number): RunLine {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const line = new RunLine(key);
    this.#byKey.set(key, line);
    return line;
  }

  delete(key: number): void {
    this.#byKey.delete(key);
  }

  /** The sandbox has left the cell: its line goes as soon as it is empty. */
  forget(key: number): void {
    const line = this.#byKey.get(key);
    if (line === undefined) return;
    line.isForgotten = true;
    this.deleteIfOver(line);
  }

  deleteIfOver(line: RunLine): void {
    if (line.isForgotten && line.items.size === 0) this.#byKey.delete(line.key);
  }

  all(): RunLine[] {
    return [...this.#byKey.values()];
  }
}
