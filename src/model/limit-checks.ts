// How layers of limits become one complete set, and what one call may ask for within it.
import { InvalidLimitsError } from "./errors.ts";
import { limitNames, limitTable, type LimitName, type LimitRow, type Limits } from "./limits.ts";
import { show } from "./show.ts";

/** Lays the given limits over a complete set; throws `INVALID_LIMITS` for what is unknown or out of bounds. */
export function resolveLimits(base: Limits, given: Partial<Limits> | undefined): Limits {
  if (given === undefined) return base;
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new InvalidLimitsError(`Cannot set limits as they must be an object: got ${show(given)}`, "limits");
  }
  const checked: Record<string, number | null> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) checked[name] = checkLimit(name, value);
  }
  return Object.freeze(withinCeiling({ ...base, ...checked }, given));
}

// A ceiling lowered below an inherited timeout lowers that too; a timeout asked for above it is a mistake.
function withinCeiling(limits: Limits, given: Partial<Limits>): Limits {
  if (limits.timeoutMs <= limits.maxTimeoutMs) return limits;
  if (given.timeoutMs === undefined) return { ...limits, timeoutMs: limits.maxTimeoutMs };
  throw new InvalidLimitsError(
    `Cannot set timeoutMs as it must be at most maxTimeoutMs, ${limits.maxTimeoutMs}: got ${limits.timeoutMs}`,
    "timeoutMs",
  );
}

function checkLimit(name: string, value: unknown): number | null {
  if (!isLimitName(name)) {
    throw new InvalidLimitsError(
      `Cannot set limit ${show(name)} as it must be one of ${limitNames.join(", ")}: got an unknown name`,
      name,
    );
  }
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

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(limitTable, name);
}

/** What one call may ask for: its own deadline and processor time, each at most the sandbox's ceiling. */
export interface CallLimits {
  readonly timeoutMs?: number | undefined;
  readonly cpuMs?: number | undefined;
  readonly fuel?: number | undefined;
}

/** What bounds one run. */
export interface RunBounds {
  readonly timeoutMs: number;
  readonly cpuMs: number | null;
  readonly fuel: number | null;
}

/** The bounds of one run; throws `INVALID_LIMITS` when a call asks for more than it may. */
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

function lowered(name: "timeoutMs" | "cpuMs" | "fuel", value: unknown, ceiling: number | null): number {
  const checked = checkLimit(name, value);
  if (checked !== null && (ceiling === null || checked <= ceiling)) return checked;
  throw new InvalidLimitsError(
    `Cannot set ${name} for one call as it must be at most ${ceiling}: got ${show(value)}`,
    name,
  );
}
