// Moving from point to point by the keyboard: to the next generation, or to the next one within a generation, best first.
import { isFailure, type FitnessRows } from "./fitness-statistics.ts";

export type Step = "left" | "right" | "up" | "down" | "first" | "last";

export const stepKeys: Readonly<Record<string, Step>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "first",
  End: "last",
};

/** The row that a step leads to; -1 where nobody was evaluated. From nowhere the first step leads to the best of the latest generation. */
export function stepFrom(rows: FitnessRows, from: number, step: Step): number {
  const evaluated = (row: number): boolean => isFailure(rows.result(row)) || !Number.isNaN(rows.score(row));
  if (from < 0 || from >= rows.size || !evaluated(from))
    return bestOf(rows, edgeGeneration(rows, step === "first" ? "first" : "last", evaluated));
  if (step === "first" || step === "last") return bestOf(rows, edgeGeneration(rows, step, evaluated));
  const generation = rows.generation(from);
  if (step === "up" || step === "down") {
    const group = membersOf(rows, generation);
    const next = group[group.indexOf(from) + (step === "up" ? -1 : 1)];
    return next ?? from;
  }
  const sign = step === "right" ? 1 : -1;
  let next = Number.NaN;
  for (let row = 0; row < rows.size; row++) {
    const other = rows.generation(row);
    const isOnTheWay = (other - generation) * sign > 0 && evaluated(row);
    if (isOnTheWay && (Number.isNaN(next) || (other - next) * sign < 0)) next = other;
  }
  return Number.isNaN(next) ? from : likeliestOf(membersOf(rows, next), rows, from);
}

// The one whose score is nearest to that of the one before; of a failure the first failure.
function likeliestOf(group: readonly number[], rows: FitnessRows, from: number): number {
  const score = rows.score(from);
  if (isFailure(rows.result(from)))
    return group.find((row) => isFailure(rows.result(row))) ?? group[0] ?? from;
  let found = group[0] ?? from;
  for (const row of group)
    if (Math.abs(rows.score(row) - score) < Math.abs(rows.score(found) - score)) found = row;
  return found;
}

/** Those of a generation that were evaluated: best first, failures last. */
function membersOf(rows: FitnessRows, generation: number): readonly number[] {
  const scored: number[] = [];
  const failed: number[] = [];
  for (let row = 0; row < rows.size; row++)
    if (rows.generation(row) === generation)
      if (isFailure(rows.result(row))) failed.push(row);
      else if (!Number.isNaN(rows.score(row))) scored.push(row);
  const sign = rows.direction === "maximise" ? -1 : 1;
  return [...scored.sort((one, other) => (rows.score(one) - rows.score(other)) * sign), ...failed];
}

function bestOf(rows: FitnessRows, generation: number): number {
  return membersOf(rows, generation)[0] ?? -1;
}

function edgeGeneration(
  rows: FitnessRows,
  edge: "first" | "last",
  isWanted: (row: number) => boolean,
): number {
  let found = Number.NaN;
  for (let row = 0; row < rows.size; row++) {
    if (!isWanted(row)) continue;
    const generation = rows.generation(row);
    const isFarther = edge === "first" ? generation < found : generation > found;
    if (Number.isNaN(found) || isFarther) found = generation;
  }
  return found;
}
