// Figures and texts as people read them. What comes from guests is made visible here: characters that would be invisible, or would
// turn the line around, are shown as escapes.
export const unknownText = "unknown";

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 5 });
const clockTime = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dayAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

type Figure = number | null | undefined;
const isUnknown = (value: Figure): value is null | undefined =>
  value === null || value === undefined || Number.isNaN(value);

export function countText(value: Figure): string {
  return isUnknown(value) ? unknownText : whole.format(value);
}

/** A score, or another number that may be anything. */
export function numberText(value: Figure): string {
  if (isUnknown(value)) return unknownText;
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e9 || size < 1e-4) ? value.toExponential(3) : fine.format(value);
}

export function percentText(share: Figure): string {
  return isUnknown(share) ? unknownText : `${fine.format(Math.round(share * 1_000) / 10)} %`;
}

export function bytesText(bytes: Figure): string {
  if (isUnknown(bytes)) return unknownText;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  // What would be rounded to 1,024 is 1.0 of the next unit.
  const step = bytes <= 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes + bytes / 2_048) / 10));
  const value = bytes / 2 ** (10 * step);
  return `${value >= 100 || step === 0 ? whole.format(value) : value.toFixed(1)} ${units[step]}`;
}

export function durationText(ms: Figure): string {
  if (isUnknown(ms)) return unknownText;
  if (ms < 1) return `${fine.format(ms)} ms`;
  if (ms < 1_000) return `${whole.format(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

/** A program may say any number to be a time; the calendar ends somewhere. */
const isTime = (at: Figure): at is number => !isUnknown(at) && Math.abs(at) <= 8.64e15;

export function timeText(at: Figure): string {
  return isTime(at) ? clockTime.format(at) : unknownText;
}

export function dateText(at: Figure): string {
  return isTime(at) ? dayAndTime.format(at) : unknownText;
}

export function agoText(at: Figure, now: number): string {
  return isUnknown(at) ? unknownText : `${durationText(Math.max(0, now - at))} ago`;
}

export const invisible: RegExp =
  // Controls but for tab and line feed, marks of direction, spaces of no width, halves of surrogate pairs.
  // oxlint-disable-next-line no-control-regex -- to be made visible
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A guest's text with nothing hidden in it. */
export function visible(text: string): string {
  return text.replaceAll(invisible, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same as one line of at most so many characters: `…` stands for what was left out. */
export function oneLine(text: string, max = 200): string {
  const line = visible(text.slice(0, max + 1).replaceAll(/\s+/g, " "));
  return line.length > max ? `${line.slice(0, max)}…` : line;
}

/** Any data as JSON on one line. */
export function dataText(value: unknown, max = 200): string {
  if (typeof value === "string") return oneLine(value, max);
  try {
    return oneLine((JSON.stringify(value) as string | undefined) ?? String(value), max);
  } catch {
    return unknownText;
  }
}
