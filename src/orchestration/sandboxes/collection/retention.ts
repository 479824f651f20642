// Retention policies of callers, which name sandboxes that are no longer needed. A policy that fails names none.
import { InvalidOptionsError } from "../../../model/errors.ts";
import { show } from "../../../model/show.ts";

/** Gets the ids of all sandboxes at each sweep, and returns those that may be destroyed. */
export type RetentionPolicy = (living: readonly string[]) => Iterable<string>;

export interface RetentionDecision {
  readonly unwanted: ReadonlySet<string>;
  /** Why policies failed, one sentence each. */
  readonly failures: readonly string[];
}

const policiesMax = 16;

export class Retention {
  readonly #policies = new Set<{ readonly policy: RetentionPolicy }>();

  /** Returns a function that removes the policy. */
  add(policy: RetentionPolicy): () => void {
    if (typeof policy !== "function") {
      const message = `Cannot use policy as it must be a function: got ${show(policy)}`;
      throw new InvalidOptionsError(message, "policy");
    }
    if (this.#policies.size >= policiesMax) {
      const rule = `there must be at most ${policiesMax}`;
      throw new InvalidOptionsError(`Cannot use another policy as ${rule}: there are`, "policy");
    }
    const entry = { policy };
    this.#policies.add(entry);
    return () => this.#policies.delete(entry);
  }

  get isIdle(): boolean {
    return this.#policies.size === 0;
  }

  ask(living: readonly string[]): RetentionDecision {
    const unwanted = new Set<string>();
    const failures: string[] = [];
    for (const { policy } of this.#policies) {
      try {
        const named = policy(living);
        if (named instanceof Promise) named.catch(() => {});
        // All of its answer or nothing: what an iteration that throws has named so far does not count.
        for (const id of [...named]) unwanted.add(id);
      } catch (error) {
        failures.push(String(error));
      }
    }
    return { unwanted, failures };
  }
}
