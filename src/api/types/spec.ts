// What a sandbox is made from: a spec, a parent, or an individual.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { AncestrySpec } from "../../model/sandboxes/ancestry.ts";
import type { Limits } from "../../model/limits.ts";
import type { CheckpointMode, RestartRule } from "../../model/sandboxes/process.ts";
import type { CapabilityGrants } from "../options/capability-options.ts";
import type { CancelOptions } from "./cancel.ts";

/** Which sandboxes may share a cell, or an isolate, with this one. */
export interface PlacementSpec {
  /** Sandboxes of different tenants, and those of none, never share a cell. */
  readonly tenant?: string;
  /** A cell for this sandbox alone. */
  readonly exclusive?: boolean;
  /**
   * Several dense sandboxes of one cell share an isolate: less memory and faster creation, in exchange for a common memory limit,
   * one entry at a time, and no WebAssembly or shared memory. Default: false.
   */
  readonly dense?: boolean;
}

/** Randomness and time of a sandbox that gives the same outcomes again. */
export interface DeterministicSpec {
  /** What all randomness comes from, 0–4,294,967,295. */
  readonly seed: number;
  /** The time at which it begins, in milliseconds since the epoch. Default: now. */
  readonly now?: number;
}

/** A sandbox to be. Of a creation that is given up nothing is left. */
export interface SandboxSpec extends CancelOptions {
  /** Module names and their sources (TypeScript, JavaScript or JSX), or modules compiled before. */
  readonly modules?: Readonly<Record<string, string | Artifact>>;
  /** Instead of modules: a file, or a folder with an index, a main, or a package.json that names its entry. */
  readonly path?: string;
  /** Follow the files: what changes in them is reloaded. */
  readonly autoReload?: boolean;
  /** The module whose supervisor (its default export, or `supervisor`) is the root of a tree of processes. */
  readonly supervisor?: string;
  /** When the states of processes are persisted without being asked for: after every message, or regularly. */
  readonly checkpoint?: CheckpointMode;
  /**
   * Begins again by itself when it fails, from its last checkpoint: for which reasons (all but `load` unless it says
   * otherwise), and how often within the window (3 within a minute). After that it stays failed, as it does without this.
   */
  readonly restart?: Partial<RestartRule>;
  /** Its limits, each by name. Default: those of its profile and of the runtime. */
  readonly limits?: Partial<Limits>;
  /** The name of its security profile. Default: that of the runtime. */
  readonly profile?: string;
  /** Which sandboxes may share its cell or its isolate. */
  readonly placement?: PlacementSpec;
  /** Randomness and time come from here: the same seed and the same calls give the same outcomes. */
  readonly deterministic?: DeterministicSpec;
  /** Where it comes from, for lineage: parents, generation, what was changed. */
  readonly ancestry?: AncestrySpec;
  /** Texts by name, to find sandboxes by: at most 256, of 65,536 characters in all. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What it may ask of the host, of what the runtime has registered; by name, or with quotas. */
  readonly capabilities?: CapabilityGrants;
}

/** Of a creation that is given up nothing is left. */
export interface ForkOptions extends CancelOptions {
  /** The id. Default: one is made up. */
  readonly id?: string;
  /** Modules that differ from the parent's. */
  readonly modules?: Readonly<Record<string, string | Artifact>>;
  /** What was changed, in the caller's own words: any JSON. Default: null. */
  readonly mutation?: unknown;
  /** The child's processes begin with the states that the parent's have now. */
  readonly state?: boolean;
}

/** Of an import that is given up nothing is left. */
export interface ImportOptions extends CancelOptions {
  /** The id. Default: one is made up. */
  readonly id?: string;
  /**
   * Limits that the caller sets, higher or lower. Default: the individual's own, each lowered to what this runtime gives a
   * sandbox of the profile.
   */
  readonly limits?: Partial<Limits>;
  /** The security profile. Default: the individual's own, which must be no laxer than the runtime's. */
  readonly profile?: string;
  /** Which sandboxes may share its cell. Required for an individual that names a tenant. */
  readonly placement?: PlacementSpec;
  /** What it may ask of the host. Default: nothing. */
  readonly capabilities?: CapabilityGrants;
}
