// Pure: what a run has used, by the report of its cell, or by our own measurements where its cell can report no more.
import type { TimeInside } from "../../execution/cell.ts";
import type { DoneItem } from "../../execution/protocol/messages.ts";
import { unusedAfter, type Usage } from "../../model/runs/usage.ts";
import type { RunTicket } from "./ticket.ts";

/** As its cell reports it. */
export function usageOf(ticket: RunTicket, item: DoneItem): Usage {
  const { heapBytes, heapPeakBytes, externalBytes, processes, processesMax, queueMax } = ticket.sandbox.usage;
  return {
    wallMs: item.wallUs / 1_000,
    cpuMs: item.cpuUs / 1_000,
    queuedMs: Math.max(0, item.startedUs / 1_000 - ticket.submittedMs),
    heapBytes,
    heapPeakBytes,
    externalBytes,
    processes,
    processesMax,
    queueMax,
    outputBytes: item.outputBytes,
    fuel: item.fuel,
  };
}

/**
 * The usage of a run that we end now. Where its cell died with it inside, its times are what we measured until then: the wall
 * time since its entry, and the processor time of its cell meanwhile, of which no run can have used more than the wall time. The
 * word of a cell about the entry counts within the time that the cell had the run.
 */
export function usageUntil(nowMs: number, ticket: RunTicket, inside: TimeInside | undefined): Usage {
  const startedMs = inside?.startedMs ?? ticket.pendingSinceMs;
  if (startedMs === undefined) return unusedAfter(nowMs - ticket.submittedMs);
  const sinceMs = Math.min(nowMs, Math.max(startedMs, ticket.sentMs));
  const wallMs = nowMs - sinceMs;
  const { heapBytes, heapPeakBytes, externalBytes, processes, processesMax, queueMax } = ticket.sandbox.usage;
  return {
    ...unusedAfter(sinceMs - ticket.submittedMs),
    wallMs,
    cpuMs: Math.min(wallMs, inside?.cpuMs ?? 0),
    heapBytes,
    heapPeakBytes,
    externalBytes,
    processes,
    processesMax,
    queueMax,
  };
}
