// The streams of a run: what callers asked for and were told, and what was asked of cells.
import type { StreamStep } from "../../src/execution/protocol/run-parts.ts";
import type { Ledger } from "./ledger.ts";

interface Entry {
  /** Calls of `next()`. */
  asked: number;
  /** Its caller was told that it has ended. */
  isOver: boolean;
  /** The sandbox was asked to end it. */
  isEnded: boolean;
}

export class StreamBook {
  readonly #ledger: Ledger;
  readonly #byToken = new Map<string, Entry>();
  readonly #tokens = new Map<number, string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A part is asked for. */
  ask(token: string): void {
    const entry = this.#byToken.get(token) ?? { asked: 0, isOver: false, isEnded: false };
    entry.asked++;
    this.#byToken.set(token, entry);
  }

  /** Its caller is told that it has ended. */
  end(token: string): void {
    const entry = this.#byToken.get(token);
    if (entry !== undefined) entry.isOver = true;
  }

  /** A step is sent to a cell; the first one says whose it is. */
  sent({ id, verb }: StreamStep, first: string): void {
    if (verb === "open") this.#tokens.set(id, first);
    const token = this.#tokens.get(id) ?? "";
    const entry = this.#byToken.get(token);
    if (entry === undefined) return;
    const why = entry.isOver ? "its caller was told of its end" : entry.isEnded ? "it was ended" : undefined;
    if (verb === "end") entry.isEnded = true;
    else if (why !== undefined) this.#ledger.blame("after-end", `${verb} is asked of ${token} after ${why}`);
  }

  /** A guest produces a part. */
  produced(token: string, at: number): void {
    const asked = this.#byToken.get(token)?.asked ?? 0;
    if (at >= asked)
      this.#ledger.blame("unasked", `${token} produced part ${at}, and ${asked} were asked for`);
  }
}
