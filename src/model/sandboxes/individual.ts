// One sandbox as plain data: what is exported, imported, and saved in a store.
import type { Ancestry } from "./ancestry.ts";
import type { Limits } from "../limits.ts";
import type { Placement } from "./placement.ts";
import type { ProcessSettings, RestartRule, StateCapture } from "./process.ts";

export const individualFormat = "vivarium.individual/2";

/** One version of a module with its source. */
export interface IndividualVersion {
  readonly version: number;
  readonly source: string;
  readonly checksum: string;
  readonly parent: number | null;
  readonly mutation: unknown;
  readonly createdAt: number;
}

/** Everything about a sandbox that JSON can express: code with its versions, states, limits, settings and ancestry. */
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
  /** The name of its security profile. Default: that of the runtime. */
  readonly profile?: string;
  /** Default: anywhere. */
  readonly placement?: Placement;
  readonly deterministic: { readonly seed: number; readonly now: number } | null;
  readonly ancestry: Ancestry;
  readonly labels: Readonly<Record<string, string>>;
  /** In a sandbox with processes: how they are started and checkpointed, and their captured states. */
  readonly processes?: ProcessSettings;
  readonly state?: StateCapture | null;
  /** When it is restarted automatically after a failure. */
  readonly restart?: RestartRule;
}

/** A body with a checksum that shows whether it was changed since it was exported. */
export interface Individual extends IndividualBody {
  readonly checksum: string;
  /** Proves that it was exported by a runtime with the same `signingKey`; absent where that has none. */
  readonly signature?: string;
}
