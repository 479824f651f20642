// Every limit: its default and its bounds.

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const GiB = 2 ** 30;
const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

export interface LimitRow {
  /** null: off unless asked for. */
  readonly default: number | null;
  readonly min: number;
  readonly max: number;
  readonly about: string;
}

export const limitTable = {
  memoryBytes: { default: 128 * MiB, min: 8 * MiB, max: 4 * GiB, about: "heap and external memory" },
  timeoutMs: { default: 30_000, min: 1, max: hourMs, about: "wall time of one run" },
  timeoutMsMax: { default: 300_000, min: 1, max: hourMs, about: "the highest `timeoutMs` of one call" },
  loadMs: { default: 5_000, min: 1, max: hourMs, about: "top level of all modules, init, migration" },
  stepMs: {
    default: 1_000,
    min: 1,
    max: hourMs,
    about: "one timer turn outside a run, one step of a process",
  },
  compileMs: { default: 10_000, min: 1, max: hourMs, about: "processor time to compile one module" },
  cpuMs: { default: null, min: 1, max: hourMs, about: "processor time of one run" },
  cpuPercent: { default: null, min: 1, max: 100, about: "share of one core over one second" },
  fuel: {
    default: null,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    about: "loop turns and function entries of one run",
  },
  processes: { default: 100, min: 1, max: 10_000, about: "processes at a time" },
  messageQueue: { default: 10_000, min: 1, max: 1_000_000, about: "messages waiting for one process" },
  argsBytes: { default: 8 * MiB, min: KiB, max: 64 * MiB, about: "arguments of one run, encoded" },
  resultBytes: { default: 8 * MiB, min: KiB, max: 64 * MiB, about: "result of one run, encoded" },
  outputBytes: { default: MiB, min: 0, max: 64 * MiB, about: "console output of one run" },
  logBytes: { default: MiB, min: 0, max: 64 * MiB, about: "console output stored per sandbox" },
  sourceBytes: { default: MiB, min: 1, max: 16 * MiB, about: "source of one module" },
  lifetimeMs: { default: null, min: 1, max: yearMs, about: "age at which it is collected" },
  idleMs: { default: null, min: 1, max: yearMs, about: "time without a run until it is collected" },
} as const satisfies Record<string, LimitRow>;

export type LimitName = keyof typeof limitTable;

/** A complete set of limits. `null` means off. */
export type Limits = {
  readonly [K in LimitName]: (typeof limitTable)[K]["default"] extends null ? number | null : number;
};

export const limitNames: readonly LimitName[] = Object.keys(limitTable) as LimitName[];

export const defaultLimits: Limits = Object.freeze(
  Object.fromEntries(limitNames.map((name) => [name, limitTable[name].default])),
) as Limits;
