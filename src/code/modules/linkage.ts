// What a module takes from others and gives to them, by name.

/** A name that a module imports. */
export interface ImportedName {
  readonly specifier: string;
  /** Null for the namespace. */
  readonly name: string | null;
  /** The variable that it is in the module. */
  readonly local: string;
}

/** A name that a module re-exports from another. */
export interface Reexport {
  readonly exported: string;
  readonly specifier: string;
  /** Null for the namespace. */
  readonly name: string | null;
}

export type BodyKind = "sync" | "async" | "async generator";

const bodyKinds: readonly unknown[] = ["sync", "async", "async generator"] satisfies BodyKind[];

export interface Linkage {
  /** In the order of the variables that the module table sets. */
  readonly imports: readonly ImportedName[];
  /** For each exported variable, by its number: the names under which it is exported. */
  readonly locals: readonly (readonly string[])[];
  readonly reexports: readonly Reexport[];
  /** Specifiers of `export *`. */
  readonly stars: readonly string[];
  /** How its top level waits: not at all, by a `yield` for each await, or by itself. */
  readonly body: BodyKind;
}

/** Names that a module exports itself, sorted; those of `export *` are not among them. */
export function exportsOf({ locals, reexports }: Linkage): string[] {
  return [...locals.flat(), ...reexports.map(({ exported }) => exported)].toSorted();
}

/** Whether a value from outside is a linkage. */
export function isLinkage(value: unknown): value is Linkage {
  if (!isRecord(value)) return false;
  const { imports, locals, reexports, stars, body } = value;
  return (
    bodyKinds.includes(body) &&
    isList(imports, (entry) => isImport(entry) && isVariable(entry["local"])) &&
    isList(locals, (names) => isList(names, isText)) &&
    isList(reexports, (entry) => isImport(entry) && isText(entry["exported"])) &&
    isList(stars, isText)
  );
}

const isImport = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && isText(value["specifier"]) && (value["name"] === null || isText(value["name"]));
// It becomes part of a program's text.
const isVariable = (value: unknown): boolean =>
  typeof value === "string" && /^[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*$/u.test(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);
