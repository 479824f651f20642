// What an evolution says of itself: a document under its name, which its program writes and others read. It may be any JSON, and
// so each field is checked.
import { isRecord } from "./schema.ts";

/** The collection of documents in which evolutions say how far they are. */
export const runsCollection = "runs";

/**
 * What an evolution says of itself: a row of the collection "runs" in the documents of a runtime, under its name. Each field of a
 * row is optional; what is missing, or is no such value, is null.
 */
export interface RunEntry {
  readonly name: string;
  readonly title: string | null;
  /** Its goal, in a sentence. */
  readonly about: string | null;
  readonly seed: number | null;
  readonly state: "running" | "done" | null;
  /** The latest that was finished. */
  readonly generation: number | null;
  readonly evaluations: number | null;
  /** Its budget. */
  readonly evaluationsMax: number | null;
  readonly durationMs: number | null;
  /** Its budget of time. */
  readonly durationMsMax: number | null;
  readonly best: number | null;
  readonly direction: "maximise" | "minimise" | null;
  /** Of a score. */
  readonly unit: string | null;
  readonly updatedAt: number | null;
}

/** How many characters are told of a text; it is cut there. */
const textLengths = { title: 200, about: 2_000, unit: 50 };

/** A row as it is told. */
export function runEntry(name: string, value: unknown): RunEntry {
  const row = isRecord(value) ? value : {};
  return {
    name,
    title: textOf(row["title"], textLengths.title),
    about: textOf(row["about"], textLengths.about),
    seed: numberOf(row["seed"]),
    state: wordOf(row["state"], ["running", "done"]),
    generation: numberOf(row["generation"]),
    evaluations: numberOf(row["evaluations"]),
    evaluationsMax: numberOf(row["evaluationsMax"]),
    durationMs: numberOf(row["durationMs"]),
    durationMsMax: numberOf(row["durationMsMax"]),
    best: numberOf(row["best"]),
    direction: wordOf(row["direction"], ["maximise", "minimise"]),
    unit: textOf(row["unit"], textLengths.unit),
    updatedAt: numberOf(row["updatedAt"]),
  };
}

function textOf(value: unknown, length: number): string | null {
  // Cut between letters, as half of a pair of surrogates is none.
  return typeof value === "string" ? value.slice(0, length).toWellFormed() : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function wordOf<const W extends string>(value: unknown, words: readonly W[]): W | null {
  return words.find((word) => word === value) ?? null;
}
