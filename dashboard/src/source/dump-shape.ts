// What each entry of a document must be for the page to rely on it. A check answers what is wanted, in words, or null where that
// is there; nothing is copied, as a document may have fifty megabytes.
export type Fields = Readonly<Record<string, unknown>>;
/** Null, or where it is wrong, what must be there, and what is. */
export type Check = (value: unknown) => Wrong | null;
export interface Wrong {
  readonly path: string;
  readonly wanted: string;
  readonly got: unknown;
}

export const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function must(wanted: string, holds: (value: unknown) => boolean): Check {
  return (value) => (holds(value) ? null : { path: "", wanted, got: value });
}

/** Times that a calendar has. */
const timeMax = 8.64e15;
const generationMax = 2 ** 31 - 1;
const isWhole = (value: unknown, max: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max;

const depthMax = 1_000;
const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (depth > 0 && Object.values(value).every((inside) => isShallow(inside, depth - 1)));
/** What is deeper cannot be written as text again. */
export const anything: Check = must(`nested at most ${depthMax} deep`, (value) => isShallow(value, depthMax));
export const text: Check = must("a text", (value) => typeof value === "string");
export const flag: Check = must("true or false", (value) => typeof value === "boolean");
export const figure: Check = must("a finite number", Number.isFinite);
export const count: Check = must("a whole number from 0", (value) => isWhole(value, Number.MAX_SAFE_INTEGER));
export const generation: Check = must(`a whole number, 0–${generationMax}`, (value) =>
  isWhole(value, generationMax),
);
export const time: Check = must(
  "a time in milliseconds",
  (value) => Number.isFinite(value) && Math.abs(Number(value)) <= timeMax,
);
export const oneOf = (...words: readonly string[]): Check =>
  must(words.map((word) => `"${word}"`).join(" or "), (value) => words.some((word) => word === value));
export const place = (count: number): Check =>
  must(`a place in its ${count} texts`, (value) => isWhole(value, count - 1));

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value);
export const orNone =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null ? null : check(value);

export function list(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", wanted: "a list", got: value };
    for (const [index, entry] of value.entries()) {
      const wrong = check(entry);
      if (wrong !== null) return { ...wrong, path: `[${index}]${wrong.path}` };
    }
    return null;
  };
}

/** A record whose values are all of a kind. */
export function table(check: Check): Check {
  return (value) => {
    if (!isRecord(value)) return { path: "", wanted: "a record", got: value };
    for (const name of Object.keys(value)) {
      const wrong = check(value[name]);
      if (wrong !== null) return { ...wrong, path: `[${JSON.stringify(name.slice(0, 40))}]${wrong.path}` };
    }
    return null;
  };
}

/** A record with these fields; it may have others. */
export function record(checks: Readonly<Record<string, Check>>): Check {
  const entries = Object.entries(checks);
  return (value) => {
    if (!isRecord(value)) return { path: "", wanted: "a record", got: value };
    for (const [name, check] of entries) {
      // What a prototype has is no field.
      const wrong = check(Object.hasOwn(value, name) ? value[name] : undefined);
      if (wrong !== null) return { ...wrong, path: `.${name}${wrong.path}` };
    }
    return null;
  };
}
