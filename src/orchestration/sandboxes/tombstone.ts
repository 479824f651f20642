// What is left of a destroyed sandbox.
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Tombstone } from "../../store/store.ts";
import { infoOf } from "./info.ts";
import type { SandboxRecord } from "./sandbox-record.ts";

const linesMax = 100;
const bytesMax = 16_384;

/** What is left of a sandbox once it is stopped. */
export function tombstoneOf(sandbox: SandboxRecord, nowMs: number): Tombstone {
  const info = { ...infoOf(sandbox, nowMs), status: "stopped", cell: null } as const;
  return { info, logs: lastOf(sandbox.logs.last(linesMax)) };
}

// The last lines within the bounds, so that tombstones of sandboxes that wrote much stay small.
function lastOf(lines: readonly LogLine[]): readonly LogLine[] {
  let bytes = 0;
  const loud = lines.findLastIndex(({ text }) => (bytes += text.length) > bytesMax);
  return lines.slice(loud + 1);
}
