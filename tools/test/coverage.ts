// How much of the orchestrator its own tests must reach. It has the most states and the rarest paths, and the tests that are
// measured know nothing of processes and time, so that what they miss is missed by accident.

export const coveredFiles = "src/orchestration/**";

export interface Totals {
  readonly coveredLinePercent: number;
  readonly coveredBranchPercent: number;
  readonly coveredFunctionPercent: number;
}

// A little below what was measured: 94.0, 94.0 and 93.3. Raise them when the tests reach more.
const floor: Totals = { coveredLinePercent: 93.5, coveredBranchPercent: 93.5, coveredFunctionPercent: 92.8 };

const names = {
  coveredLinePercent: "lines",
  coveredBranchPercent: "branches",
  coveredFunctionPercent: "functions",
} as const satisfies Record<keyof Totals, string>;

/** What is covered less than it must be, as sentences. */
export function belowFloor(totals: Totals, least: Totals = floor): readonly string[] {
  return (Object.keys(names) as (keyof Totals)[])
    .filter((key) => totals[key] < least[key])
    .map(
      (key) =>
        `Cannot accept the coverage of ${coveredFiles} as ${names[key]} must be at ${least[key]} % or more: ` +
        `got ${totals[key].toFixed(2)} %. The table above says what no test reaches.`,
    );
}
