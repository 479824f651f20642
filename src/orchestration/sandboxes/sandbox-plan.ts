// The complete options of a sandbox that is to be created.
import type { SourceTree } from "../../code/files/source-tree.ts";
import type { Character } from "../../execution/protocol/messages.ts";
import type { Ancestry } from "../../model/sandboxes/ancestry.ts";
import type { LoadError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { Placement } from "../../model/sandboxes/placement.ts";
import type { ProcessSettings, RestartRule, StateCapture } from "../../model/sandboxes/process.ts";
import type { CapabilityQuota } from "../../model/sandboxes/sandbox-info.ts";
import type { Profile } from "../../security/profile.ts";
import type { SandboxKind } from "../sandbox-view.ts";
import type { StoredRecord } from "../../store/store.ts";
import type { LineListener } from "./account.ts";
import type { FirstCode } from "./operations/first-revision.ts";

export interface SandboxPlan {
  readonly id: SandboxId;
  /** Sources, modules compiled before, or the version history of an earlier sandbox. */
  readonly code: FirstCode;
  /** The files that the modules were read from, if any. */
  readonly tree?: SourceTree | undefined;
  readonly processes?: ProcessSettings | null | undefined;
  /** States that its processes begin with. */
  readonly capture?: StateCapture | null | undefined;
  /** When it is restarted by itself after a failure. */
  readonly restart?: RestartRule | null | undefined;
  /** What is wrong with its code, where that is known already. */
  readonly loadError?: LoadError | undefined;
  readonly limits: Limits;
  readonly profile: Profile;
  readonly placement: Placement;
  readonly character: Character;
  readonly ancestry: Ancestry;
  readonly labels: Readonly<Record<string, string>>;
  /** The capabilities that it is granted, with quotas. */
  readonly capabilities?: ReadonlyMap<string, CapabilityQuota> | undefined;
  /** It comes from the store: it is not collected where it cannot be loaded. */
  readonly isRestored?: boolean;
  /** It is made for one task and not stored unless it is kept. */
  readonly isTemporary?: boolean;
  /** Where its code fails no record is left, as nobody would have a handle of it. */
  readonly isGoneIfBroken?: boolean;
  /** What became of it in an earlier runtime. */
  readonly record?: StoredRecord | undefined;
  /** When it was created, where that was in an earlier runtime. */
  readonly createdAt?: number | undefined;
  /** Called with each of its console lines, as long as it lives. */
  readonly onLine?: LineListener | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ManagedSandboxPlan extends Omit<SandboxPlan, "code" | "loadError" | "signal"> {
  readonly kind: SandboxKind;
  readonly key: number;
  readonly createdAt: number;
  readonly createdMs: number;
}
