// Which long works may be under way: one of each tenant, so that a tenant has only one at a time half done in memory. The
// sandboxes of a tenant take turns.
import { RoundQueue } from "./round-queue.ts";

/** Whose work it is. */
export interface WorkOwner {
  /** Undefined for work that is no tenant's. */
  readonly tenant: string | null | undefined;
  /** The sandbox that it is for, by any unique name. */
  readonly sandbox: string;
}

interface Waiting {
  readonly sandbox: string;
  readonly begin: () => void;
}

export class Admission {
  /** The tenants that have a work under way, and what else of theirs waits. */
  readonly #busy = new Map<WorkOwner["tenant"], RoundQueue<string, Waiting>>();

  /** Resolves when the work may begin, with a function to call when it is done. */
  async begin({ tenant, sandbox }: WorkOwner): Promise<() => void> {
    const waiting = this.#busy.get(tenant);
    if (waiting === undefined) this.#busy.set(tenant, new RoundQueue((work) => work.sandbox));
    else await new Promise<void>((resolve) => waiting.push({ sandbox, begin: resolve }));
    return () => this.#end(tenant);
  }

  #end(tenant: WorkOwner["tenant"]): void {
    const next = this.#busy.get(tenant)?.shift();
    if (next === undefined) this.#busy.delete(tenant);
    else next.begin();
  }
}
