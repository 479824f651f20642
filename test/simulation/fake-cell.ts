// A simulated cell as the orchestrator holds it: a pipe each way with delays, a process that dies, and last words that
// may be lost on the way.
import type { Cell, CellFacts, CellListener, Death } from "../../src/execution/cell.ts";
import type { KillCause } from "../../src/execution/enforcement/verdict.ts";
import type { Command, Report, RunGroup } from "../../src/execution/protocol/messages.ts";
import type { StreamStep } from "../../src/execution/protocol/run-parts.ts";
import type { SimulatedClock } from "./clock.ts";
import type { Dice } from "./dice.ts";
import { FakeHost } from "./fake-host.ts";
import type { HostNotes } from "./host-notes.ts";
import type { Trouble } from "./trouble.ts";

export interface FakeCellParts {
  readonly number: number;
  readonly clock: SimulatedClock;
  readonly dice: Dice;
  readonly trouble: Trouble;
  readonly notes: CellNotes;
  readonly asyncLanes: number;
  readonly sliceMs: number;
  readonly deathsMs: readonly number[];
}

/** What the world hears of cells. */
export interface CellNotes extends HostNotes {
  onAsked(token: string): void;
  /** Runs are sent to it. */
  onSent(group: RunGroup): void;
  trace(line: () => string): void;
}

const externalDeaths = ["SIGKILL", "SIGSEGV", "stopped", "memory", "frozen", "threads"] as const;

export class FakeCell implements Cell {
  readonly number: number;
  readonly facts: CellFacts;
  readonly host: FakeHost;
  readonly #parts: FakeCellParts;
  readonly #listener: CellListener;
  readonly #outbound: Report[] = [];
  #inDueMs = 0;
  #outDueMs = 0;
  #cause: KillCause | undefined;
  #inFlight = 0;
  /** Commands sent that the host has not read. */
  #unread = 0;
  isDead = false;
  /** The whole machine is gone: nobody is told of anything. */
  isCut = false;

  constructor(parts: FakeCellParts, listener: CellListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.number = parts.number;
    this.facts = {
      pid: 10_000 + parts.number,
      node: "v0",
      slate: "mapped",
      tether: "signal",
      jail: { layers: [], missing: [] },
    };
    this.host = new FakeHost({
      ...parts,
      send: (report) => this.#say(report),
      die: (death) => this.die(death),
    });
    this.#scheduleTrouble();
  }

  get isIdle(): boolean {
    return this.#unread === 0 && this.#outbound.length === 0 && this.host.isIdle;
  }

  /** Whether it has read all that was sent. */
  get hasReadAll(): boolean {
    return this.#unread === 0 && this.host.thread.hasDoneAll;
  }

