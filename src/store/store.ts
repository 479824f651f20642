// Where sandboxes are kept beyond the life of a process. What was acknowledged to a caller was kept before.
import type { Ancestry } from "../model/ancestry.ts";
import type { Limits } from "../model/limits.ts";

/** One sandbox as it is kept: enough to bring it back at its head revision. */
export interface StoredSandbox {
  readonly id: string;
  readonly createdAt: number;
  readonly revision: number;
  readonly sources: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly deterministic: { readonly seed: number; readonly now: number } | null;
  readonly ancestry: Ancestry;
  readonly labels: Readonly<Record<string, string>>;
}

/** A keeper of sandboxes. Every method may reject; the runtime then says `STORE_FAILED` to whoever asked. */
export interface Store {
  /** Everything that is kept, in the order of creation. Called once, before anything else. */
  open(): Promise<readonly StoredSandbox[]>;
  /** Keeps a sandbox, new or changed. Resolves when it is safe. */
  save(sandbox: StoredSandbox): Promise<void>;
  /** Forgets a sandbox; one that is not kept is no mistake. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}
