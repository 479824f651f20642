// A cell died. Its runs are judged, the offender is set apart, and its neighbours stand again elsewhere.
import type { Death } from "../../execution/cell.ts";
import type { GuestFailure } from "../../model/outcome.ts";
import type { Bus } from "../../observability/bus.ts";
import type { KilledReason } from "../../observability/catalogue.ts";
import { Lru } from "../../std/lru.ts";
import type { CellPool } from "./cell-pool.ts";
import type { CellQueue } from "./cell-queue.ts";
import { guiltyOf, judge, pardonSlice, suspectsOf, type Sentence } from "./death.ts";
import type { Homing } from "./assignment.ts";
import { memoryFailure } from "../runs/outcome-of.ts";
import type { Resident } from "../sandboxes/resident.ts";
import type { Runs } from "../runs/runs.ts";
import type { LoadTicket, RunTicket, Ticket } from "../runs/ticket.ts";

export interface RecoveryParts {
  readonly bus: Bus;
  readonly pool: CellPool;
  readonly homing: Homing;
  readonly runs: Runs;
  /** How long a slice lasts at most. */
  readonly sliceMs: number;
  /** A sandbox can no longer be called. */
  readonly fail: (resident: Resident, failure: GuestFailure) => void;
}

const killersMax = 10_000;

type Sentenced = { readonly ticket: Ticket; readonly sentence: Sentence };

export class Recovery {
  readonly #parts: RecoveryParts;
  /** Code that has brought down a cell, so that its like runs alone from the start. */
  readonly #killers = new Lru<true>(killersMax);

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Whether this code has brought down a cell before. */
  isKiller(resident: Resident): boolean {
    return this.#killers.get(resident.codeKey) !== undefined;
  }

  onDeath(queue: CellQueue, told: Death): void {
    const { bus, pool, homing, runs } = this.#parts;
    const residents = [...queue.residents];
    const { sent, waiting } = queue.abandon();
    const death = pardonSlice(told, (op) =>
      sent.some((ticket) => ticket.op === op && this.#isSliced(ticket)),
    );
    if (death.cause === "slice") runs.noteLostSlice();
    const sentenced = sent.map((ticket) => sentence(ticket, death));
    for (const resident of residents) homing.forgetHome(resident);
    pool.remove(queue, death);
    const { pid } = queue.cell.facts;
    bus.emit("cell.exited", {
      cell: queue.number,
      pid,
      cause: death.cause,
      detail: death.detail,
      sandboxes: residents.length,
    });
    const offender = this.#accuse(residents, death, queue.number);
    this.#suspect(residents, death, queue.number);
    this.#carryOut(sentenced, death);
    if (offender !== undefined) this.#refuse(offender, death);
    for (const ticket of waiting) runs.dispatch(ticket);
    // Those with runs were housed first; the rest follow, so that they answer at once when they are called.
    if (death.cause !== "unwanted") for (const resident of residents) runs.rebuild(resident, death.cause);
    // A cell kept for one sandbox is gone; whoever waits for such a cell may have another.
    homing.houseWaiting();
  }

  // Whether an operation had only a part of its time.
  #isSliced(ticket: Ticket): boolean {
    if (ticket.kind === "errand") return false;
    const { loadMs } = ticket.resident.limits;
    const timeMs = ticket.kind === "load" ? loadMs : ticket.terms.timeoutMs;
    return ticket.lane === "slice" && this.#parts.sliceMs < timeMs;
  }

  #accuse(residents: readonly Resident[], death: Death, cell: number): Resident | undefined {
    const guilty = guiltyOf(death);
    const offender = residents.find(({ key }) => key === guilty?.key);
    if (offender === undefined) return undefined;
    this.#killers.set(offender.codeKey, true, 1);
    offender.standing = isOffender(offender) ? "refused" : "offender";
    this.#quarantine(offender, cell, `it brought down its cell (${death.cause})`);
    return offender;
  }

  #suspect(residents: readonly Resident[], death: Death, cell: number): void {
    for (const { key } of suspectsOf(death)) {
      const resident = residents.find((other) => other.key === key);
      if (resident?.standing !== "clear") continue;
      resident.standing = "suspect";
      this.#quarantine(resident, cell, `it was inside when its cell ended (${death.detail})`);
    }
  }

  #quarantine(resident: Resident, cell: number, why: string): void {
    this.#parts.bus.emit("cell.quarantined", { sandboxId: resident.id, cell, why });
  }

  #carryOut(sentenced: readonly Sentenced[], death: Death): void {
    for (const { ticket, sentence } of sentenced) {
      if (ticket.kind === "errand") ticket.settle({ item: undefined, sentence });
      else if (sentence.do === "end") this.#end(ticket, sentence, death);
      else this.#again(ticket, sentence.do === "alone");
    }
  }

  #end(ticket: RunTicket | LoadTicket, { kind }: Extract<Sentence, { do: "end" }>, death: Death): void {
    const { resident } = ticket;
    const failure = failureOf(kind, ticket, death);
    if (kind !== "cell-lost")
      this.#parts.bus.emit("sandbox.killed", { sandboxId: resident.id, reason: kind satisfies KilledReason });
    if (ticket.kind === "load") return this.#parts.fail(resident, failure);
    this.#parts.runs.end(ticket, failure);
  }

  #again(ticket: RunTicket | LoadTicket, isAlone: boolean): void {
    const { resident } = ticket;
    if (isAlone && resident.standing === "clear") resident.standing = "suspect";
    if (ticket.kind === "load") {
      resident.loadDeaths++;
      if (isAlone) resident.loadLane = "async";
      return this.#parts.homing.house(resident);
    }
    ticket.deaths++;
    // Alone there is nobody who would profit from a slice.
    ticket.needsOwnLane ||= isAlone;
    ticket.forgetLogs();
    if (!ticket.isSettled) this.#parts.runs.dispatch(ticket);
  }

  #refuse(resident: Resident, death: Death): void {
    if (resident.standing !== "refused" || !resident.can("failed")) return;
    const message = `Cannot be called any more as it brought down its cell twice, lately by ${death.detail}`;
    this.#parts.fail(resident, { kind: "crashed", message });
  }
}

function isOffender({ standing }: Resident): boolean {
  return standing === "offender" || standing === "refused";
}

function sentence(ticket: Ticket, death: Death): Sentenced {
  const facts = {
    op: ticket.op,
    key: ticket.resident.key,
    isLoad: ticket.kind === "load",
    isMainLane: ticket.lane !== "async",
    isRepeatable: ticket.kind !== "run" || ticket.isRepeatable,
    deaths: ticket.kind === "errand" ? 0 : ticket.deaths,
  };
  return { ticket, sentence: judge(facts, death) };
}

// The limit that an entry had to keep, and how long that is.
function timeOf(ticket: RunTicket | LoadTicket): readonly ["loadMs" | "stepMs" | "timeoutMs", number] {
  const { loadMs, stepMs } = ticket.resident.limits;
  if (ticket.kind === "load") return ["loadMs", loadMs];
  const { timeoutMs, tell } = ticket.terms;
  return tell !== undefined && stepMs < timeoutMs ? ["stepMs", stepMs] : ["timeoutMs", timeoutMs];
}

function failureOf(
  kind: "timeout" | "memory" | "crashed" | "cell-lost",
  ticket: RunTicket | LoadTicket,
  death: Death,
): GuestFailure {
  const { limits } = ticket.resident;
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
