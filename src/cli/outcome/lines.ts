// How a run ended, as lines for a person.
import type { Outcome } from "../../index.ts";
import { failureLines } from "../display/failures.ts";
import type { Line } from "../display/lines.ts";
import { valueText } from "../display/value.ts";

/** The value, or why there is none. A run that gives undefined says nothing. */
export function outcomeLines(outcome: Outcome<unknown>, width: number): readonly Line[] {
  if (!outcome.ok) return failureLines(outcome.error);
  if (outcome.value === undefined) return [];
  return valueText(outcome.value, { width })
    .split("\n")
    .map((line) => [line]);
}
