// Measures the entrants of a row in turn, round by round, so that other load of the machine affects all of them.
import {
  dividedBy,
  minus,
  noTimes,
  plus,
  processorTimes,
  settledTimes,
  type ProcessorTimes,
} from "./processor-time.ts";
import type { Entrant, Row, ScalePoint } from "./row.ts";
import { summarise, type Summary } from "./statistics.ts";
import type { Level } from "./target.ts";

export interface Verdict {
  readonly level: Level;
  readonly text: string;
  readonly isMet: boolean;
}

export interface Result {
  readonly name: string;
  readonly about: string;
  readonly unit: string;
  readonly scale?: ScalePoint;
  readonly summaries: Readonly<Record<string, Summary>>;
  /** Milliseconds of processor time per operation, of the entrants that say how many they do. */
  readonly processorMs: Readonly<Record<string, ProcessorTimes>>;
  readonly verdicts: readonly Verdict[];
}

/** What was taken of an entrant. */
interface Taken {
  readonly values: number[];
  times: ProcessorTimes;
  operations: number;
}

export async function measure(row: Row, onRound: (round: number) => void): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const entrants = await row.prepare(stack);
  const taken = new Map<string, Taken>(
    entrants.map(({ name }) => [name, { values: [], times: noTimes, operations: 0 }]),
  );
  for (let round = 0; round < row.rounds; round++) {
    onRound(round + 1);
    for (const entrant of turnsOf(entrants, round)) await take(entrant, taken.get(entrant.name) as Taken);
  }
  const summaries = mapped(taken, ({ values }) => summarise(values));
  const processorMs = mapped(taken, ({ times, operations }) =>
    operations === 0 ? undefined : dividedBy(times, operations),
  );
  const { name, about, unit, scale } = row;
  const verdicts = row.targets.map(({ level, text, isMet }) => ({ level, text, isMet: isMet(summaries) }));
  return { name, about, unit, ...(scale && { scale }), summaries, processorMs, verdicts };
}

async function take({ sample, operations }: Entrant, into: Taken): Promise<void> {
  const before = operations === undefined ? undefined : processorTimes();
  const values = await sample();
  into.values.push(...(typeof values === "number" ? [values] : values));
  if (before === undefined) return;
  into.times = plus(into.times, minus(await settledTimes(), before));
  into.operations += operations ?? 0;
}

// Another one begins in each round, so that no entrant always follows the same one.
function turnsOf(entrants: readonly Entrant[], round: number): readonly Entrant[] {
  const first = round % entrants.length;
  return [...entrants.slice(first), ...entrants.slice(0, first)].filter(
    ({ every = 1 }) => round % every === 0,
  );
}

function mapped<T>(
  taken: ReadonlyMap<string, Taken>,
  map: (of: Taken) => T | undefined,
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    [...taken].flatMap(([name, of]) => {
      const value = map(of);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** How long `act` takes, in milliseconds. */
export async function timed(act: () => PromiseLike<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}
