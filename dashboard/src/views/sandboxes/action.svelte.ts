// What is done to sandboxes: one thing at a time, so that a double click does it once; it can be given up, and what came of it is said.
import { page } from "../../state.svelte.ts";
import { failureText, isGivenUp } from "./failures.ts";

export class Action {
  /** What is under way, in words; null where nothing is. */
  busy: string | null = $state(null);
  #end: AbortController | null = null;

  /** Does it unless something is under way. `act` answers what is to be said. Returns whether it was done. */
  async run(what: string, act: (signal: AbortSignal) => Promise<string>): Promise<boolean> {
    if (this.busy !== null) return false;
    this.busy = what;
    const end = (this.#end = new AbortController());
    try {
      page.notice = { kind: "done", text: await act(end.signal) };
      return true;
    } catch (error) {
      const text = isGivenUp(error, end.signal) ? `Given up: ${what}` : failureText(error);
      page.notice = { kind: "failed", text };
      return false;
    } finally {
      this.busy = null;
    }
  }

  giveUp(): void {
    this.#end?.abort();
  }
}
