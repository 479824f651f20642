// A cell died. Its operations are repeated or ended, a sandbox at fault is quarantined, the others are loaded in other cells.
import type { Death } from "../../execution/cell.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Bus } from "../../observability/bus.ts";
import type { KilledReason } from "../../observability/catalogue.ts";
import { memoryFailure } from "../runs/outcome-of.ts";
import type { RunTable } from "../runs/run-table.ts";
import type { LoadTicket, RunTicket, Ticket } from "../runs/ticket.ts";
import type { Assigner } from "./assigner.ts";
import type { CellPool } from "./cell-pool.ts";
import type { CellQueue } from "./cell-queue.ts";
import { asSliceOverrun, decide, guiltyOf, suspectsOf, type Decision } from "./death.ts";
import { KillerCode, type PlacedCode } from "./killer-code.ts";
import type { SandboxInCell } from "./sandbox-in-cell.ts";

export interface RecoveryParts {
  readonly bus: Bus;
  readonly pool: CellPool;
  readonly assigner: Assigner;
  readonly table: RunTable;
  /** How long a slice lasts at most. */
  readonly sliceMs: number;
}

/** By the numbers of their isolates. */
type Sandboxes = ReadonlyMap<number, SandboxInCell>;

type Decided = { readonly ticket: Ticket; readonly decision: Decision };

export class Recovery {
  readonly #parts: RecoveryParts;
  /** Sandboxes of the same tenant with the same code are alone from the start. */
  readonly #killers = new KillerCode();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Whether this code has brought down a cell of the same tenant before. */
  isKiller(code: PlacedCode): boolean {
    return this.#killers.has(code);
  }

  onDeath(queue: CellQueue, reported: Death): void {
    const { bus, pool, assigner, table } = this.#parts;
    const byKey: Sandboxes = new Map(queue.sandboxes);
    const sandboxes = [...byKey.values()];
    const { sent, waiting } = queue.abandon();
    const death = asSliceOverrun(reported, (op) =>
      sent.some((ticket) => ticket.op === op && this.#isSliced(ticket)),
    );
    const uncut = death.cause === "slice" ? byKey.get(death.culprit?.key ?? 0) : undefined;
    if (uncut !== undefined) table.slices.of(uncut.placement).noteUncut(table.clock.monotonic());
    const decided = sent.map((ticket) => decideAbout(ticket, death));
    for (const { cellEvents } of sandboxes) cellEvents.onCellLost();
    pool.remove(queue, death);
    const { cause, detail } = death;
    const { pid } = queue.cell.facts;
    bus.emit("cell.exited", { cell: queue.number, pid, cause, detail, sandboxes: sandboxes.length });
    const refused = this.#noteFault(byKey, death, queue.number);
    this.#noteSuspects(byKey, death, queue.number);
    for (const each of decided) this.#carryOut(each, death);
    if (refused !== undefined) refuse(refused, death);
    for (const ticket of waiting) ticket.sandbox.cellEvents.redirect(ticket);
    // Those with runs were assigned first; the others follow, so that they are loaded when they are called.
    if (cause !== "unwanted") for (const { cellEvents } of sandboxes) cellEvents.rebuild(cause);
    // It may have been a reserved cell, for which another can be started.
    assigner.assignWaiting();
  }

  // Whether an operation was given only a part of its time.
  #isSliced(ticket: Ticket): boolean {
    if (ticket.kind === "control") return false;
    const { loadMs } = ticket.sandbox.limits;
    const timeMs = ticket.kind === "load" ? loadMs : ticket.terms.timeoutMs;
    return ticket.lane === "slice" && this.#parts.sliceMs < timeMs;
  }

