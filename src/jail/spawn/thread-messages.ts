// The messages between the orchestrator and its starter thread.
import type { ChildSettings, User } from "./child.ts";
import type { JailLayer } from "../layers.ts";
import type { Paths } from "../landlock.ts";

/** What the thread applies to itself, and thereby to its children. */
export interface ThreadData {
  readonly layers: readonly JailLayer[];
  readonly paths: Paths;
  readonly user: User | undefined;
}

/** Start a child; the descriptors become its pipe and its tether. */
export interface SpawnRequest {
  readonly id: number;
  readonly settings: ChildSettings;
  readonly pipeFd: number;
  readonly tetherFd: number;
}

/** What became of a child. */
export type ChildReport =
  | { readonly t: "started"; readonly id: number; readonly pid: number }
  | { readonly t: "failed"; readonly id: number; readonly message: string }
  | { readonly t: "ended"; readonly id: number; readonly how: string; readonly said: string };

/** `entered`: it is in the jail. Terminated before that, it would leave open what it had opened. */
export type ThreadReport = { readonly t: "entered" } | ChildReport;
