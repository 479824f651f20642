// Exit reasons as data and as text, and the reports of processes to the host.
import { processDetailMax } from "../../model/runs/report-bounds.ts";
import { thrownMax } from "../../model/runs/thrown-bounds.ts";
import { slice, stringify, uncurry } from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import type { Proc } from "./proc.ts";
import type { ErrorReason, ExitReason } from "./types.ts";

/** How many starts and exits are reported in a second; the host has no use for more. */
const reportsPerSecond = 200;

/** What is left of an end that is too long to be told whole; a letter may take six. */
const stackLengthMin = 2_000;
const textLengthMin = 1_300;

/** What each reason was made of, for the host, which is told more of it. */
const origins = new WeakMap<object, unknown>();
const getOrigin = uncurry(origins.get) as (map: unknown, key: object) => unknown;
const setOrigin = uncurry(origins.set) as (map: unknown, key: object, value: unknown) => unknown;

let host: ProcessHost;
let reportsLeft = 0;
let reportsSinceMs = -Infinity;

export function connectReasons(given: ProcessHost): void {
  host = given;
}

/** The sandbox has as many processes as it may. */
export class ProcessLimitReached extends Error {
  // Only an error that was made here has this field.
  readonly #max: number;

  constructor(max: number) {
    super(`Cannot start a process as the sandbox may have at most ${max}: it has as many`);
    this.name = "ProcessLimitReached";
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  static is(error: unknown): boolean {
    return typeof error === "object" && error !== null && #max in error;
  }
}

/** What was thrown, as a reason. */
export function reasonOf(error: unknown): ErrorReason {
  const flat = host.flatten(error);
  setOrigin(origins, flat, error);
  return { error: flat };
}

/** What was thrown, where a reason tells of it. */
export function originOf(flat: object): unknown {
  return getOrigin(origins, flat);
}

/** What was thrown, where that is a reason. */
export function thrownIn(reason: ExitReason): unknown {
  try {
    return originOf((reason as ErrorReason).error);
  } catch {
    return undefined;
  }
}

/** The end of a tree for the host, as a list: a text, and what was thrown, as far as there is room for it. */
export function endOfTree(text: string, reason: ExitReason): string {
  try {
    const thrown = thrownIn(reason);
    const told = thrown === undefined ? undefined : withThrown(text, thrown);
    const alone = told ?? stringify([text]);
    if (alone.length <= processDetailMax) return alone;
  } catch {
    // The guest has changed how lists become text: the tree has ended all the same.
  }
  return stringify([slice(text, 0, textLengthMin)]);
}

function withThrown(text: string, thrown: unknown): string | undefined {
  const { 0: name, 1: message, 2: stack, 3: more } = host.describe(thrown);
  const whole = stringify([text, name, message, stack, more]);
  if (whole.length <= processDetailMax) return whole;
  const short = stringify([text, name, message, slice(stack, 0, stackLengthMin)]);
  return short.length <= processDetailMax ? short : undefined;
}

/** A reason as one line, for the host, no longer than a message may be. */
export function reasonText(reason: ExitReason): string {
  return slice(wholeText(reason), 0, thrownMax.message);
}

function wholeText(reason: ExitReason): string {
  if (typeof reason === "string") return reason;
  try {
    const thrown = (reason as Partial<ErrorReason>).error;
    if (typeof thrown === "object" && thrown !== null) return `${thrown.name}: ${thrown.message}`;
    return JSON.stringify(reason) ?? "an object";
  } catch {
    return "an object";
  }
}

interface ReportDetail {
  readonly reason?: ExitReason;
  readonly restarts?: number;
}

/** Reports a process to the host, in texts and numbers only. Beyond the rate limit reports are dropped. */
export function reportProcess(kind: string, proc: Proc, about: ReportDetail = {}): void {
  const nowMs = host.now();
  if (nowMs - reportsSinceMs > 1_000) {
    reportsSinceMs = nowMs;
    reportsLeft = reportsPerSecond;
  }
  if (reportsLeft-- <= 0) return;
  const { id, name, path } = proc;
  const more = about.reason === undefined ? about : { reason: reasonText(about.reason) };
  host.report(kind, host.encode({ pid: id, name, path, ...more }));
}
