// Individuals as rows: what is known of one, and the listener that persists it.
import type { Components, EvaluationFailureKind, TestResult } from "../../model/fitness.ts";

/** What is known of an individual beside its row. */
export interface Details {
  /** When its sandbox was created: tells it from another one of the same id. */
  createdAt: number | null;
  components: Components;
  tests: readonly TestResult[];
  /** Why it has no score, in words. */
  message: string | null;
  adjustments: { readonly delta: number; readonly reason: string }[];
}

export type FitnessResult = "none" | "ok" | EvaluationFailureKind;

/** One individual as a row that can be persisted; its parents are not among it. */
export interface IndividualRow extends Details {
  readonly id: string;
  /** It is awaited where it was named, but its birth was not reported. */
  readonly state: "awaited" | "living" | "dead";
  readonly generation: number;
  readonly depth: number;
  readonly score: number;
  readonly result: FitnessResult;
  readonly revision: number;
  readonly evaluatedAt: number;
  readonly evaluationMs: number;
  /** The population that it was the latest time a member of, or that its evaluation named; null where there was none. */
  readonly population: string | null;
  readonly mutation: unknown;
  /** The numbers of its code, and of that of its first parent when it was born; 0 where it is not known. */
  readonly code: number;
  readonly parentCode: number;
}

/** How much the table remembers. */
export interface TableBounds {
  readonly individualsMax: number;
  readonly mutationBytesMax: number;
  readonly detailBytesMax: number;
  readonly sourceBytesMax: number;
}

/** Is told of changes, where they are persisted. */
export interface TableListener {
  /** There is a new row. */
  added(row: number): void;
  /** The birth of an individual that had a row already. */
  bornLate(row: number): void;
  /** What is said of an individual changed. */
  changed(row: number): void;
  /** Of `size` rows only these are left, in this order. */
  kept(rows: Int32Array, size: number): void;
}
