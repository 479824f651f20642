// Hostile programs, one after the other and some side by side, beside a neighbour that is called all the time: how they
// ended, and what it cost the host.
import { createRuntime, LoadError, type Outcome, type Runtime, type Sandbox } from "../../src/index.ts";
import { Dice } from "../fuzz/dice.ts";
import { programs } from "../hostile/programs/index.ts";
import type { Hostile } from "../hostile/programs/program.ts";
import { figuresOf } from "../support/processes.ts";

export interface HostileLoop {
  readonly runs: number;
  readonly seed: number;
  /** How many run at the same time. */
  readonly atOnce: number;
  readonly onProgress?: (figures: LoopFigures) => void;
}

export interface LoopFigures {
  readonly runs: number;
  readonly rssBytes: number;
  readonly descriptors: number;
  readonly threads: number;
}

export interface LoopReport {
  /** Programs that came to an end that does not fit them. */
  readonly unfitting: readonly string[];
  readonly neighbourFailures: readonly string[];
  readonly neighbourCalls: number;
  readonly cellsEnded: number;
  /** Taken from time to time. */
  readonly figures: readonly LoopFigures[];
  /** How often each end came. */
  readonly ends: Readonly<Record<string, number>>;
}

const MiB = 2 ** 20;
const timeoutMs = 20;
// One that costs a cell takes a hundred times as long as the others: once that is known of it, it comes more rarely.
const costlyShare = 0.1;
const all: readonly Hostile[] = Object.values(programs).flat();

export async function loopHostile({ runs, seed, atOnce, onProgress }: HostileLoop): Promise<LoopReport> {
  const dice = new Dice(seed);
  const ends: Record<string, number> = {};
  const unfitting: string[] = [];
  const figures: LoopFigures[] = [];
  const lookEvery = Math.ceil(runs / 20);
  let cellsEnded = 0;
  await using runtime = await createRuntime({
    cells: { count: 2, spare: 1, warm: 8 },
    limits: { memoryBytes: 64 * MiB, timeoutMs, loadMs: 300, stepMs: timeoutMs, resultBytes: 4 * MiB },
  });
  const costly = new Set<string>();
  runtime.events.on("cell.exited", () => cellsEnded++);
  runtime.events.on("cell.quarantined", ({ sandboxId }) => costly.add(programOf(sandboxId)));
  const neighbour = await runtime.create("neighbour", {
    modules: { main: "export const twice = (n) => n * 2;" },
    limits: { timeoutMs: 10_000 },
  });
  const watch = watchNeighbour(neighbour);
  let [begun, done] = [0, 0];
  // Each as soon as another is over, so that one that takes long delays no others.
  const lane = async (): Promise<void> => {
    while (begun < runs) {
      begun++;
      const program = choose(dice, costly);
      const { end, message } = await letLoose(runtime, program, begun);
      ends[end] = (ends[end] ?? 0) + 1;
      if (!fits(program, end)) unfitting.push(`${program.id}: ${end}, ${message}`);
      if (++done % lookEvery !== 0) continue;
      figures.push(look(done));
      onProgress?.(figures.at(-1) as LoopFigures);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const { failures, calls } = await watch.stop();
  return { unfitting, neighbourFailures: failures, neighbourCalls: calls, cellsEnded, figures, ends };
}

function look(runs: number): LoopFigures {
  (globalThis as { gc?: () => void }).gc?.();
  return { runs, ...figuresOf(process.pid) };
}

/** One of all programs. */
export function choose(dice: Dice, costly: ReadonlySet<string>): Hostile {
  const program = dice.pick(all);
  return costly.has(program.id) && !dice.chance(costlyShare) ? choose(dice, costly) : program;
}

// Side by side, the machine may be slow enough for anything to be late, and a neighbour's fault may cost a run. Between two
// runs it may cost the module's variables, so that a program that counts its runs counts from the start again.
export function fits({ expect, times = 1 }: Hostile, end: string): boolean {
  const alsoFits = times > 1 ? ["timeout", "cell-lost", "ok"] : ["timeout", "cell-lost"];
  return [...expect, ...alsoFits].includes(end);
}

export const programOf = (sandboxId: string): string => sandboxId.slice(0, sandboxId.lastIndexOf("_"));

interface End {
  readonly end: string;
  readonly message: string;
}

/** Makes a sandbox of a program, runs it, and destroys it. */
export async function letLoose(runtime: Runtime, program: Hostile, number: number): Promise<End> {
  try {
    await using sandbox = await runtime.create(`${program.id}_${number}`, { modules: program.modules });
    const { run, target = "main.bomb", times = 1 } = program;
    const options = program.timeoutMs === undefined ? {} : { timeoutMs: program.timeoutMs };
    const act = (): Promise<Outcome> =>
      run === undefined ? sandbox.call(target, options) : sandbox.run(run, options);
    let outcome = await act();
    for (let n = 1; n < times; n++) outcome = await act();
    if (outcome.ok) return { end: "ok", message: JSON.stringify(outcome.usage) };
    return { end: outcome.error.kind, message: outcome.error.message };
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return { end: error.failure?.kind ?? "load", message: error.message };
  }
}

function watchNeighbour(neighbour: Sandbox): { stop(): Promise<{ failures: string[]; calls: number }> } {
  const stopped = new AbortController();
  const failures: string[] = [];
  let calls = 0;
  const loop = (async () => {
    while (!stopped.signal.aborted) {
      const outcome = await neighbour.call("main.twice", { args: [++calls], repeatable: true });
      if (!outcome.ok) failures.push(`${outcome.error.kind}: ${outcome.error.message}`);
      else if (outcome.value !== calls * 2) failures.push(`wrong value ${String(outcome.value)}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await loop;
      return { failures, calls };
    },
  };
}
