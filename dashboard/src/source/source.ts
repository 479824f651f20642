// Where the page has its data from: a server, or a document that says all of an evolution.
import type { Scope } from "../../../src/contract/operations.ts";
import type { IndividualReport } from "../../../src/contract/evolution-bodies.ts";
import type { RemoteRuntime } from "../../../src/client/types.ts";

export interface Source {
  /** In words: an address, a folder, a file. */
  readonly origin: string;
  /** What may be done. */
  readonly scope: Scope;
  /** The runtime to ask and to act on; null for a document. */
  readonly runtime: RemoteRuntime | null;
  /** The time that is shown of a document; null for a server. */
  readonly slider: Slider | null;
  /** All that is known of one individual; null where it is not known any more. */
  individual(id: string): Promise<IndividualReport | null>;
  /** Ends what it does. */
  close(): void;
}

/** Moves through the time of a document. */
export interface Slider {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** How many evaluations are known at the end. */
  readonly evaluated: number;
  /** Shows what was known at that time. */
  seek(at: number): void;
}

/** Whether something that wants this scope may be done. */
export function allows(scope: Scope, wanted: Scope): boolean {
  const order: readonly Scope[] = ["read", "evaluate", "admin"];
  return order.indexOf(scope) >= order.indexOf(wanted);
}
