// Options as tables: the kinds, bounds and defaults of what a caller may pass, as data. One table refuses unknown names and
// values of the wrong form, completes what was left out, and gives the completed object its type.
import { InvalidOptionsError } from "./errors.ts";
import { hintFor, notePlaces, type KnownNames } from "./option-places.ts";
import { show } from "./show.ts";

/** A rule that a value breaks; `rule` continues "it must be". */
export interface Mistake {
  readonly verb: "set" | "use";
  readonly path: string;
  readonly rule: string;
  readonly got: unknown;
  /** The names that an object may have, where it has another one. */
  readonly names?: readonly string[];
  /** Of those that are objects themselves, the names inside. */
  readonly inner?: KnownNames["inner"];
}

/** Makes the error of a mistake. */
export type Refuse = (mistake: Mistake) => Error;

/** What a value may be. A schema is data: its kind, bounds and default can be read from it. */
export interface Schema<T> {
  readonly kind: string;
  /** How messages name the value, where that is not its place in its table. */
  readonly path?: string;
  /** Of an object: the names that it may have. */
  readonly names?: readonly string[];
  /** The value, checked and complete. Throws `INVALID_OPTIONS`, or what `refuse` makes. */
  read(value: unknown, path: string, refuse?: Refuse): T;
}

/** The type that a schema reads. */
export type Read<S> = S extends Schema<infer T> ? T : never;

/** A schema for every option that an interface has, and for no other. */
export type Shape<Options> = { readonly [K in keyof Required<Options>]: Schema<unknown> };

/** An object whose names are checked and whose values are not yet. */
export type Given<Name extends string> = Readonly<Partial<Record<Name, unknown>>>;

type Table = Readonly<Record<string, Schema<unknown>>>;

export interface Fields<T extends Table> extends Schema<{ readonly [K in keyof T]: Read<T[K]> }> {
  readonly kind: "fields";
  readonly fields: T;
  readonly names: readonly (keyof T & string)[];
  /** The names inside of those that are objects themselves. */
  readonly inner: KnownNames["inner"];
}

/**
 * An object with these fields and no others; undefined stands for an empty one. `taker` is the method whose options they are:
 * who gives one of them to another is told so.
 */
export function fields<T extends Table>(table: T, taker?: string): Fields<T> {
  const known = { names: Object.keys(table), inner: innerOf(table) };
  if (taker !== undefined) notePlaces(taker, known);
  const { names } = known;
  const read: Fields<T>["read"] = (value = {}, path, refuse = refuseOption) => {
    const mistake = mistakeIn(value, path, known);
    if (mistake !== undefined) throw refuse(mistake);
    const given = value as Given<string>;
    const result: Record<string, unknown> = {};
    for (const name of names) {
      const schema = table[name];
      if (schema !== undefined)
        result[name] = schema.read(given[name], schema.path ?? `${path}.${name}`, refuse);
    }
    // The names are those of the table, and each value was read by its own schema.
    return Object.freeze(result) as Read<Fields<T>>;
  };
  return { kind: "fields", fields: table, names, inner: known.inner, read };
}

/** The object itself once its names are known to be among these: for calls, whose options are not copied. */
export function readGiven<Name extends string>(
  value: unknown,
  path: string,
  known: readonly Name[] | (KnownNames & { readonly names: readonly Name[] }),
): Given<Name> {
  const names = "names" in known ? known : { names: known };
  const mistake = value === undefined ? undefined : mistakeIn(value, path, names);
  if (mistake !== undefined) throw refuseOption(mistake);
  return (value ?? {}) as Given<Name>;
}

function mistakeIn(value: unknown, path: string, known: KnownNames): Mistake | undefined {
  if (!isRecord(value)) return { verb: "use", path, rule: objectRule(known), got: value };
  for (const name of Object.keys(value))
    if (!known.names.includes(name)) return { verb: "use", path, rule: "known", got: name, ...known };
  return undefined;
}

