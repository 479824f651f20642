// Create, call, destroy, again and again: memory, threads and descriptors of the host and of its cells stay as they were
// after the warm-up. `npm run soak` does it 100,000 times; a test does it 5,000 times.
import { parseArgs } from "node:util";
import { createRuntime, type Runtime } from "../../src/index.ts";
import { figuresOf, type ProcessFigures } from "../support/processes.ts";

/** What the host and its cells hold at one moment. */
export interface Holdings {
  readonly cycles: number;
  readonly hostHeapMiB: number;
  readonly hostRssMiB: number;
  readonly cellsRssMiB: number;
  readonly threads: number;
  readonly descriptors: number;
  readonly cells: number;
}

const atOnce = 25;
const warmUpCycles = 1_000;
const samples = 8;
const MiB = 2 ** 20;

/** Runs so many cycles; answers what was held after the warm-up and at steps from there to the end. */
export async function runCycles(
  cycles: number,
  onSample: (holdings: Holdings) => void = () => {},
): Promise<readonly Holdings[]> {
  await using runtime = await createRuntime({ cells: { count: 2, spare: 1, warm: 8 } });
  const held: Holdings[] = [];
  const every = Math.max(atOnce, Math.floor((cycles - warmUpCycles) / samples));
  for (let done = 0, next = warmUpCycles; done < cycles;) {
    await Promise.all(Array.from({ length: atOnce }, (_, i) => cycle(runtime, done + i)));
    done += atOnce;
    if (done < next) continue;
    next = done + every;
    const holdings = await measure(runtime, done);
    held.push(holdings);
    onSample(holdings);
  }
  return held;
}

// Every variant is another source, as in a population.
async function cycle(runtime: Runtime, n: number): Promise<void> {
  const variant = n % 500;
  const main = `export const f = (x) => { console.log("seen", x); return { sum: x + ${variant} }; };`;
  await using sandbox = await runtime.create({ modules: { main } });
  const outcome = await sandbox.call<{ sum: number }>("main.f", { args: [n] });
  if (!outcome.ok) throw new Error(`cycle ${n} ended with ${outcome.error.kind}: ${outcome.error.message}`);
  if (outcome.value.sum !== n + variant) throw new Error(`cycle ${n} answered ${outcome.value.sum}`);
}

async function measure(runtime: Runtime, cycles: number): Promise<Holdings> {
  globalThis.gc?.();
  const { cells } = await runtime.metrics();
  const inCells = cells.map(({ pid }) => figuresOf(pid));
  const all = [figuresOf(process.pid), ...inCells];
  const { heapUsed, rss } = process.memoryUsage();
  return {
    cycles,
    hostHeapMiB: heapUsed / MiB,
    hostRssMiB: rss / MiB,
    cellsRssMiB: sum(inCells, "rssBytes") / MiB,
    threads: sum(all, "threads"),
    descriptors: sum(all, "descriptors"),
    cells: cells.length,
  };
}

function sum(figures: readonly ProcessFigures[], of: keyof ProcessFigures): number {
  return figures.reduce((total, each) => total + each[of], 0);
}

/** One line per sample. */
export function toLine(holdings: Holdings): string {
  const { cycles, hostHeapMiB, hostRssMiB, cellsRssMiB, threads, descriptors, cells } = holdings;
  return `${String(cycles).padStart(7)} cycles: host heap ${hostHeapMiB.toFixed(1)} MiB, host RSS ${hostRssMiB.toFixed(0)} MiB, ${cells} cells RSS ${cellsRssMiB.toFixed(0)} MiB, ${threads} threads, ${descriptors} descriptors`;
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { cycles: { type: "string", default: "100000" } } });
  await runCycles(Number(values.cycles), (holdings) => console.log(toLine(holdings)));
}
