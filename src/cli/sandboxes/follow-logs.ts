// New console lines of a sandbox as they come. They are no events, as there may be very many: so they are asked for.
import type { Clock, LogLine, Runtime } from "../../index.ts";
import { pause } from "../../std/abort.ts";

export interface Following {
  readonly runtime: Pick<Runtime, "logs" | "info">;
  readonly id: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const pauseMs = 500;

/** Calls `write` with each line, those that are kept first; resolves when the sandbox is gone or the signal is aborted. */
export async function followLogs(
  { runtime, id, clock, signal }: Following,
  write: (line: LogLine) => Promise<void>,
): Promise<void> {
  let known: readonly LogLine[] = [];
  while (!signal.aborted) {
    // Asked for first: what is written after that comes in the last look.
    const { status } = await runtime.info(id);
    const logs = await runtime.logs(id);
    for (const line of newLines(known, logs)) await write(line);
    known = logs;
    if (status === "stopped") return;
    await pause(clock, pauseMs, signal);
  }
}

/** Those of `now` that are not in `before`: the oldest are dropped where there are too many. */
function newLines(before: readonly LogLine[], now: readonly LogLine[]): readonly LogLine[] {
  for (let start = 0; start < before.length; start++) {
    const kept = before.length - start;
    if (kept <= now.length && isStart(before, start, now)) return now.slice(kept);
  }
  return now;
}

function isStart(before: readonly LogLine[], start: number, now: readonly LogLine[]): boolean {
  for (let index = start; index < before.length; index++) {
    const [one, other] = [before[index], now[index - start]];
    if (one?.at !== other?.at || one?.text !== other?.text || one?.level !== other?.level) return false;
  }
  return true;
}
