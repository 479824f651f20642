// Every limit: its default, its bounds, and how the layers of settings become one complete set.
import { InvalidLimitsError } from "./errors.ts";
import { custom, isRecord, optional, type Schema } from "./schema.ts";
import { show } from "./show.ts";

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const GiB = 2 ** 30;
const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

interface LimitRow {
  /** null: off unless asked for. */
  readonly default: number | null;
  readonly min: number;
  readonly max: number;
  readonly about: string;
}

export const limitTable = {
  memoryBytes: { default: 128 * MiB, min: 8 * MiB, max: 4 * GiB, about: "heap and external memory" },
  timeoutMs: { default: 30_000, min: 1, max: hourMs, about: "wall time of one run" },
  maxTimeoutMs: { default: 300_000, min: 1, max: hourMs, about: "the highest `timeoutMs` of one call" },
  loadMs: { default: 5_000, min: 1, max: hourMs, about: "top level of all modules, init, migration" },
  stepMs: {
    default: 1_000,
    min: 1,
    max: hourMs,
    about: "one timer turn outside a run, one step of a process",
  },
  compileMs: { default: 10_000, min: 1, max: hourMs, about: "compilation of one module" },
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

/** The limits that a caller sets, in a copy; throws as `resolveLimits` over the same base. */
export function readPartialLimits(given: unknown, base: Limits): Partial<Limits> {
  resolveLimits(base, given);
  return Object.freeze({ ...(given as Partial<Limits> | undefined) });
}

/** Lays the given limits over a complete set; throws `INVALID_LIMITS` for what is unknown or out of bounds. */
export function resolveLimits(base: Limits, given: unknown): Limits {
  if (given === undefined) return base;
  if (!isRecord(given)) {
    throw new InvalidLimitsError(`Cannot set limits as they must be an object: got ${show(given)}`, "limits");
  }
  const resolved: Record<LimitName, number | null> = { ...base };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) resolved[knownLimit(name)] = checkLimit(knownLimit(name), value);
  // Every value was checked by its own row, which says whether it may be null.
  return Object.freeze(withinCeiling(resolved as Limits, given["timeoutMs"] !== undefined));
}

// A ceiling lowered below an inherited timeout lowers that too; a timeout asked for above it is a mistake.
function withinCeiling(limits: Limits, isTimeoutGiven: boolean): Limits {
  if (limits.timeoutMs <= limits.maxTimeoutMs) return limits;
  if (!isTimeoutGiven) return { ...limits, timeoutMs: limits.maxTimeoutMs };
  throw new InvalidLimitsError(
    `Cannot set timeoutMs as it must be at most maxTimeoutMs, ${limits.maxTimeoutMs}: got ${limits.timeoutMs}`,
    "timeoutMs",
  );
}

function knownLimit(name: string): LimitName {
  if (Object.hasOwn(limitTable, name)) return name as LimitName;
  const rule = `it must be one of ${limitNames.join(", ")}`;
  throw new InvalidLimitsError(`Cannot set limit ${show(name)} as ${rule}: got an unknown name`, name);
}

function checkLimit(name: LimitName, value: unknown): number | null {
  const row: LimitRow = limitTable[name];
  if (value === null && row.default === null) return null;
  const isWithin =
    typeof value === "number" && value >= row.min && value <= row.max && Number.isInteger(value);
  if (isWithin) return value;
  const off = row.default === null ? " or null" : "";
  throw new InvalidLimitsError(
    `Cannot set ${name} as it must be ${row.min}–${row.max}${off}: got ${show(value)}`,
    name,
  );
}

/** What one call may ask for, not yet checked. */
export interface CallLimits {
  readonly timeoutMs?: unknown;
  readonly cpuMs?: unknown;
  readonly fuel?: unknown;
}

/** What bounds one run. */
export interface RunBounds {
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  readonly fuel: number | null;
}

type CallLimitName = "timeoutMs" | "cpuMs" | "fuel";

/**
 * The bounds of one run. A call may lower each of them, and raise `timeoutMs` up to `maxTimeoutMs`; it may neither raise
 * `cpuMs` or `fuel` above the sandbox's nor switch one off. Throws `INVALID_LIMITS`.
 */
export function resolveCallLimits(limits: Limits, call: CallLimits): RunBounds {
  const { timeoutMs, cpuMs, fuel } = call;
  if (fuel !== undefined && limits.fuel === null) {
    throw new InvalidLimitsError(
      "Cannot set fuel for one call as the sandbox must be created with it: it was not",
      "fuel",
    );
  }
  return {
    timeoutMs:
      timeoutMs === undefined ? limits.timeoutMs : lowered("timeoutMs", timeoutMs, limits.maxTimeoutMs),
    cpuMs: cpuMs === undefined ? limits.cpuMs : lowered("cpuMs", cpuMs, limits.cpuMs),
    fuel: fuel === undefined ? limits.fuel : lowered("fuel", fuel, limits.fuel),
  };
}

function lowered(name: CallLimitName, value: unknown, ceiling: number | null): number {
  const checked = checkLimit(name, value);
  if (checked !== null && (ceiling === null || checked <= ceiling)) return checked;
  throw new InvalidLimitsError(
    `Cannot set ${name} for one call as it must be at most ${ceiling ?? limitTable[name].max}: got ${show(value)}`,
    name,
  );
}

/** A limit of one call, whatever its sandbox allows. */
export function callLimit(name: CallLimitName): Schema<number | undefined> {
  return optional(custom((value) => lowered(name, value, limitTable[name].max)));
}
