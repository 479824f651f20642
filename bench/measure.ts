// Measures the entrants of a row in turn, round by round, so that other load of the machine affects all of them.
import type { Entrant, Row } from "./row.ts";
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
  readonly summaries: Readonly<Record<string, Summary>>;
  readonly verdicts: readonly Verdict[];
}

export async function measure(row: Row, onRound: (round: number) => void): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const entrants = await row.prepare(stack);
  const taken = new Map(entrants.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < row.rounds; round++) {
    onRound(round + 1);
    for (const entrant of turnsOf(entrants, round)) {
      const values = await entrant.sample();
      taken.get(entrant.name)?.push(...(typeof values === "number" ? [values] : values));
    }
  }
  const summaries = Object.fromEntries([...taken].map(([name, values]) => [name, summarise(values)]));
  const { name, about, unit } = row;
  const verdicts = row.targets.map(({ level, text, isMet }) => ({ level, text, isMet: isMet(summaries) }));
  return { name, about, unit, summaries, verdicts };
}

// Another one begins in each round, so that no entrant always follows the same one.
function turnsOf(entrants: readonly Entrant[], round: number): readonly Entrant[] {
  const first = round % entrants.length;
  return [...entrants.slice(first), ...entrants.slice(0, first)].filter(
    ({ every = 1 }) => round % every === 0,
  );
}

/** How long `act` takes, in milliseconds. */
export async function timed(act: () => PromiseLike<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}
