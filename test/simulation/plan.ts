// What one run consists of. All of it comes from the seed; whoever looks for the cause of a failure takes parts of it away.
import { Dice } from "./dice.ts";
import type { ExportName } from "./program.ts";
import { themeNames, themes, type Theme } from "./themes.ts";
import { troubleNames, type TroubleName } from "./trouble.ts";

const usualOperations = [
  "create",
  "batchCreate",
  "fork",
  "exportImport",
  "once",
  "call",
  "run",
  "batchCall",
  "evaluate",
  "ask",
  "send",
  "hotReload",
  "batchReload",
  "rollback",
  "rollbackTo",
  "suspend",
  "resume",
  "restart",
  "updateLimits",
  "checkpoint",
  "captureState",
  "restoreState",
  "destroy",
  "batchDestroy",
  "collect",
  "look",
  "record",
  "reopen",
] as const;

/** What only some runs have; the others are as they were before there was such. */
const laterOperations = ["generation", "script", "session", "stream"] as const;

export const operationNames = [...usualOperations, ...laterOperations] as const;

export type OperationName = (typeof operationNames)[number];

export interface Plan {
  readonly seed: number;
  readonly callers: number;
  /** How many operations each caller makes. */
  readonly steps: number;
  readonly ids: number;
  readonly troubles: readonly TroubleName[];
  readonly operations: readonly OperationName[];
  /** Steps that are left out, each as caller and number. */
  readonly skipped: readonly string[];
  /** How often each operation is chosen, and each export called. */
  readonly weights: Readonly<Record<OperationName, number>>;
  readonly exportWeights: Readonly<Partial<Record<ExportName, number>>>;
  /** How many of the sandboxes are of a kind. */
  readonly shares: {
    readonly server: number;
    readonly granted: number;
    readonly placed: number;
    readonly ticking: number;
    /** Of the runs: those that may be repeated, and those with much time. */
    readonly repeatable: number;
    readonly long: number;
  };
  /** Within how many milliseconds cells die that do; 0 for those that do not. */
  readonly deathsMs: readonly number[];
  readonly cells: {
    readonly count: number;
    readonly spare: number;
    readonly lanes: number;
    readonly sandboxesMax: number;
    readonly waitMs: number;
  };
}

const usualWeights: Readonly<Partial<Record<OperationName, number>>> = {
  create: 10,
  call: 20,
  ask: 8,
  hotReload: 8,
  destroy: 4,
  suspend: 4,
  resume: 4,
  look: 3,
};

const usualExports: Readonly<Partial<Record<ExportName, number>>> = {
  echo: 20,
  count: 30,
  ask: 20,
  wait: 12,
  spin: 12,
  never: 2,
  fail: 2,
  log: 2,
  eat: 2,
  hang: 2,
  crash: 2,
};

export type TroubleNames = readonly TroubleName[];

/** The plan of a seed, without some troubles. */
export function planOf(seed: number, without: TroubleNames = []): Plan {
  const dice = new Dice(seed, "plan");
  const mixed = mixedPlan(seed, dice);
  const theme: Theme | undefined = dice.chance(0.5) ? themes[dice.pick(themeNames)] : undefined;
  const plan = withScripts(withGenerations(theme === undefined ? mixed : themedPlan(mixed, theme, dice)));
  return { ...plan, troubles: plan.troubles.filter((name) => !without.includes(name)) };
}

// Some runs have batches that make their sandboxes.
function withGenerations(plan: Plan): Plan {
  const dice = new Dice(plan.seed, "generations");
  const troubles: TroubleNames = ["abort", "close", "death", "store-slow", "compile-slow", "guilt"];
  if (!dice.chance(0.25)) return plan;
  return {
    ...plan,
    troubles: [...new Set([...plan.troubles, ...troubles.filter(() => dice.chance(0.3))])],
    operations: [...plan.operations, "generation"],
    weights: { ...plan.weights, generation: dice.pick([2, 8, 30]) },
  };
}

// And some have scripts and streams.
function withScripts(plan: Plan): Plan {
  const dice = new Dice(plan.seed, "scripts");
  const troubles: TroubleNames = ["abort", "delay", "death", "lies", "compile-slow", "guilt", "close"];
  if (!dice.chance(0.3)) return plan;
  const chosen = (["script", "session", "stream"] as const).filter(() => dice.chance(0.6));
  return {
    ...plan,
    troubles: [...new Set([...plan.troubles, ...troubles.filter(() => dice.chance(0.2))])],
    operations: [...plan.operations, ...chosen],
    weights: { ...plan.weights, ...Object.fromEntries(chosen.map((name) => [name, dice.pick([4, 15, 40])])) },
  };
}

function mixedPlan(seed: number, dice: Dice): Plan {
  // A part of all that there is: what hides behind something else shows when that is left out.
  const troubleShare = dice.pick([0, 0.15, 0.3, 0.6]);
  const operationShare = dice.pick([0.3, 0.6, 1]);
  const operations = usualOperations.filter(() => dice.chance(operationShare));
  // Each run has its favourites.
  const favour = (weight: number): number => weight * dice.pick([0.2, 1, 1, 5]);
  const weights = Object.fromEntries(usualOperations.map((name) => [name, favour(usualWeights[name] ?? 2)]));
  const exportWeights = Object.fromEntries(
    Object.entries(usualExports).map(([name, weight]) => [name, favour(weight)]),
  );
  return {
    seed,
    callers: dice.between(1, 5),
    steps: dice.between(8, 30),
    ids: dice.pick([1, 2, 3, 5, 8]),
    troubles: troubleNames.filter(() => dice.chance(troubleShare)),
    operations: [...new Set<OperationName>(["create", "call", ...operations])],
    skipped: [],
    weights: {
      ...weights,
      ...Object.fromEntries(laterOperations.map((name) => [name, 0])),
    } as Plan["weights"],
    exportWeights,
    shares: {
      server: dice.pick([0, 0.35, 1]),
      granted: dice.pick([0.5, 1]),
      placed: dice.pick([0, 0, 0.5]),
      ticking: dice.pick([0, 0.5, 1]),
      repeatable: 0.5,
      long: 0.5,
    },
    deathsMs: [0, 0, 100, 3_000, 20_000],
    cells: {
      count: dice.between(1, 2),
      spare: dice.between(0, 1),
      lanes: dice.between(1, 3),
      sandboxesMax: dice.pick([2, 4, 100]),
      waitMs: dice.pick([400, 1_000, 3_000]),
    },
  };
}

function themedPlan(plan: Plan, theme: Theme, dice: Dice): Plan {
  const isChosen = (name: OperationName): boolean => theme.operations.includes(name);
  const weights = operationNames.map((name) => [name, isChosen(name) ? dice.pick([1, 2, 4]) : 0]);
  const exports = theme.exports?.map((name) => [name, dice.pick([1, 2, 4])]);
  return {
    ...plan,
    callers: dice.between(2, 5),
    ids: dice.pick(theme.ids),
    troubles: troubleNames.filter((name) => dice.chance(theme.troubles.includes(name) ? 0.7 : 0.03)),
    operations: theme.operations,
    weights: Object.fromEntries(weights) as Plan["weights"],
    ...(exports === undefined ? {} : { exportWeights: Object.fromEntries(exports) as Plan["exportWeights"] }),
    shares: { ...plan.shares, ...theme.shares },
    cells: { ...plan.cells, ...theme.cells },
    deathsMs: theme.deathsMs ?? plan.deathsMs,
  };
}
