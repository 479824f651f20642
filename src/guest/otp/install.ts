// Entry of the process runtime: a script of its own, evaluated in the isolates of sandboxes that have processes, before any
// guest code.
import { makeApi, AskFailure } from "./api.ts";
import * as control from "./control.ts";
import type { ProcessHost, ProcessLimits } from "./core.ts";
import type { Proc } from "./proc.ts";
import { ProcessLimitReached } from "./process.ts";
import { crash, currentProc, inNameOf } from "./scheduler.ts";

/** The process runtime, as the rest of the guest runtime sees it. */
export interface Processes {
  /** The namespace of "vivarium/guest". */
  readonly api: Record<string, unknown>;
  readonly control: typeof control;
  readonly currentProc: () => unknown;
  readonly fireTimer: (owner: unknown, act: () => void) => void;
  readonly isAskFailure: (error: unknown) => error is AskFailure;
  readonly isProcessLimit: (error: unknown) => boolean;
}

export function install(host: ProcessHost, limits: ProcessLimits): Processes {
  control.connectControl(host, limits);
  return {
    api: makeApi(host),
    control,
    currentProc,
    fireTimer(owner, act) {
      const proc = owner as Proc;
      if (proc.status === "dead") return;
      try {
        inNameOf(proc, act);
      } catch (error) {
        crash(proc, error);
      }
    },
    isAskFailure: (error) => error instanceof AskFailure,
    isProcessLimit: (error) => error instanceof ProcessLimitReached,
  };
}
