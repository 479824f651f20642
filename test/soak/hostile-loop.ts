// Hostile programs, one after the other and some side by side, beside a neighbour who is asked all the while: what became
// of them, and what it cost the host.
import { createRuntime, LoadError, type Outcome, type Runtime, type Sandbox } from "../../src/index.ts";
import { Dice } from "../fuzz/dice.ts";
import { programs } from "../hostile/programs/index.ts";
import type { Hostile } from "../hostile/programs/program.ts";
import { figuresOf } from "../support/processes.ts";

export interface HostileLoop {
  readonly runs: number;
  readonly seed: number;
  /** How many are let loose at the same time. */
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
  /** Taken from time to time, with nobody inside. */
  readonly figures: readonly LoopFigures[];
  /** How often each end came. */
  readonly ends: Readonly<Record<string, number>>;
}

const MiB = 2 ** 20;
const timeoutMs = 100;
// Those that cost a cell take a hundred times as long as the others, and come more rarely.
const costly = ["memory", "the process"];
const costlyShare = 0.05;
const listOf = (isCostly: boolean): readonly Hostile[] =>
  Object.entries(programs).flatMap(([target, list]) => (costly.includes(target) === isCostly ? list : []));
const [cheap, dear] = [listOf(false), listOf(true)];

export async function loopHostile({ runs, seed, atOnce, onProgress }: HostileLoop): Promise<LoopReport> {
  const dice = new Dice(seed);
  const ends: Record<string, number> = {};
  const unfitting: string[] = [];
  const figures: LoopFigures[] = [];
  const lookEvery = Math.max(atOnce, Math.ceil(runs / 20));
  let cellsEnded = 0;
  await using runtime = await createRuntime({
    cells: { count: 2, spare: 1, warm: 8 },
    limits: { memoryBytes: 64 * MiB, timeoutMs, loadMs: 300, stepMs: timeoutMs, resultBytes: 4 * MiB },
  });
  runtime.events.on("cell.exited", () => cellsEnded++);
  const neighbour = await runtime.create("neighbour", {
    modules: { main: "export const twice = (n) => n * 2;" },
    limits: { timeoutMs: 10_000 },
  });
  const watch = watchNeighbour(neighbour);
  for (let done = 0; done < runs; done += atOnce) {
    const chosen = Array.from({ length: Math.min(atOnce, runs - done) }, () =>
      dice.pick(dice.chance(costlyShare) ? dear : cheap),
    );
    const results = await Promise.all(chosen.map((program) => letLoose(runtime, program)));
    for (const [index, end] of results.entries()) {
      const program = chosen[index] as Hostile;
      ends[end] = (ends[end] ?? 0) + 1;
      // Side by side, the machine may be slow enough for anything to be late, and a neighbour's fault may cost a run.
      const fits = [...program.expect, "timeout", "cell-lost"] as readonly string[];
      if (!fits.includes(end)) unfitting.push(`${program.id}: ${end}`);
    }
    if (Math.floor((done + atOnce) / lookEvery) > Math.floor(done / lookEvery)) {
      figures.push(look(Math.min(runs, done + atOnce)));
      onProgress?.(figures.at(-1) as LoopFigures);
    }
  }
  const { failures, calls } = await watch.stop();
  return { unfitting, neighbourFailures: failures, neighbourCalls: calls, cellsEnded, figures, ends };
}

function look(runs: number): LoopFigures {
  (globalThis as { gc?: () => void }).gc?.();
  return { runs, ...figuresOf(process.pid) };
}

async function letLoose(runtime: Runtime, program: Hostile): Promise<string> {
  try {
    await using sandbox = await runtime.create({ modules: program.modules });
    const { run, target = "main.bomb", times = 1 } = program;
    const options = program.timeoutMs === undefined ? {} : { timeoutMs: program.timeoutMs };
    const act = (): Promise<Outcome> =>
      run === undefined ? sandbox.call(target, options) : sandbox.run(run, options);
    let outcome = await act();
    for (let n = 1; n < times; n++) outcome = await act();
    return outcome.ok ? "ok" : outcome.error.kind;
  } catch (error) {
    if (!(error instanceof LoadError)) throw error;
    return error.failure?.kind ?? "load";
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
