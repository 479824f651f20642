// Why processes end, as data and in a line, and what the host is told of them.
import type { ProcessHost } from "./core.ts";
import type { Proc } from "./proc.ts";
import type { ErrorReason, ExitReason } from "./types.ts";

/** How many beginnings and ends are told in a second; the host has no use for more. */
const reportsPerSecond = 200;

let host: ProcessHost;
let reportsLeft = 0;
let reportsSinceMs = -Infinity;

export function connectReasons(given: ProcessHost): void {
  host = given;
}

/** One process more would be one too many. */
export class ProcessLimitReached extends Error {
  // What has this field was made here, whatever else was done to it.
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
  return { error: host.flatten(error) };
}

/** A reason in a line, for the host. */
export function reasonText(reason: ExitReason): string {
  if (typeof reason === "string") return reason;
  try {
    const thrown = (reason as Partial<ErrorReason>).error;
    if (typeof thrown === "object" && thrown !== null) return `${thrown.name}: ${thrown.message}`;
    return JSON.stringify(reason) ?? "an object";
  } catch {
    return "an object";
  }
}

/** Tells the host of a process. Texts and numbers only; one that has too much to tell is not heard for a while. */
export function tell(kind: string, proc: Proc, more?: object): void {
  const nowMs = host.now();
  if (nowMs - reportsSinceMs > 1_000) {
    reportsSinceMs = nowMs;
    reportsLeft = reportsPerSecond;
  }
  if (reportsLeft-- <= 0) return;
  const { id, name, path } = proc;
  host.report(kind, host.encode({ pid: id, name, path, ...more }));
}