  send(command: Command): void {
    if (this.isDead || this.isCut) return;
    this.#parts.notes.trace(() => `→ cell ${this.number} ${lineOf(command)}`);
    this.#unread++;
    if (command.t === "run") for (const group of command.groups) this.#parts.notes.onSent(group);
    if (command.t === "drop") for (const key of command.keys) this.host.expectDrop(key);
    this.#inDueMs = this.#due(this.#inDueMs);
    this.#parts.clock.after(this.#inDueMs - this.#parts.clock.nowMs, () => {
      this.#unread--;
      if (!this.isDead) this.host.accept(command);
    });
  }

  setInFlight(count: number): void {
    this.#inFlight = count;
  }

  makeRoom(): void {}

  setHeapBytes(): void {}

  rssBytes(): number {
    return 50 * 2 ** 20;
  }

  inMainLane(): ReturnType<Cell["inMainLane"]> {
    return this.isDead ? undefined : this.host.slate.inMainLane();
  }

  kill(cause: KillCause): void {
    if (this.#cause === undefined) this.#parts.notes.trace(() => `cell ${this.number} is killed: ${cause}`);
    this.#cause ??= cause;
    this.die({ cause, detail: "SIGKILL" });
  }

  /** Ends the process. What it said last arrives, or does not. */
  die({ cause, detail, culprit }: Pick<Death, "cause" | "detail"> & Partial<Pick<Death, "culprit">>): void {
    if (this.isDead || this.isCut) return;
    const { clock, dice, notes, trouble } = this.#parts;
    this.isDead = true;
    trouble.allowedMs += 8_000;
    const { slate } = this.host;
    const inside = slate.inside();
    notes.trace(() => `cell ${this.number} dies: ${cause} ${detail}, inside ${JSON.stringify(inside)}`);
    this.host.end();
    const heard = this.#outbound.splice(0, dice.between(0, this.#outbound.length));
    this.#outbound.length = 0;
    clock.after(dice.between(0, 20), () => {
      if (this.isCut) return;
      for (const report of heard) this.#deliver(report);
      const { lastBegun } = slate;
      this.#listener.onDeath({ cause: this.#cause ?? cause, detail, culprit, inside, lastBegun });
    });
  }

  /** The machine stops: no death is told. */
  cut(): void {
    this.isCut = true;
    this.isDead = true;
    this.host.end();
  }

  #say(report: Report): void {
    if (this.isDead) return;
    const { dice, trouble } = this.#parts;
    this.#push(report);
    if (isHarmless(report) && trouble.strikes("lies", dice, 0.05)) this.#push(report);
    if (trouble.strikes("lies", dice, 0.02)) for (const lie of this.#lies(report)) this.#push(lie);
  }

  #push(report: Report): void {
    const { clock } = this.#parts;
    this.#outbound.push(report);
    this.#outDueMs = this.#due(this.#outDueMs);
    clock.after(this.#outDueMs - clock.nowMs, () => {
      if (this.isDead) return;
      this.#outbound.shift();
      this.#deliver(report);
    });
  }

  #deliver(report: Report): void {
    if (this.#cause !== undefined || this.isCut) return;
    const { notes } = this.#parts;
    notes.trace(() => `← cell ${this.number} ${lineOf(report)}`);
    if (report.t === "request") notes.onAsked(String((JSON.parse(report.args) as unknown[])[0]));
    this.#listener.onReport(report);
  }

  // What a cell may say that was taken over: answers that nobody waits for, reports about no sandbox.
  #lies(report: Report): Report[] {
    const op = 1_000_000 + this.#parts.dice.between(0, 1_000);
    if (report.t !== "done") return [{ t: "pending", op, startedUs: 0 }];
    return [
      { t: "done", quick: [op, 1, 0, 0, 0], items: [], heaps: [], states: [] },
      { t: "background", key: op, verdict: "timeout", isLost: true },
    ];
  }

  #due(lastMs: number): number {
    const { clock, dice, trouble } = this.#parts;
    const delayMs = trouble.strikes("delay", dice, 0.05) ? dice.between(5, 150) : dice.between(0, 2);
    return Math.max(lastMs, clock.nowMs + delayMs);
  }

  #scheduleTrouble(): void {
    const { clock, dice, trouble } = this.#parts;
    const withinMs = dice.pick(this.#parts.deathsMs);
    const deathMs = dice.between(0, withinMs);
    const how = dice.pick(externalDeaths);
    clock.after(deathMs, () => {
      if (withinMs === 0 || !trouble.has("death")) return;
      if (how === "SIGKILL" || how === "SIGSEGV") this.die({ cause: "exit", detail: how });
      else this.die({ cause: how, detail: "SIGKILL" });
    });
    const poisonMs = dice.between(0, 30_000);
    clock.after(poisonMs, () => {
      if (trouble.has("poison") && dice.chance(0.3)) this.#say({ t: "poisoned", why: "it was" });
    });
    const silenceMs = dice.between(0, 15_000);
    const isNoticed = dice.chance(0.7);
    clock.after(silenceMs, () => {
      if (!trouble.has("silence") || !dice.chance(0.5) || this.isDead) return;
      trouble.allowedMs += 80_000;
      this.#parts.notes.trace(() => `cell ${this.number} falls silent`);
      this.host.thread.isStuck = true;
      if (isNoticed) this.#watch();
    });
  }

  // The watchdog sees a main thread that stands still, where anything is asked of it.
  #watch(): void {
    this.#parts.clock.after(3_000, () => {
      if (this.isDead) return;
      if (this.#inFlight > 0) this.die({ cause: "stalled", detail: "SIGKILL" });
      else this.#watch();
    });
  }
}

// What may be said twice without any harm that the cell could not do anyway.
function isHarmless(report: Report): boolean {
  return report.t === "pending" || report.t === "log" || (report.t === "done" && report.states.length === 0);
}

function lineOf(message: Command | Report): string {
  // The numbers of streams go on from one run to the next.
  return JSON.stringify(message, (name, value: unknown) =>
    name === "stream"
      ? (value as StreamStep).verb
      : name === "limits" || name === "grants" || name === "character"
        ? undefined
        : value,
  ).slice(0, 600);
}
