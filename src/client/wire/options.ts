// The options that are the client's own business: what bounds a wait, and the names of what a run takes. All else is checked by
// the runtime that it is sent to, with the same words as there.
import { InvalidOptionsError } from "../../model/errors.ts";
import { encodeArgs } from "../../model/runs/arguments.ts";
import { fields, integer, leaf, at, readGiven, required, type Given, type Leaf } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import type { WireArgs } from "../../contract/run-bodies.ts";
import { toWireValue } from "../../contract/values.ts";

const dayMs = 86_400_000;
/** No sandbox takes longer arguments; what a sandbox takes is checked where it is. */
const argsBytesMax = 2 ** 30;

export const signalOption: Leaf<AbortSignal | undefined> = at(
  "signal",
  leaf({
    kind: "signal",
    verb: "use",
    rule: "an AbortSignal",
    accepts: (value) => value instanceof AbortSignal,
  }),
);

const cancelOptions = fields({ signal: signalOption, deadlineMs: integer({ min: 1, max: dayMs }) });

/** How a caller bounds a wait. */
export interface Bounds {
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
}

export function readCancel(options: unknown): Bounds {
  return cancelOptions.read(options, "options");
}

/** The bounds among other options, which are not checked here. A deadline that is none is left to the server to refuse. */
export function boundsIn(options: object | undefined): Bounds {
  const { signal, deadlineMs } = (options ?? {}) as Given<"signal" | "deadlineMs">;
  return {
    signal: signalOption.read(signal, "signal"),
    deadlineMs: typeof deadlineMs === "number" && deadlineMs > 0 ? deadlineMs : undefined,
  };
}

const runNames = ["timeoutMs", "cpuMs", "fuel", "signal", "repeatable"] as const;
export const callNames = [...runNames, "args"] as const;
export const recordNames = [...callNames, "record"] as const;
export const streamNames = [
  "timeoutMs",
  "cpuMs",
  "fuel",
  "signal",
  "args",
  "deadlineMs",
  "idleMs",
  "partsMax",
  "bytesMax",
] as const;

/** The options of what has no arguments of its own. */
export function readRun(options: unknown): Given<(typeof runNames)[number]> {
  return readGiven(options, "options", runNames);
}

/** Options without those that stay here. */
export function sent(options: unknown, ...staying: readonly string[]): Record<string, unknown> {
  if (typeof options !== "object" || options === null) return {};
  const entries = Object.entries(options);
  return Object.fromEntries(entries.filter(([name]) => name !== "signal" && !staying.includes(name)));
}

/** Arguments as they travel; throws for what is no list of data. */
export function toArgs(args: unknown): WireArgs {
  if (args === undefined) return {};
  const text = encodeArgs(args, argsBytesMax);
  return text.startsWith("V") ? { argsEncoded: text } : { args: args as readonly unknown[] };
}

/** A message as it travels. */
export function toMessage(message: unknown): {
  readonly message?: unknown;
  readonly messageEncoded?: string;
} {
  const { value, encoded } = toWireValue(message);
  return encoded === undefined ? { message: value } : { messageEncoded: encoded };
}

export const listOption: Leaf<readonly unknown[]> = required(
  leaf<readonly unknown[]>({ kind: "list", verb: "use", rule: "a list", accepts: Array.isArray }),
);

/** The text of a body. What JSON would leave out or change without a word is refused. */
export function toText(body: object): string {
  try {
    return JSON.stringify(body, refuseUnsaid);
  } catch (error) {
    if (error instanceof InvalidOptionsError) throw error;
    throw new InvalidOptionsError(
      `Cannot send the options as they must be data that JSON can say: ${String(error)}`,
      "options",
    );
  }
}

function refuseUnsaid(name: string, value: unknown): unknown {
  const isSaid =
    typeof value === "number"
      ? Number.isFinite(value)
      : typeof value !== "function" && typeof value !== "symbol" && typeof value !== "bigint";
  if (isSaid) return value;
  throw new InvalidOptionsError(
    `Cannot use ${name} as it must be data that JSON can say: got ${show(value)}`,
    name,
  );
}
