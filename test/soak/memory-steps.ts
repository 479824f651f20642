// Steps over the memory that a run holds, from within its limit to far over it: each run settles in time as it may, beside
// a neighbour in the same cell that answers all the while.
import { createRuntime, type Outcome, type Runtime, type Sandbox } from "../../src/index.ts";
import { endOf, holding, type MemoryKind } from "../support/memory-guests.ts";

export interface MemorySteps {
  readonly sizesMiB: readonly number[];
  readonly kinds: readonly MemoryKind[];
  /** What is held, as multiples of the limit. */
  readonly shares: readonly number[];
  readonly timeoutMs: number;
  /** How much later than its deadline a run may settle. */
  readonly graceMs: number;
  readonly onRow?: (row: MemoryRow) => void;
}

export interface MemoryRun {
  readonly share: number;
  /** `ok`, `memory` or `refused`, or what it must not be. */
  readonly end: string;
  readonly ms: number;
}

/** All runs of one size and kind. */
export interface MemoryRow {
  readonly sizeMiB: number;
  readonly kind: MemoryKind;
  readonly runs: readonly MemoryRun[];
}

export interface MemoryReport {
  readonly rows: readonly MemoryRow[];
  /** What went wrong, as a text. */
  readonly faults: readonly string[];
  readonly neighbourCalls: number;
}

const MiB = 2 ** 20;
const hangMs = 30_000;

export async function stepMemory(steps: MemorySteps): Promise<MemoryReport> {
  const { sizesMiB, kinds, shares, onRow } = steps;
  const faults: string[] = [];
  const rows: MemoryRow[] = [];
  await using runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 1 } });
  let where = "before the first run";
  runtime.events.on("cell.exited", ({ cause, detail }) => {
    if (cause !== "unwanted") faults.push(`${where}: a cell was lost: ${cause}, ${detail}`);
  });
  await using neighbour = await Neighbour.beside(runtime);
  for (const sizeMiB of sizesMiB) {
    for (const kind of kinds) {
      const runs: MemoryRun[] = [];
      for (const share of shares) {
        where = `${sizeMiB} MiB, ${share} × in ${kind}`;
        const run = await runOnce(runtime, { sizeMiB, kind, share, timeoutMs: steps.timeoutMs });
        runs.push(run);
        const fault = faultOf(run, steps.timeoutMs + steps.graceMs) ?? neighbour.fault();
        if (fault !== undefined) faults.push(`${where}: ${fault}`);
      }
      rows.push({ sizeMiB, kind, runs });
      onRow?.({ sizeMiB, kind, runs });
    }
  }
  return { rows, faults, neighbourCalls: neighbour.calls };
}

const allowedEnds: readonly string[] = ["ok", "memory", "refused"];

function faultOf({ end, ms }: MemoryRun, msMax: number): string | undefined {
  if (!allowedEnds.includes(end)) return `it ended as ${end}`;
  return ms > msMax ? `it took ${Math.round(ms)} ms` : undefined;
}

interface OneRun {
  readonly sizeMiB: number;
  readonly kind: MemoryKind;
  readonly share: number;
  readonly timeoutMs: number;
}

async function runOnce(runtime: Runtime, { sizeMiB, kind, share, timeoutMs }: OneRun): Promise<MemoryRun> {
  const limits = { memoryBytes: sizeMiB * MiB, timeoutMs };
  const sandbox = await runtime.create({ modules: { main: holding(kind) }, limits });
  const startedMs = performance.now();
  const outcome = await orHung(sandbox.call("main.hold", { args: [Math.round(sizeMiB * share)] }), timeoutMs);
  const ms = performance.now() - startedMs;
  await sandbox.destroy();
  if (outcome === undefined) return { share, end: "pending", ms };
  const end = endOf(outcome, kind) ?? (outcome.ok ? "ok" : `${outcome.error.kind}: ${outcome.error.message}`);
  return { share, end, ms };
}

function orHung(outcome: Promise<Outcome>, timeoutMs: number): Promise<Outcome | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), timeoutMs + hangMs);
  return Promise.race([outcome, promise]).finally(() => clearTimeout(timer));
}

/** A sandbox in the same cell that counts its calls: it is called all the time, and must never be rebuilt. */
class Neighbour {
  calls = 0;
  #fault: string | undefined;
  #isOver = false;
  readonly #asking: Promise<void>;

  private constructor(sandbox: Sandbox) {
    this.#asking = this.#ask(sandbox);
  }

  static async beside(runtime: Runtime): Promise<Neighbour> {
    const main = "let count = 0; export const bump = () => ++count;";
    return new Neighbour(
      await runtime.create("neighbour", { modules: { main }, limits: { timeoutMs: 10_000 } }),
    );
  }

  /** What was wrong since the last look. */
  fault(): string | undefined {
    const fault = this.#fault;
    this.#fault = undefined;
    return fault;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#asking;
  }

  async #ask(sandbox: Sandbox): Promise<void> {
    while (!this.#isOver) {
      const outcome = await sandbox.call<number>("main.bump");
      this.calls++;
      if (!outcome.ok) this.#fault = `the neighbour got ${outcome.error.kind}: ${outcome.error.message}`;
      else if (outcome.value !== this.calls)
        this.#fault = `the neighbour counts ${outcome.value}, not ${this.calls}`;
      const pause = Promise.withResolvers<void>();
      setTimeout(pause.resolve, 20);
      await pause.promise;
    }
  }
}
