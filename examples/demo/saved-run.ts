// A run that survives its process: after each generation its whole state is written as one row of the collection "runs" in
// the runtime's documents, and the next start continues from there. Not tied to this demo: another example uses it too.
import { InvalidOptionsError, type Runtime } from "vivarium";

/** What a run was started with, by the names of the command line's options; null where an option was not used. */
export type SavedOptions = Readonly<Record<string, string | number | null>>;

/** One row. A run adds fields of its own, from which it continues. */
export interface RunRow {
  /** Says which program wrote it, and the version of its fields. */
  readonly format: string;
  readonly title: string;
  /** The goal, in a sentence. */
  readonly about?: string;
  /** Of a score. */
  readonly unit?: string;
  /** Which scores are better. */
  readonly direction?: "maximise" | "minimise";
  readonly seed: number;
  readonly state: "running" | "done";
  /** The latest generation that was finished. */
  readonly generation: number;
  readonly evaluations: number;
  /** The budget; null where there is none of that kind. */
  readonly evaluationsMax?: number | null;
  readonly durationMs?: number;
  readonly durationMsMax?: number | null;
  readonly best: number | null;
  /** In milliseconds since 1970. */
  readonly updatedAt: number;
  readonly options: SavedOptions;
}

/** Which run of which folder. */
export interface RunPlace {
  /** The folder, as the user wrote it. */
  readonly folder: string;
  /** The key of its row. */
  readonly name: string;
  readonly format: string;
}

const collection = "runs";

/** The row of the latest finished generation; undefined where there is none. One of another format is refused. */
export async function readRun<Row extends RunRow>(
  runtime: Runtime,
  { folder, name, format }: RunPlace,
): Promise<Row | undefined> {
  const rows = new Map(await runtime.documents.read(collection));
  const row = rows.get(name) as Row | undefined;
  if (row === undefined || row.format === format) return row;
  throw new InvalidOptionsError(
    `Cannot continue the run in ${folder} as it must be of format ${format}: got ${JSON.stringify(row.format)}. ` +
      "Use another folder, or --fresh to begin anew",
    "data",
  );
}

/** Resolves when it is persisted. */
export async function writeRun(runtime: Runtime, name: string, row: RunRow): Promise<void> {
  await runtime.documents.write(collection, new Map([[name, row]]));
}

export async function forgetRun(runtime: Runtime, name: string): Promise<void> {
  await runtime.documents.write(collection, new Map([[name, undefined]]));
}

/** The options of a run that is continued: what is given must be what it was started with, and may be left out. */
export function sameOptions<Options extends SavedOptions>(
  given: Readonly<Partial<Record<keyof Options & string, string | number | undefined>>>,
  saved: Options,
  folder: string,
): Options {
  const others = Object.entries(given).filter(
    ([name, value]) => value !== undefined && value !== saved[name],
  );
  if (others.length === 0) return saved;
  const differences = others.map(([name, value]) => `--${name} ${value} instead of ${saved[name]}`);
  throw new InvalidOptionsError(
    `Cannot continue the run in ${folder} as it must have the options that it was started with: got ` +
      `${differences.join(", ")}. Leave them out to continue it, or use another folder, or --fresh to begin anew`,
    others[0]?.[0] ?? "data",
  );
}

/** Destroys the sandboxes that an interrupted generation left behind; returns how many there were. */
export async function removeLeftovers(
  runtime: Runtime,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const left = await runtime.list({ labels });
  const removed = await runtime.batch.destroy(left.map(({ id }) => id));
  for (const result of removed) if (!result.ok) throw result.error;
  return left.length;
}

/** A word of a command line as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
