// The scripts of sessions: they run one after the other in the order in which they were given, and none that was given up.
import type { Ledger } from "./ledger.ts";

/** Names the script of this number, of those that a session was given. */
export const scriptToken = (session: string, index: number): string => `${session}/${index}`;

export class ScriptBook {
  readonly #ledger: Ledger;
  /** By session: which of its scripts have ended. */
  readonly #ended = new Map<string, Set<number>>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  open(session: string): void {
    this.#ended.set(session, new Set());
  }

  /** The caller of a script is told how it ended. */
  end(session: string, index: number): void {
    this.#ended.get(session)?.add(index);
  }

  /** A script is sent to a cell. */
  sent(token: string): void {
    const [session = "", number = ""] = token.split("/");
    const ended = this.#ended.get(session);
    if (ended === undefined) return;
    const index = Number(number);
    if (ended.has(index))
      this.#ledger.blame("order", `${token} is sent after its caller was told of its end`);
    for (let before = 0; before < index; before++)
      if (!ended.has(before)) this.#ledger.blame("order", `${token} is sent, and ${before} has not ended`);
  }
}