  // Returns the sandbox that is refused from now on.
  #noteFault(sandboxes: Sandboxes, death: Death, cell: number): SandboxInCell | undefined {
    const guilty = guiltyOf(death);
    const offender = guilty === undefined ? undefined : sandboxes.get(guilty.key);
    if (offender === undefined) return undefined;
    this.#killers.note(offender);
    const level = offender.cellEvents.noteFault();
    this.#quarantine(offender, cell, `it brought down its cell (${death.cause})`);
    return level === "refused" ? offender : undefined;
  }

  #noteSuspects(sandboxes: Sandboxes, death: Death, cell: number): void {
    for (const { key } of suspectsOf(death)) {
      const sandbox = sandboxes.get(key);
      if (sandbox?.cellEvents.noteSuspicion() !== true) continue;
      this.#quarantine(sandbox, cell, `it was inside when its cell ended (${death.detail})`);
    }
  }

  #quarantine({ id }: SandboxInCell, cell: number, why: string): void {
    this.#parts.bus.emit("cell.quarantined", { sandboxId: id, cell, why });
  }

  #carryOut({ ticket, decision }: Decided, death: Death): void {
    if (ticket.kind === "control") return ticket.settle({ item: undefined, decision });
    const { cellEvents } = ticket.sandbox;
    if (decision.do === "end") return this.#end(ticket, decision.kind, death);
    const isAlone = decision.do === "alone";
    // Where it is alone in its cell, a slice would spare no one. Where one could not be cut, the next may be no better.
    const isUncut = death.cause === "slice" && ticket.lane === "slice";
    const isProven = ticket.kind === "load" && ticket.isProven;
    const how = { isAlone, needsOwnLane: isAlone || (isUncut && !isProven) };
    if (ticket.kind === "load") cellEvents.loadAgain(how);
    else cellEvents.runAgain(ticket, how);
  }

  #end(ticket: RunTicket | LoadTicket, kind: FailureOfDeath, death: Death): void {
    const { sandbox } = ticket;
    const failure = failureOf(kind, ticket, death);
    if (kind !== "cell-lost")
      this.#parts.bus.emit("sandbox.killed", { sandboxId: sandbox.id, reason: kind satisfies KilledReason });
    if (ticket.kind === "load") sandbox.fail(failure);
    else
      sandbox.endRun(
        ticket,
        failure,
        death.times?.find(({ op }) => op === ticket.op),
      );
  }
}

type FailureOfDeath = Extract<Decision, { do: "end" }>["kind"];

function refuse(sandbox: SandboxInCell, death: Death): void {
  const message = `Cannot be called any more as it brought down its cell twice, lately by ${death.detail}`;
  sandbox.fail({ kind: "crashed", message });
}

function decideAbout(ticket: Ticket, death: Death): Decided {
  const facts = {
    op: ticket.op,
    key: ticket.place?.key ?? 0,
    isLoad: ticket.kind === "load",
    isMainLane: ticket.lane !== "async",
    isRepeatable: ticket.kind !== "run" || ticket.isRepeatable,
    deaths: ticket.kind === "control" ? 0 : ticket.deaths,
  };
  return { ticket, decision: decide(facts, death) };
}

// The limit that bounds an entry, and how long that is.
function timeOf(ticket: RunTicket | LoadTicket): readonly ["loadMs" | "stepMs" | "timeoutMs", number] {
  const { loadMs, stepMs } = ticket.sandbox.limits;
  if (ticket.kind === "load") return ["loadMs", loadMs];
  const { timeoutMs, tell } = ticket.terms;
  return tell !== undefined && stepMs < timeoutMs ? ["stepMs", stepMs] : ["timeoutMs", timeoutMs];
}

function failureOf(kind: FailureOfDeath, ticket: RunTicket | LoadTicket, death: Death): GuestFailure {
  const { limits } = ticket.sandbox;
  switch (kind) {
    case "timeout": {
      const [limit, ms] = timeOf(ticket);
      return {
        kind,
        limit,
        message: `Cannot finish within ${limit}, ${ms}: it could not be interrupted and its cell was killed`,
      };
    }
    case "memory":
      return memoryFailure(limits.memoryBytes);
    case "crashed":
      return { kind, message: `Cannot finish as the guest brought down its cell: ${death.detail}` };
    case "cell-lost":
      return {
        kind,
        message: `Cannot tell the result as the cell was lost (${death.cause}: ${death.detail}) and the run may not be repeated`,
      };
  }
}
