// One program of the population, and its result.
import type { HostileName } from "./hostile.ts";
import type { Program } from "./program.ts";

export interface Individual {
  readonly id: string;
  readonly program: Program;
  readonly parentIds: readonly string[];
  /** What mutation put into it, when that was hostile. */
  readonly hostile: HostileName | undefined;
}

/** A failure has no error figure: it is never counted as an answer, good or bad. */
export type Trial =
  | {
      readonly individual: Individual;
      readonly isScored: true;
      readonly error: number;
      readonly size: number;
    }
  | {
      readonly individual: Individual;
      readonly isScored: false;
      readonly kind: string;
      readonly message: string;
    };

export type Scored = Extract<Trial, { isScored: true }>;

export const points: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** The mean distance from the square, computed here on the host; undefined for what is not a list of finite numbers. */
export function errorOf(answers: unknown): number | undefined {
  if (!Array.isArray(answers) || answers.length !== points.length) return undefined;
  let sum = 0;
  for (const [index, x] of points.entries()) {
    const answer: unknown = answers[index];
    if (typeof answer !== "number" || !Number.isFinite(answer)) return undefined;
    sum += Math.abs(answer - x * x);
  }
  return sum / points.length;
}

/** Smaller error first, then the shorter program; equals stay in their order. */
export function byFitness(one: Scored, other: Scored): number {
  return one.error - other.error || one.size - other.size;
}
