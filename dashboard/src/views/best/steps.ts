// The way from a seed to an individual as steps, and which of them made it better.
import { verdictOf, type Verdict } from "../../controls/individual/differences.ts";
import type { Individuals } from "../../model/individuals.ts";

export interface Step {
  /** Its place on the whole way, from 1. */
  readonly number: number;
  readonly row: number;
  readonly id: string;
  readonly generation: number;
  /** Null where it has none. */
  readonly score: number | null;
  /** Beside the one before it. */
  readonly verdict: Verdict;
}

export function stepsOf(individuals: Individuals, row: number): readonly Step[] {
  let before: number | null = null;
  return individuals.path(row).map((at, index) => {
    const value = individuals.score(at);
    const score = Number.isNaN(value) ? null : value;
    const verdict = index === 0 ? "unknown" : verdictOf(score, before, individuals.direction);
    before = score;
    const [id, generation] = [individuals.id(at), individuals.generation(at)];
    return { number: index + 1, row: at, id, generation, score, verdict };
  });
}

/** Those that made it better, with the first and the last one. */
export function betterSteps(steps: readonly Step[]): readonly Step[] {
  return steps.filter(
    ({ verdict }, index) => verdict === "better" || index === 0 || index === steps.length - 1,
  );
}

/** The place in a list of the step of that number, or of the nearest before it. */
export function placeOf(steps: readonly Step[], number: number): number {
  const next = steps.findIndex((step) => step.number > number);
  return Math.max(0, (next < 0 ? steps.length : next) - 1);
}

/** The number in an address; the last step where it says none that there is. */
export function numberIn(text: string | undefined, steps: readonly Step[]): number {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= 1 && number <= steps.length
    ? number
    : steps.length;
}

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly place: number;
}

const pointsMax = 400;

/** Scores along the way as points of a drawing of that size, the better the higher; steps without a score have none. */
export function sparkPoints(
  steps: readonly Step[],
  { width, height, direction }: { width: number; height: number; direction: "maximise" | "minimise" },
): readonly Point[] {
  let [low, high] = [Infinity, -Infinity];
  for (const { score } of steps)
    if (score !== null) [low, high] = [Math.min(low, score), Math.max(high, score)];
  const every = Math.max(1, Math.ceil(steps.length / pointsMax));
  const points: Point[] = [];
  for (const [place, { score }] of steps.entries()) {
    if (score === null || (place % every !== 0 && place !== steps.length - 1)) continue;
    const share = high === low ? 0.5 : (score - low) / (high - low);
    const x = steps.length === 1 ? width / 2 : (place / (steps.length - 1)) * width;
    points.push({ x, y: (direction === "maximise" ? 1 - share : share) * height, place });
  }
  return points;
}
