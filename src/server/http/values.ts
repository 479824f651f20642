// Values of guests on their way in and out: arguments read within bounds and in slices, results as JSON and the codec's text.
import { toWireValue } from "../../contract/values.ts";
import type { WireArgs, WireOutcome } from "../../contract/run-bodies.ts";
import type { Outcome } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { readInSlices } from "../../model/wire/slices.ts";
import { slicingFor } from "../../std/slicing.ts";
import type { Caller } from "../gate.ts";

/** How much a text may cost to read: what a body of this size may. */
const textBytesMax = 64 * 2 ** 20;

export interface GivenArgs {
  readonly args?: WireArgs["args"] | undefined;
  readonly argsEncoded?: string | undefined;
}

/** What a text of the codec says. It is not trusted: long ones are read in slices, and costly ones are refused. */
export async function decoded(caller: Caller, text: string, option: string): Promise<unknown> {
  const owner = { tenant: caller.tenant, sandbox: `token ${caller.tokenId}` };
  const read = await readInSlices(text, textBytesMax, slicingFor(owner));
  if ("value" in read) return read.value;
  const message = `Cannot use ${option} as it must be a text of the codec: ${read.malformed.message}`;
  throw new InvalidOptionsError(message, option);
}

/** Arguments as the API takes them. */
export async function readArgs(
  caller: Caller,
  { args, argsEncoded }: GivenArgs,
  place = "",
): Promise<{ readonly args?: readonly unknown[] }> {
  if (argsEncoded === undefined) return args === undefined ? {} : { args };
  const option = `${place}argsEncoded`;
  if (args !== undefined) {
    const message = `Cannot use ${place}args as there must be one of args and argsEncoded: got both`;
    throw new InvalidOptionsError(message, `${place}args`);
  }
  const list = await decoded(caller, argsEncoded, option);
  if (Array.isArray(list)) return { args: list };
  throw new InvalidOptionsError(
    `Cannot use ${option} as it must be that of a list: got another value`,
    option,
  );
}

/** An outcome as it travels, with all that stands beside it. */
export type WireOf<O> = WireOutcome & Omit<O, "ok" | "value" | "error" | "usage" | "logs">;

export function toWireOutcome<O extends Outcome>(outcome: O): WireOf<O> {
  // What is taken away is what the value of the wire stands for.
  if (!outcome.ok) return outcome as unknown as WireOf<O>;
  const { value, ...rest } = outcome;
  return { ...rest, ...toWireValue(value, Infinity, "kept") } as unknown as WireOf<O>; // As above.
}
