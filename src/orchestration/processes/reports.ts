// What cells report of the processes in sandboxes: told as events, and acted upon where a tree gave up.
import type { Report } from "../../execution/protocol/messages.ts";
import { decode, MalformedError } from "../../model/wire/decode.ts";
import type { Bus } from "../../observability/bus.ts";
import type { TicketSandbox } from "../runs/ticket.ts";

export function onProcessReport(
  bus: Bus,
  sandbox: TicketSandbox,
  { kind, detail }: Extract<Report, { t: "process" }>,
): void {
  if (kind === "limit") tellLimit(bus, sandbox.id, detail);
  else if (kind === "gave-up")
    sandbox.fail({ kind: "crashed", message: `Cannot go on as its tree of processes ended: ${detail}` });
  else tell(bus, sandbox.id, { kind, detail });
}

// The runtime inside refused a process, or ended one whose mailbox ran over.
function tellLimit(bus: Bus, sandboxId: string, detail: string): void {
  if (detail === "processes" || detail === "queue") bus.emit("sandbox.killed", { sandboxId, reason: detail });
}

function tell(bus: Bus, sandboxId: string, report: { readonly kind: string; readonly detail: string }): void {
  const facts = read(report.detail);
  if (facts === undefined) return;
  const { pid = 0, name = null, path = null, reason = "", restarts = 0 } = facts;
  if (report.kind === "started") bus.emit("process.started", { sandboxId, pid, name, path });
  else if (report.kind === "exited")
    bus.emit("process.exited", { sandboxId, pid, name, path, reason: reason ?? "" });
  else if (report.kind === "restarted")
    bus.emit("process.restarted", { sandboxId, pid, name, path, restarts });
}

// A cell's word: what is not what it should be is nothing.
function read(detail: string): Partial<Facts> | undefined {
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
