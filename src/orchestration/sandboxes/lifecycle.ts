// The status of one sandbox, changed along the table of the life cycle by its owner alone.
import { transition, type Signal, type Status } from "../../model/sandboxes/status.ts";
import { assert } from "../../std/assert.ts";

/** In these statuses a sandbox has an isolate, or gets one. */
const assignable: ReadonlySet<Status> = new Set(["creating", "running", "reloading", "suspended"]);

export class Lifecycle {
  #status: Status = "creating";
  #before: Status = "creating";

  get status(): Status {
    return this.#status;
  }

  /** What it was before its latest move. */
  get statusBefore(): Status {
    return this.#before;
  }

  get mayBeAssigned(): boolean {
    return assignable.has(this.#status);
  }

  can(signal: Signal): boolean {
    return transition(this.#status, signal) !== undefined;
  }

  move(signal: Signal): void {
    const next = transition(this.#status, signal);
    assert(next !== undefined, `a sandbox that is ${this.#status} takes no ${signal}`);
    this.#before = this.#status;
    this.#status = next;
  }
}
