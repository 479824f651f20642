// A request of a guest that ends without a value: what the guest is told, and what the host is. The two differ wherever the
// reason lies in the host's own code, which a guest must learn nothing of.
import { show } from "../model/show.ts";
import { encode, Refusal } from "../model/wire/encode.ts";
import { utf8Length } from "../model/wire/lengths.ts";
import { Abandoned, CapabilityRefusal, Withdrawn } from "./capability.ts";

/** Why a request was not answered with a value. */
export type RequestCode = "denied" | "invalid" | "refused" | "failed" | "timeout" | "cancelled";

/** How long a message to a guest, or in an event, may be; what is longer is cut. */
const messageMax = 10_000;
/** How much longer than allowed a result may be for its length to be counted. */
const countedTimes = 4;

export class Unanswered extends Error {
  readonly code: RequestCode;
  /** The rule that stood in its way, for the record. */
  readonly rule: string;
  /** What went wrong in the host's own code: an error with its stack, or whatever else was thrown; null where nothing did. */
  readonly error: unknown;
  readonly #told: string | undefined;

  /** The message is for the guest; `told` is for the host where it may know more. */
  constructor(
    code: RequestCode,
    rule: string,
    about: { readonly message: string; readonly error?: unknown; readonly told?: string },
  ) {
    super(about.message.slice(0, messageMax));
    this.code = code;
    this.rule = rule;
    this.error = about.error ?? null;
    this.#told = about.told;
  }

  /** What the host is told. */
  get told(): string {
    return this.error === null ? (this.#told ?? this.message) : textOfThrown(this.error);
  }
}

/** The host's own code failed: a guest learns no more than that. */
export function failed(name: string, rule: string, error: unknown): Unanswered {
  return new Unanswered("failed", rule, { message: `Cannot use ${name} as it failed`, error });
}

// What a capability throws may reveal the host; only what it says on purpose reaches the guest. It may be anything: a
// proxy, an error whose message throws.
export function asUnanswered(name: string, error: unknown): Unanswered {
  try {
    if (error instanceof Unanswered) return error;
    if (error instanceof CapabilityRefusal)
      return new Unanswered("refused", "refusal", { message: error.message, error });
    if (error instanceof Withdrawn)
      return new Unanswered("cancelled", "withdrawn", { message: `Cannot use ${name} as ${error.message}` });
    if (error instanceof Abandoned) return failed(name, "abandoned", error);
  } catch {
    // Then it is no refusal.
  }
  // What a promise is rejected with may be nothing at all.
  return failed(
    name,
    "throw",
    error ?? new TypeError(`Cannot use what was thrown as it must be something: it is ${String(error)}`),
  );
}

/** The text of a result on its way to the guest; throws an `Unanswered` that tells the host why it cannot cross. */
export function textOfResult(name: string, value: unknown, bytesMax: number): string {
  try {
    return encode(value, bytesMax);
  } catch (error) {
    const start = `Cannot pass the result of ${name} as it must be`;
    // A getter of the result's own, for instance.
    if (!(error instanceof Refusal)) {
      const why = new TypeError(`${start} possible to read it: ${textOfThrown(error)}`, { cause: error });
      throw failed(name, "result", why);
    }
    if (error.reason === "size") {
      const why = `${start} at most resultBytes, ${bytesMax}: it is ${lengthOf(value, bytesMax)}`;
      throw failed(name, "resultBytes", new RangeError(why));
    }
    throw failed(name, "result", new TypeError(`${start} data: result${error.path} is ${error.what}`));
  }
}

function lengthOf(value: unknown, bytesMax: number): string {
  const countedMax = bytesMax * countedTimes;
  try {
    return `${utf8Length(encode(value, countedMax))} bytes`;
  } catch {
    return `more than ${countedMax} bytes`;
  }
}

// Not by String(): of a list of lists that are shared, the text may be endless.
function textOfThrown(error: unknown): string {
  try {
    const { name, message } = error as Error;
    if (typeof name === "string" && typeof message === "string")
      return `${name}: ${message}`.slice(0, messageMax);
  } catch {
    // Then it is shown without being read.
  }
  return show(error);
}
