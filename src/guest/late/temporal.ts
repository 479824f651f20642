// `Temporal` with the sandbox's own clock. The engine's `Temporal.Now` counts in microseconds, and would be a clock for timing
// attacks; every other clock that a guest has counts whole milliseconds.
import type { Made, Needs } from "./needs.ts";

type Zoned = Record<"toPlainDateTime" | "toPlainDate" | "toPlainTime", () => unknown>;
interface Instant {
  toZonedDateTimeISO(zone: unknown): Zoned;
  since(other: Instant): object;
}
interface InstantClass {
  fromEpochMilliseconds(ms: number): Instant;
}
interface PlainDate {
  toPlainYearMonth(): object;
  toPlainMonthDay(): object;
}

/** The namespace, with the engine's classes, which a date leads to. */
export function make({ now, isVirtual }: Needs): Made {
  // The compiler's library does not know this method yet.
  const instant = (new Date(0) as unknown as { toTemporalInstant(): Instant }).toTemporalInstant();
  const zoned = instant.toZonedDateTimeISO("UTC");
  const date = zoned.toPlainDate() as PlainDate;
  // The class of an instant is `Temporal.Instant`.
  const Instant = classOf(instant) as unknown as InstantClass;
  const format = new Intl.DateTimeFormat();
  const timeZoneId = (): string => (isVirtual() ? "UTC" : format.resolvedOptions().timeZone);
  const zonedNow = (zone: unknown): Zoned =>
    Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO(zone === undefined ? timeZoneId() : zone);
  const Now = namespace("Temporal.Now", {
    instant: () => Instant.fromEpochMilliseconds(now()),
    timeZoneId,
    plainDateTimeISO: (zone?: unknown) => zonedNow(zone).toPlainDateTime(),
    zonedDateTimeISO: (zone?: unknown) => zonedNow(zone),
    plainDateISO: (zone?: unknown) => zonedNow(zone).toPlainDate(),
    plainTimeISO: (zone?: unknown) => zonedNow(zone).toPlainTime(),
  });
  const Temporal = namespace("Temporal", {
    Now,
    PlainDate: classOf(date),
    PlainTime: classOf(zoned.toPlainTime() as object),
    PlainDateTime: classOf(zoned.toPlainDateTime() as object),
    ZonedDateTime: classOf(zoned),
    Duration: classOf(instant.since(instant)),
    Instant,
    PlainYearMonth: classOf(date.toPlainYearMonth()),
    PlainMonthDay: classOf(date.toPlainMonthDay()),
  });
  return { Temporal };
}

function classOf(value: object): object {
  return (value as { readonly constructor: object }).constructor;
}

function namespace(tag: string, values: Readonly<Record<string, unknown>>): object {
  const made = {};
  for (const [name, value] of Object.entries(values)) {
    // Functions of ours look like the language's own; classes are the engine's.
    if (typeof value === "function" && !("prototype" in value)) {
      Object.defineProperty(value, "length", { value: 0, configurable: true });
      Object.defineProperty(value, "name", { value: name, configurable: true });
    }
    Object.defineProperty(made, name, { value, writable: true, enumerable: false, configurable: true });
  }
  return Object.defineProperty(made, Symbol.toStringTag, { value: tag, configurable: true });
}
