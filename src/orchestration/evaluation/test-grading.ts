// Judges the answers of a candidate against what a test expects. Pure; expected values never leave the host.
import { isDeepStrictEqual } from "node:util";
import type { TestResult } from "../../model/fitness.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import { show } from "../../model/show.ts";

/** A test whose options are complete. */
export interface CompleteTest {
  readonly name: string;
  readonly target: `${string}.${string}`;
  readonly args: readonly unknown[];
  readonly judge: Judge;
  readonly points: number;
  readonly isHidden: boolean;
  readonly timeoutMs: number | undefined;
}

/** True or false, or the share of the points that an answer deserves. */
type Check = (answer: unknown) => boolean | number;
export type Judge =
  | { readonly kind: "check"; readonly check: Check }
  | { readonly kind: "expected"; readonly expected: unknown; readonly tolerance: number };

/** The result of a test, given the outcome of its run. Throws what the caller's own check throws. */
export function judgeTest(test: CompleteTest, outcome: Outcome): TestResult {
  const { name, points: pointsMax, isHidden } = test;
  const share = outcome.ok ? shareOf(test.judge, outcome.value) : 0;
  const result = { name, passed: share === 1, points: share * pointsMax, pointsMax, hidden: isHidden };
  if (share === 1 || isHidden) return result;
  if (!outcome.ok)
    return {
      ...result,
      message: `${outcome.error.kind}: ${outcome.error.message}`,
      failure: outcome.error,
    };
  return { ...result, message: `the answer is not as expected: got ${show(outcome.value)}` };
}

/** The share of all points that was reached. */
export function scoreOf(results: readonly TestResult[]): number {
  const pointsMax = results.reduce((sum, result) => sum + result.pointsMax, 0);
  return results.reduce((sum, result) => sum + result.points, 0) / pointsMax;
}

/** Equal as data; numbers that are at most `tolerance` apart count as equal, wherever they stand in lists and objects. */
export function isWithin(answer: unknown, expected: unknown, tolerance: number): boolean {
  if (tolerance === 0) return Object.is(answer, expected) || isDeepStrictEqual(answer, expected);
  if (typeof expected === "number")
    return (
      Object.is(answer, expected) || (typeof answer === "number" && Math.abs(answer - expected) <= tolerance)
    );
  if (Array.isArray(expected))
    return (
      Array.isArray(answer) &&
      answer.length === expected.length &&
      expected.every((part, index) => isWithin(answer[index], part, tolerance))
    );
  if (!isPlain(expected)) return isDeepStrictEqual(answer, expected);
  const names = Object.keys(expected);
  return (
    isPlain(answer) &&
    Object.keys(answer).length === names.length &&
    names.every((name) => Object.hasOwn(answer, name) && isWithin(answer[name], expected[name], tolerance))
  );
}

function shareOf(judge: Judge, answer: unknown): number {
  if (judge.kind === "expected") return isWithin(answer, judge.expected, judge.tolerance) ? 1 : 0;
  const verdict: unknown = judge.check(answer);
  if (typeof verdict === "boolean") return verdict ? 1 : 0;
  if (typeof verdict === "number" && verdict >= 0 && verdict <= 1) return verdict;
  throw new TypeError(`a check must answer true, false or a share from 0 to 1: got ${show(verdict)}`);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
