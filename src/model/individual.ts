// One sandbox as plain data: what is exported, imported, and kept in a store.
import type { Ancestry } from "./ancestry.ts";
import type { Limits } from "./limits.ts";
import type { Placement } from "./placement.ts";
import type { ProcessSettings, RestartRule, StateCapture } from "./process.ts";

export const individualFormat = "vivarium.individual/1";

/** One version of a module with its source. */
export interface IndividualVersion {
  readonly version: number;
  readonly source: string;
  readonly checksum: string;
  readonly parent: number | null;
  readonly mutation: unknown;
  readonly createdAt: number;
}

/** All there is to a sandbox: code with its versions, states, limits, character and origin. JSON can say it. */
export interface IndividualBody {
  readonly format: typeof individualFormat;
  readonly id: string;
  readonly createdAt: number;
  readonly modules: Readonly<Record<string, readonly IndividualVersion[]>>;
  /** Revisions oldest first; the last one is current. */
  readonly revisions: readonly {
    readonly revision: number;
    readonly heads: Readonly<Record<string, number>>;
  }[];
  readonly limits: Limits;
  /** The name of its security profile; that of the runtime where it names none. */
  readonly profile?: string;
  /** Anywhere, where it says nothing. */
  readonly placement?: Placement;
  readonly deterministic: { readonly seed: number; readonly now: number } | null;
  readonly ancestry: Ancestry;
  readonly labels: Readonly<Record<string, string>>;
  /** In a sandbox with processes: how they are started and kept, and their states as they were written down. */
  readonly processes?: ProcessSettings;
  readonly state?: StateCapture | null;
  /** Where it begins again by itself when it fails. */
  readonly restart?: RestartRule;
}

/** A body with the checksum that shows whether anyone changed it on its way. */
export interface Individual extends IndividualBody {
  readonly checksum: string;
}