// What is most often given without its object is shown inside of it.
function objectRule({ names }: KnownNames): string {
  if (names.includes("modules")) return "an object, as in { modules: { main: … } }";
  return names.includes("args") ? "an object, as in { args: [ … ] }" : "an object";
}

function innerOf(table: Table): KnownNames["inner"] {
  const inner = new Map<string, readonly string[]>();
  for (const [name, schema] of Object.entries(table))
    if (schema.names !== undefined) inner.set(name, schema.names);
  return inner;
}

interface Form {
  readonly kind: string;
  readonly verb: Mistake["verb"];
  readonly rule: string;
  readonly default?: unknown;
  readonly isRequired?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly words?: readonly string[];
  readonly accepts: (value: unknown) => boolean;
}

/** One value of one form; left out it is its default, or undefined where it has none. */
export interface Leaf<T> extends Schema<T>, Form {}

/** A form of one's own; `T` is what `accepts` lets through. */
export function leaf<T>(form: Form): Leaf<T> {
  const read: Schema<T>["read"] = (value, path, refuse = refuseOption) => {
    if (value === undefined && form.isRequired !== true) return form.default as T;
    if (form.accepts(value)) return value as T;
    throw refuse({ verb: form.verb, path, rule: form.rule, got: value });
  };
  return { ...form, read };
}

/** May not be left out. */
export function required<T>(schema: Leaf<T>): Leaf<Exclude<T, undefined>> {
  return leaf({ ...schema, isRequired: true });
}

/** Is named so in messages, wherever its table is. */
export function at<S extends Schema<unknown>>(path: string, schema: S): S {
  return { ...schema, path };
}

interface Bounds<D> {
  readonly min: number;
  readonly max: number;
  readonly default?: D;
}

export function integer<D extends number | undefined = undefined>(bounds: Bounds<D>): Leaf<number | D> {
  const { min, max } = bounds;
  const accepts = (value: unknown): boolean => Number.isInteger(value) && isWithin(value, min, max);
  return leaf({ ...bounds, kind: "integer", verb: "set", rule: `${min}–${max}`, accepts });
}

/** A number that is at least `min`; infinite ones count, where there is no `isFinite`. */
export function number<D extends number | undefined = undefined>(
  bounds: { readonly min?: number; readonly isFinite?: boolean; readonly default?: D } = {},
): Leaf<number | D> {
  const { min = -Infinity, isFinite = false } = bounds;
  const rule = `a ${isFinite ? "finite " : ""}number${min === -Infinity ? "" : ` of at least ${min}`}`;
  const accepts = (value: unknown): boolean =>
    isWithin(value, min, Infinity) && (!isFinite || Number.isFinite(value));
  return leaf({ ...bounds, kind: "number", verb: "set", rule, accepts });
}

export function boolean<D extends boolean | undefined = undefined>(usual?: D): Leaf<boolean | D> {
  const accepts = (value: unknown): boolean => typeof value === "boolean";
  return leaf({ kind: "boolean", verb: "set", rule: "true or false", default: usual, accepts });
}

/** A text that is not empty. */
export function text<D extends string | undefined = undefined>(
  bounds: { readonly max?: number; readonly default?: D } = {},
): Leaf<string | D> {
  const { max = Infinity } = bounds;
  const rule = max === Infinity ? "a text" : `a text of 1–${max} characters`;
  const accepts = (value: unknown): boolean =>
    typeof value === "string" && value !== "" && value.length <= max;
  return leaf({ ...bounds, kind: "text", verb: max === Infinity ? "use" : "set", rule, accepts });
}

export function oneOf<const W extends string, D extends W | undefined = undefined>(
  words: readonly W[],
  usual?: D,
): Leaf<W | D> {
  const accepts = (value: unknown): boolean => (words as readonly unknown[]).includes(value);
  const rule = `among ${words.join(", ")}`;
  return leaf({ kind: "word", verb: "use", rule, default: usual, accepts, words });
}

/** As `oneOf`, for two. */
export function either<const W extends string, D extends W | undefined = undefined>(
  words: readonly W[],
  usual?: D,
): Leaf<W | D> {
  return leaf({ ...oneOf(words, usual), verb: "set", rule: words.join(" or ") });
}

