// A sandbox to be.
import type { SourceTree } from "../../code/files/source-tree.ts";
import type { Character } from "../../execution/protocol/messages.ts";
import type { Ancestry } from "../../model/ancestry.ts";
import type { LoadError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { Placement } from "../../model/placement.ts";
import type { ProcessSettings, RestartRule, StateCapture } from "../../model/process.ts";
import type { CapabilityQuota } from "../../model/sandbox-info.ts";
import type { Profile } from "../../security/profile.ts";
import type { FirstCode } from "./first-revision.ts";

/** A sandbox to be, every option complete. */
export interface SandboxPlan {
  readonly id: SandboxId;
  /** Sources, or modules compiled before; or the versions of a sandbox that was. */
  readonly code: FirstCode;
  /** Where the modules were read from, when they were. */
  readonly tree?: SourceTree | undefined;
  readonly processes?: ProcessSettings | null | undefined;
  /** States that its processes begin with. */
  readonly capture?: StateCapture | null | undefined;
  /** Whether it begins again by itself when it fails. */
  readonly restart?: RestartRule | null | undefined;
  /** What was wrong with its code, when that is known already. */
  readonly loadError?: LoadError | undefined;
  readonly limits: Limits;
  readonly profile: Profile;
  readonly placement: Placement;
  readonly character: Character;
  readonly ancestry: Ancestry;
  readonly labels: Readonly<Record<string, string>>;
  /** What it is granted, with quotas. */
  readonly capabilities?: ReadonlyMap<string, CapabilityQuota> | undefined;
  /** It comes from the store, and what the store has is not collected. */
  readonly isRestored?: boolean;
  /** When it was made, where that was before. */
  readonly createdAt?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What it is for: itself, or a moment's help for another, of which nobody need know. */
export type SandboxKind = "individual" | "helper";

export interface ManagedSandboxPlan extends Omit<SandboxPlan, "code" | "loadError" | "signal"> {
  readonly kind: SandboxKind;
  readonly key: number;
  readonly createdAt: number;
  readonly createdMs: number;
}
