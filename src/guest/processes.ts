// The cell's access to the process runtime, which is a separate script, in sandboxes that have processes.
import { decode } from "../model/wire/decode.ts";
import { encode } from "../model/wire/encode.ts";
import { parse } from "../model/wire/intrinsics.ts";
import { steadyNow } from "./globals/clock.ts";
import type { Host } from "./host.ts";
import { isOutOfFuel } from "./fuel.ts";
import { defineBuiltin, moduleBeingEvaluated, namespaceOf, type Namespace } from "./modules.ts";
import type { AskFailure } from "./otp/api.ts";
import type { Processes } from "./otp/install.ts";
import type { ErrorReason } from "./otp/types.ts";
import type { ProcessHost, ProcessLimits } from "./otp/core.ts";
import { describe, flatten } from "./thrown.ts";
import { clearTimer, setTimerOwners, setTimer } from "./globals/timers.ts";

const stateBytesMax = 64 * 2 ** 20;

let installed: Processes | undefined;

/** The script of the process runtime. */
export type Install = (host: ProcessHost, limits: ProcessLimits) => Processes;

/** Installs the process runtime; from here on modules can import "vivarium/guest". */
export function installProcesses(install: Install, limits: string, host: Host): void {
  installed = install(
    {
      wake: host.wake,
      report: host.report,
      now: steadyNow,
      isOutOfFuel,
      setTimer: (act, delayMs) => setTimer(act, delayMs, { repeats: false, args: [] }),
      clearTimer,
      flatten,
      describe,
      moduleBeingEvaluated,
      encode: (value, bytesMax = stateBytesMax) => encode(value, bytesMax, "kept"),
      decode,
    },
    parse(limits) as ProcessLimits,
  );
  const { api, currentProc, fireTimer } = installed;
  defineBuiltin("vivarium/guest", api as Namespace, true);
  setTimerOwners({ current: currentProc, fire: fireTimer });
}

/** The process runtime; undefined in a sandbox without processes. */
export function processes(): Processes | undefined {
  return installed;
}

/** Operations on processes that are too rare for a function each, by name. */
export function manage(verb: string, first: string, second: string): unknown {
  const { control } = required();
  switch (verb) {
    case "start": {
      const space = namespaceOf(first);
      return control.startTree(space["default"] ?? space["supervisor"], second, first);
    }
    case "capture":
      return control.capture();
    case "hold":
      return control.suspendAndCapture(parse(first) as string[], second);
    case "suspend":
      return control.suspendServers(parse(first) as string[], "");
    case "migrate":
      return control.migrateServers(parse(first) as Record<string, [number, number]>, second);
    case "prepared":
      return control.preparedStates();
    case "report":
      return control.migrationReport();
    case "resume":
      return control.resumeServers(first === "commit");
    case "describe":
      return control.describeAll();
    case "limits":
      return control.setLimits(parse(first) as ProcessLimits);
    default:
      throw new TypeError(`Cannot manage processes: ${verb}`);
  }
}

/** Delivers a question of the host's to a process. `done` gets a function that returns the answer or throws, once. */
export function askProcess(
  op: number,
  question: { readonly name: string; readonly messageText: string },
  done: (answer: () => unknown) => void,
): void {
  const { name, messageText } = question;
  required().control.askFromHost(op, { name, message: decode(messageText) }, done);
}

/** Delivers a message of the host's to a process. */
export function sendProcess(name: string, messageText: string): void {
  required().control.sendFromHost(name, decode(messageText));
}

function required(): Processes {
  if (installed !== undefined) return installed;
  throw new TypeError(
    'Cannot reach processes as the sandbox has none: import from "vivarium/guest" when it is created',
  );
}

/** Why a process did not answer: a code, a message, and what was thrown where it crashed. */
export function unansweredOf(error: AskFailure): readonly unknown[] {
  const { message } = flatten(error);
  const { reason } = error;
  const systemReason = processes()?.systemReasonOf(error);
  // A guest may give any reason: its parts are read and cut as those of anything that was thrown.
  const thrown = typeof reason === "object" ? (reason as Partial<ErrorReason> | null)?.error : undefined;
  if (systemReason !== undefined || typeof thrown !== "object" || thrown === null)
    return [systemReason ?? "ended", message];
  const [name, text, stack, more] = describe(processes()?.originOf(thrown) ?? thrown);
  return ["crashed", message, name, text, stack, more];
}
