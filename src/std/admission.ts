// Which long works may be under way: one of each tenant, so that a tenant has only one half done in memory at a time, and one
// more that is not very long, which so does not have to wait for one that is. The sandboxes of a tenant take turns.
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

/** A work of this size is very long. */
const lengthMax = 1_000_000;

/** The tenants that have a work under way, and what else of theirs waits. */
type Busy = Map<WorkOwner["tenant"], RoundQueue<string, Waiting>>;

export class Admission {
  readonly #long: Busy = new Map();
  readonly #short: Busy = new Map();

  /** Resolves when a work of this size may begin, with a function to call when it is done. */
  async begin({ tenant, sandbox }: WorkOwner, length: number): Promise<() => void> {
    const busy = length < lengthMax ? this.#short : this.#long;
    const waiting = busy.get(tenant);
    if (waiting === undefined) busy.set(tenant, new RoundQueue((work) => work.sandbox));
    else await new Promise<void>((resolve) => waiting.push({ sandbox, begin: resolve }));
    return () => end(busy, tenant);
  }
}

function end(busy: Busy, tenant: WorkOwner["tenant"]): void {
  const next = busy.get(tenant)?.shift();
  if (next === undefined) busy.delete(tenant);
  else next.begin();
}
