// Entry of the process runtime: a script of its own, evaluated in the isolates of sandboxes that have processes, before any
// guest code.
import { makeApi, AskFailure } from "./api.ts";
import * as control from "./control.ts";
import type { ProcessHost, ProcessLimits } from "./core.ts";
import type { Proc, SystemReason } from "./proc.ts";
import { originOf, ProcessLimitReached } from "./reasons.ts";
import { MigrationFailure } from "./states/reload.ts";
import { crash, currentProc, runAs, resume } from "./scheduler.ts";

/** The process runtime, as the rest of the guest runtime sees it. */
export interface Processes {
  /** The namespace of "vivarium/guest". */
  readonly api: Record<string, unknown>;
  readonly control: typeof control;
  readonly currentProc: () => unknown;
  readonly fireTimer: (owner: unknown, act: () => void) => void;
  readonly isAskFailure: (error: unknown) => error is AskFailure;
  /** The reason where the runtime set it. */
  readonly systemReasonOf: (error: AskFailure) => SystemReason | undefined;
  /** What could not be migrated, and what was thrown; undefined for any other error. */
  readonly migrationFailureOf: (error: unknown) => readonly [what: string, thrown: unknown] | undefined;
  readonly isProcessLimit: (error: unknown) => boolean;
  /** What was thrown, by what a reason tells of it. */
  readonly originOf: (flat: object) => unknown;
}

export function install(host: ProcessHost, limits: ProcessLimits): Processes {
  control.connectControl(host, limits);
  return {
    api: makeApi(host),
    control,
    currentProc,
    fireTimer(owner, act) {
      const proc = owner as Proc;
      resume(proc, () => {
        try {
          runAs(proc, act);
        } catch (error) {
          crash(proc, error);
        }
      });
    },
    isAskFailure: AskFailure.is,
    systemReasonOf: AskFailure.systemReasonOf,
    migrationFailureOf: (error) =>
      MigrationFailure.is(error) ? [error.message, MigrationFailure.thrownOf(error)] : undefined,
    isProcessLimit: ProcessLimitReached.is,
    originOf,
  };
}
