// How the layers of settings become one complete set of limits, and what one call may change of them.
import { InvalidLimitsError } from "./errors.ts";
import { limitNames, limitTable, type LimitName, type LimitRow, type Limits } from "./limits.ts";
import { nearest } from "./option-places.ts";
import { custom, isRecord, optional, type Schema } from "./schema.ts";
import { show } from "./show.ts";

/** The limits that a caller sets, in a copy; throws as `resolveLimits` over the same base. */
export function readPartialLimits(given: unknown, base: Limits): Partial<Limits> {
  resolveLimits(base, given);
  return Object.freeze(withoutUndefined((given ?? {}) as Partial<Limits>));
}

/** The same without what is left out by an explicit undefined, which must not hide a limit below it. */
export function withoutUndefined(limits: Partial<Limits>): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
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
  if (limits.timeoutMs <= limits.timeoutMsMax) return limits;
  if (!isTimeoutGiven) return { ...limits, timeoutMs: limits.timeoutMsMax };
  throw new InvalidLimitsError(
    `Cannot set timeoutMs as it must be at most timeoutMsMax, ${limits.timeoutMsMax}: got ${limits.timeoutMs}`,
    "timeoutMs",
  );
}

/** A limit that was lowered: what was asked for, where null means off, and what is in force. */
export interface LoweredLimit {
  readonly asked: number | null;
  readonly given: number;
}

/** Limits that come from outside, none of them above its ceiling, and those that had to be lowered for it. */
export function boundLimits(
  asked: Limits,
  ceilings: Limits,
): { readonly limits: Limits; readonly lowered: LoweredLimits } {
  const limits: Record<LimitName, number | null> = { ...asked };
  const lowered: { [K in LimitName]?: LoweredLimit } = {};
  for (const name of limitNames) {
    const [own, ceiling] = [asked[name], ceilings[name]];
    if (ceiling === null || (own !== null && own <= ceiling)) continue;
    limits[name] = ceiling;
    lowered[name] = { asked: own, given: ceiling };
  }
  // Each is what was asked for or its ceiling, and both were checked by its own row.
  return { limits: Object.freeze(limits as Limits), lowered: Object.freeze(lowered) };
}

/** The lower one of each limit. */
export function lowerOf(one: Limits, other: Limits): Limits {
  return boundLimits(one, other).limits;
}

/** What was lowered, by the name of the limit. */
export type LoweredLimits = { readonly [K in LimitName]?: LoweredLimit };

function knownLimit(name: string): LimitName {
  if (Object.hasOwn(limitTable, name)) return name as LimitName;
  const rule = `it must be one of ${limitNames.join(", ")}`;
  const near = nearest(name, limitNames);
  const hint = near === undefined ? "" : `, did you mean ${near}?`;
  throw new InvalidLimitsError(`Cannot set limit ${show(name)} as ${rule}: got an unknown name${hint}`, name);
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
 * The bounds of one run. A call may lower each of them, and raise `timeoutMs` up to `timeoutMsMax`; it may neither raise
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
      timeoutMs === undefined ? limits.timeoutMs : lowered("timeoutMs", timeoutMs, limits.timeoutMsMax),
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
