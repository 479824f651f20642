// A sandbox as it is listed, described, stored and collected: what is on record of it beside its code and its cell.
import type { Ancestry } from "../../model/sandboxes/ancestry.ts";
import type { LatestFitness } from "../../model/fitness.ts";
import type { Placement } from "../../model/sandboxes/placement.ts";
import type { RestartRule } from "../../model/sandboxes/process.ts";
import type { LastError } from "../../model/sandboxes/sandbox-info.ts";
import type { Failed } from "./account.ts";
import type { LogStore } from "./log-store.ts";
import type { SandboxView } from "../sandbox-view.ts";
import type { SandboxKind } from "../sandbox-view.ts";

export interface SandboxRecord extends SandboxView {
  /** Its number among all sandboxes of the runtime. */
  readonly key: number;
  readonly kind: SandboxKind;
  readonly isRestored: boolean;
  readonly placement: Placement;
  readonly ancestry: Ancestry;
  readonly createdAt: number;
  readonly createdMs: number;
  readonly restartRule: RestartRule | null;
  readonly place: { readonly queue: { readonly number: number } } | undefined;
  readonly isQuarantined: boolean;
  readonly restarts: number;
  readonly rebuilds: number;
  readonly failed: Failed | undefined;
  /** Why it failed or was stopped. */
  readonly reason: string | null;
  readonly lastError: LastError | null;
  readonly fitness: LatestFitness | null;
  readonly logs: Pick<LogStore, "toArray" | "last">;
}
