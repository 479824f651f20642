// An outcome as the HTTP API has it: its value is JSON, with the codec's text beside it where JSON does not say everything.
import type { Outcome } from "../../index.ts";
import type { WireOutcome } from "../../contract/run-bodies.ts";
import { toWireValue } from "../../contract/values.ts";

/** What stands beside the outcome, such as its output, stays. */
export function wireOutcome<O extends Outcome<unknown>>(
  outcome: O,
): WireOutcome & Omit<O, keyof Outcome<unknown> | "value" | "error"> {
  if (!outcome.ok) return outcome;
  const { value, ...rest } = outcome;
  // The value is replaced by its form on the wire, and nothing else.
  return { ...rest, ...toWireValue(value) } as WireOutcome &
    Omit<O, keyof Outcome<unknown> | "value" | "error">;
}
