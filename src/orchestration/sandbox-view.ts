// A sandbox as cells, runs, processes and reloads may read it. Its owner, sandboxes/managed-sandbox.ts, implements this.
import type { LoadOrder } from "../code/modules/load-order.ts";
import type { Placement } from "../model/sandboxes/placement.ts";
import type { Artifact } from "../code/modules/artifact.ts";
import type { VersionLog } from "../code/modules/version-log.ts";
import type { Character } from "../execution/protocol/messages.ts";
import type { SandboxId } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import type { ProcessSettings } from "../model/sandboxes/process.ts";
import type { TotalUsage } from "../model/sandboxes/sandbox-info.ts";
import type { Status } from "../model/sandboxes/status.ts";
import type { GrantUsage } from "../security/capability.ts";
import type { Profile } from "../security/profile.ts";
import type { WorkOwner } from "../std/admission.ts";
import type { ServiceMeter } from "../std/service-meter.ts";
import type { CheckpointView } from "./processes/checkpoint.ts";

/** A caller's sandbox, or a helper that exists for one task, without events and not stored. */
export type SandboxKind = "individual" | "helper";

export interface SandboxView {
  readonly id: SandboxId;
  readonly kind: SandboxKind;
  readonly status: Status;
  readonly limits: Limits;
  readonly profile: Profile;
  readonly placement: Placement;
  readonly character: Character;
  readonly labels: Readonly<Record<string, string>>;
  /** What it may ask of the host. */
  readonly grants: GrantUsage;
  /** Every version of its modules, and which of them are current. */
  readonly versions: VersionLog;
  readonly modules: ReadonlyMap<string, Artifact>;
  /** The names of its modules in the order of evaluation. */
  readonly order: LoadOrder;
  readonly processes: ProcessSettings | null;
  /** The states of its processes as they were last captured. */
  readonly checkpoint: CheckpointView;
  readonly usage: TotalUsage;
  /** The processor time that its runs used lately. */
  readonly service: ServiceMeter;
}

/** Whose long work it is where something is done for this sandbox. */
export const workOwnerOf = ({ id, placement }: Pick<SandboxView, "id" | "placement">): WorkOwner => ({
  tenant: placement.tenant,
  sandbox: id,
});
