// Which test files are run together, how many at a time, and which of them measure coverage.

export interface Group {
  readonly paths: readonly string[];
  readonly concurrency: number;
  /** Whether it is measured what these tests reach. */
  readonly isMeasured: boolean;
}

export interface Choice {
  /** Parts of the paths that are wanted; none means all. */
  readonly words: readonly string[];
  readonly cores: number;
  /** Whether coverage is measured: not at all, beside all else that is run, or with nothing else. */
  readonly coverage: "none" | "too" | "only";
}

// These reach the orchestrator without a process between, so that coverage sees it, and on simulated time, so that it is the
// same each time. The simulation comes first, as it is the longest file and has one core for itself.
const measured = ["test/simulation/", "test/unit/orchestration/"];

// What is quick comes first, so that a plain mistake is known at once.
const early = [...measured, "test/unit/", "test/docs/"];

// Files share the cores, but for those where time or memory is what they test.
const alone = [
  "test/limits/",
  "test/hostile/hostile.test.ts",
  "test/hostile/traps.test.ts",
  "test/chaos/chaos.test.ts",
  "test/soak/",
];

export function groupsOf(paths: readonly string[], { words, cores, coverage }: Choice): readonly Group[] {
  const wanted = paths
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort((one, other) => rank(one) - rank(other) || one.localeCompare(other, "en"));
  const isMeasured = (path: string): boolean => coverage !== "none" && startsWithOne(path, measured);
  const isAlone = (path: string): boolean => !isMeasured(path) && startsWithOne(path, alone);
  const isShared = (path: string): boolean => !isMeasured(path) && !isAlone(path);
  const groups = [
    { paths: wanted.filter(isMeasured), concurrency: cores, isMeasured: true },
    { paths: wanted.filter(isShared), concurrency: cores, isMeasured: false },
    { paths: wanted.filter(isAlone), concurrency: 1, isMeasured: false },
  ];
  return groups.filter((group) => group.paths.length > 0 && (coverage !== "only" || group.isMeasured));
}

function rank(path: string): number {
  const place = early.findIndex((start) => path.startsWith(start));
  return place === -1 ? early.length : place;
}

function startsWithOne(path: string, starts: readonly string[]): boolean {
  return starts.some((start) => path.startsWith(start));
}
