// A session between requests. Its output goes to whoever runs the script that writes it.
import type { CallOptions, LogLine, ScriptOutcome, Session } from "../../index.ts";
import { QuotaExceededError } from "../access/refusals.ts";
import type { Held } from "./handles.ts";

/** How many scripts of one session may wait. */
const waitingMax = 1_000;

/** Where the console lines of a session go at present. */
export class OutputRoute {
  listener: ((line: LogLine) => void) | undefined;
  readonly onOutput = (line: LogLine): void => this.listener?.(line);
}

export class HeldSession implements Held {
  readonly sandboxId: string;
  readonly idleMs: number;
  readonly #session: Session;
  readonly #route: OutputRoute;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(session: Session, route: OutputRoute, idleMs: number) {
    this.#session = session;
    this.#route = route;
    this.sandboxId = session.id;
    this.idleMs = idleMs;
  }

  /** Runs a script when those before it have ended. */
  run(source: string, options: CallOptions, onOutput?: (line: LogLine) => void): Promise<ScriptOutcome> {
    if (this.#waiting >= waitingMax) {
      const message = `Cannot run the script as at most ${waitingMax} of a session may wait: there are as many`;
      return Promise.reject(new QuotaExceededError(message, null));
    }
    this.#waiting++;
    const outcome = this.#tail.then(async () => {
      this.#waiting--;
      this.#route.listener = onOutput;
      try {
        return await this.#session.run(source, options);
      } finally {
        this.#route.listener = undefined;
      }
    });
    this.#tail = outcome.catch(() => {});
    return outcome;
  }

  end(options?: { readonly deadlineMs?: number }): Promise<void> {
    return this.#session.close(options);
  }
}
