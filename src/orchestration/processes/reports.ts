// Reports of cells on processes, emitted as events. A sandbox whose supervision tree gave up fails.
import type { Report } from "../../execution/protocol/messages.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { processDetailMax } from "../../model/runs/report-bounds.ts";
import { decode } from "../../model/wire/decode.ts";
import { MalformedError } from "../../model/wire/malformed.ts";
import type { Bus } from "../../observability/bus.ts";
import { artifactsOf } from "../runs/outcome-of.ts";
import { cut, listOf, thrownOf } from "../runs/thrown-of.ts";
import type { TicketSandbox } from "../runs/ticket.ts";

export function onProcessReport(
  bus: Bus,
  sandbox: TicketSandbox,
  { kind, detail }: Extract<Report, { t: "process" }>,
): void {
  if (kind === "gave-up") sandbox.fail(endOfTree(sandbox, detail));
  else if (sandbox.kind === "helper") return;
  else if (kind === "limit") emitKilled(bus, sandbox.id, detail);
  else emitEvent(bus, sandbox.id, { kind, detail });
}

// A list: the reason as a text, and what was thrown, where that was the reason.
function endOfTree(sandbox: TicketSandbox, detail: string): GuestFailure {
  const [text, ...described] = detail.length > processDetailMax ? [] : listOf(` ${detail}`);
  const message = `Cannot go on as its tree of processes ended: ${cut(text, processDetailMax)}`;
  if (described.length === 0) return { kind: "crashed", message };
  return { kind: "crashed", message, thrown: thrownOf(described, artifactsOf(sandbox)) };
}

// The guest runtime refused a process, or ended one whose mailbox overflowed.
function emitKilled(bus: Bus, sandboxId: string, detail: string): void {
  if (detail === "processes" || detail === "queue") bus.emit("sandbox.killed", { sandboxId, reason: detail });
}

function emitEvent(
  bus: Bus,
  sandboxId: string,
  report: { readonly kind: string; readonly detail: string },
): void {
  const facts = read(report.detail);
  if (facts === undefined) return;
  const { pid = 0, name = null, path = null, reason = "", restarts = 0 } = facts;
  if (report.kind === "started") bus.emit("process.started", { sandboxId, pid, name, path });
  else if (report.kind === "exited")
    bus.emit("process.exited", { sandboxId, pid, name, path, reason: reason ?? "" });
  else if (report.kind === "restarted")
    bus.emit("process.restarted", { sandboxId, pid, name, path, restarts });
}

// From a cell: what is malformed, or longer than a cell may send, is ignored.
function read(detail: string): Partial<Facts> | undefined {
  if (detail.length > processDetailMax) return undefined;
  try {
    const facts = decode(detail);
    return typeof facts === "object" && facts !== null ? facts : undefined;
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

interface Facts {
  readonly pid: number;
  readonly name: string | null;
  readonly path: string | null;
  readonly reason: string | null;
  readonly restarts: number;
}