/** One of a few words, or a list of them. */
export function someOf<W extends string>(words: readonly W[]): Schema<W | readonly W[] | undefined> {
  const word = required(oneOf(words));
  return optional(
    custom((value, path) => {
      return Array.isArray(value)
        ? Array.from(value, (each) => word.read(each, path))
        : word.read(value, path);
    }),
  );
}

/** A function; what it takes and gives cannot be checked. */
export function func<F>(): Leaf<F | undefined> {
  const accepts = (value: unknown): boolean => typeof value === "function";
  return leaf({ kind: "function", verb: "use", rule: "a function", accepts });
}

/** A list of names, in a copy. */
export const names: Schema<readonly string[]> = custom((value = [], path, refuse = refuseOption) => {
  if (isTexts(value)) return Object.freeze([...value]);
  throw refuse({ verb: "set", path, rule: "a list of names", got: value });
});

/** A list whose items are read one by one. */
export function list<T>(item: Schema<T>, { isFilled = false } = {}): Schema<readonly T[]> {
  const read: Schema<readonly T[]>["read"] = (value, path, refuse = refuseOption) => {
    if (!Array.isArray(value)) throw refuse({ verb: "use", path, rule: "a list", got: value });
    if (isFilled && value.length === 0)
      throw new InvalidOptionsError(`Cannot use ${path} as it must not be empty: it is`, path);
    // A hole in a list counts as an item that is undefined.
    return Array.from(value, (each, index) => item.read(each, `${path}[${index}]`, refuse));
  };
  return Object.assign(custom(read), { kind: "list", item, isFilled });
}

/** An object that has these methods. */
export function methods<T>(...names: readonly (keyof T & string)[]): Schema<T | undefined> {
  return custom((value, path) => {
    const given = (typeof value === "object" && value !== null ? value : {}) as Given<keyof T & string>;
    if (value === undefined || names.every((name) => typeof given[name] === "function")) return value as T;
    const rule = `it must have the methods ${names.join(", ")}`;
    throw new InvalidOptionsError(`Cannot use ${path} as ${rule}: got ${show(value)}`, path);
  });
}

/** An object that has these methods, and may not be left out. */
export function requiredMethods<T>(...names: readonly (keyof T & string)[]): Schema<T> {
  const schema = methods<T>(...names);
  // Null has no methods, so that what is left out is refused.
  return custom((value, path) => schema.read(value ?? null, path) as T);
}

/** What only its own function can read. */
export function custom<T>(read: Schema<T>["read"]): Schema<T> {
  return { kind: "custom", read };
}

/** As its schema, which reads an object with these names. */
export function named<T>(names: readonly string[], schema: Schema<T>): Schema<T> {
  return { ...schema, names };
}

/** Taken as it is, for what can only be read together with something else. */
export const unread: Schema<unknown> = custom((value) => value);

/** Left out, it is undefined; else as its schema reads it. */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  const read: Schema<T | undefined>["read"] = (value, path, refuse) =>
    value === undefined ? undefined : schema.read(value, path, refuse);
  return { ...schema, read };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && Array.from(value).every((item) => typeof item === "string");
}

/** The error that a mistake in options is. */
export function refuseOption({ verb, path, rule, got, names, inner }: Mistake): InvalidOptionsError {
  if (names !== undefined) {
    const hint = hintFor(String(got), { names, inner });
    if (hint !== undefined) {
      const message = `Cannot use option ${show(got)} in ${path} as ${hint} (here: ${names.join(", ")})`;
      return new InvalidOptionsError(message, `${path}.${String(got)}`);
    }
    const message = `Cannot use ${path} as its options must be among ${names.join(", ")}: got ${show(got)}`;
    return new InvalidOptionsError(message, `${path}.${String(got)}`);
  }
  return new InvalidOptionsError(`Cannot ${verb} ${path} as it must be ${rule}: got ${show(got)}`, path);
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}
