// The console lines of a session: those of the script that is running, and each as it comes for whoever listens.
import type { LogLine } from "../../model/runs/log-line.ts";
import type { LineListener } from "../../orchestration/sandboxes/account.ts";
import { LogStore } from "../../orchestration/sandboxes/log-store.ts";

export class ScriptOutput {
  readonly #onOutput: LineListener | undefined;
  #lines: LogStore | undefined;

  constructor(onOutput: LineListener | undefined) {
    this.#onOutput = onOutput;
  }

  /** What its sandbox calls with each line. */
  readonly onLine: LineListener = (line) => {
    this.#lines?.push(line);
    return this.#onOutput?.(line);
  };

  /** A script begins. */
  begin(logBytes: number): void {
    this.#lines = new LogStore(logBytes);
  }

  /** It ends: its lines. */
  end(): LogLine[] {
    const lines = this.#lines?.toArray() ?? [];
    this.#lines = undefined;
    return lines;
  }
}
