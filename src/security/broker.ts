// Between guests and capabilities: which grants a sandbox has, how much of each is left, what passes in and out. Nothing
// that a capability does (throw, hang, answer garbage) harms the host or the guest.
import { show } from "../model/show.ts";
import { encode, Refusal } from "../model/wire/encode.ts";
import { utf8Length } from "../model/wire/lengths.ts";
import { readInSlices } from "../model/wire/slices.ts";
import type { Bus } from "../observability/bus.ts";
import type { Clock } from "../std/clock.ts";
import { slicingFor } from "../std/slicing.ts";
import { CapabilityRefusal, type Capability, type Check, type Grant, type GrantUsage } from "./capability.ts";

/** Why a request was not answered with a value. */
export type RequestCode = "denied" | "invalid" | "refused" | "failed" | "timeout";

/** The answer that a guest gets: the text of a value, or a code with a message. */
export interface RequestAnswer {
  readonly code: "" | RequestCode;
  readonly text: string;
  /** The rule that stood in its way, or `granted`. */
  readonly rule: string;
}

/** What a guest asks for. */
export interface CapabilityRequest {
  readonly sandboxId: string;
  readonly tenant: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly name: string;
  /** The list of arguments, encoded. */
  readonly args: string;
}

export interface BrokerParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly capabilities: ReadonlyMap<
    string,
    Required<Pick<Capability, "timeoutMs" | "resultBytes">> & Capability
  >;
}

const nameMax = 100;
/** How long arguments may be, encoded; the guest runtime refuses longer ones by itself. */
const argsBytesMax = 2 ** 20;
/** How long a message to a guest may be; what is longer is cut. */
const messageMax = 10_000;

/** A request that ends without a value. */
class Unanswered extends Error {
  readonly code: RequestCode;
  /** The rule that stood in its way, for the record. */
  readonly rule: string;

  constructor(code: RequestCode, rule: string, message: string) {
    super(message);
    this.code = code;
    this.rule = rule;
  }
}

export class Broker {
  readonly #parts: BrokerParts;

  constructor(parts: BrokerParts) {
    this.#parts = parts;
  }

  /** Answers a request, in the end always. */
  async answer(book: GrantUsage, request: CapabilityRequest): Promise<RequestAnswer> {
    const { bus, clock } = this.#parts;
    const { sandboxId } = request;
    const capability = request.name.slice(0, nameMax);
    const startedMs = clock.monotonic();
    const tell = (result: "ok" | RequestCode, message: string): void =>
      bus.emit("capability.called", {
        sandboxId,
        capability,
        durationMs: clock.monotonic() - startedMs,
        result,
        message,
      });
    try {
      const text = await this.#serve(book, request);
      tell("ok", "");
      return { code: "", text, rule: "granted" };
    } catch (error) {
      const ending = asUnanswered(capability, error);
      const text = ending.message.slice(0, messageMax);
      tell(ending.code, ending === error ? text : textOfThrown(error));
      return { code: ending.code, text, rule: ending.rule };
    }
  }

  async #serve(book: GrantUsage, request: CapabilityRequest): Promise<string> {
    const { name } = request;
    const capability = this.#parts.capabilities.get(name);
    const grant = book.grants.get(name);
    if (capability === undefined || grant === undefined) {
      throw new Unanswered("denied", "grant", `Cannot use ${shown(name)} as it must be granted: it is not`);
    }
    beginCall(name, grant, request.args);
    grant.open++;
    try {
      const result = await this.#inTime(book, capability, request);
      const text = textOf(name, result, capability.resultBytes);
      spendBytes(name, grant, text);
      return text;
    } finally {
      grant.open--;
    }
  }

  // Checks are under the same clock as what they check, and end as it does when the request is abandoned.
  async #inTime(
    book: GrantUsage,
    capability: Capability & { readonly timeoutMs: number },
    request: CapabilityRequest,
  ): Promise<unknown> {
    const { timeoutMs } = capability;
    const controller = new AbortController();
    const { signal } = controller;
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason as Error));
    const why = `Cannot use ${request.name} as it must be done within ${timeoutMs} ms: it was not`;
    const timer = this.#parts.clock.after(timeoutMs, () => {
      controller.abort(new Unanswered("timeout", "timeoutMs", why));
    });
    book.underway.add(controller);
    try {
      // In a turn of its own, so that one that blocks or throws at once is like any other.
      const performing = Promise.resolve().then(() => perform(capability, request, signal));
      return await Promise.race([performing, promise]);
    } finally {
      timer.cancel();
      book.underway.delete(controller);
    }
  }
}

async function perform(
  capability: Capability,
  { name, args: text, sandboxId, tenant, labels }: CapabilityRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const misfit = (why: string): Unanswered =>
    new Unanswered("invalid", "args", `Cannot use ${name} as its arguments must fit: ${why}`);
  const read = await readInSlices(text, argsBytesMax, slicingFor({ tenant, sandbox: sandboxId }));
  if ("malformed" in read) throw misfit(read.malformed.message);
  const list = read.value;
  if (!Array.isArray(list)) throw misfit("they are no list");
  signal.throwIfAborted();
  const args = await checked(capability.args, list, misfit);
  signal.throwIfAborted();
  const result = await capability.run(args as readonly unknown[], { sandboxId, labels, signal });
  return checked(capability.result, result, () => failed(name, "result"));
}

function beginCall(name: string, grant: Grant, args: string): void {
  const { calls, concurrent } = grant.quota;
  if (grant.calls >= calls) throw over(name, "quota.calls", `${calls} calls are used up`);
  if (grant.open >= concurrent) throw over(name, "quota.concurrent", `${concurrent} calls wait already`);
  spendBytes(name, grant, args);
  grant.calls++;
}

function spendBytes(name: string, grant: Grant, text: string): void {
  const { bytes } = grant.quota;
  const length = utf8Length(text);
  if (grant.bytes + length > bytes) throw over(name, "quota.bytes", `${bytes} bytes are used up`);
  grant.bytes += length;
}

function over(name: string, rule: string, what: string): Unanswered {
  return new Unanswered("denied", rule, `Cannot use ${name} as its quota must not be passed: ${what}`);
}

// A check is the host's own code, and may throw like it.
async function checked(
  check: Check | undefined,
  value: unknown,
  toError: (why: string) => Unanswered,
): Promise<unknown> {
  if (check === undefined) return value;
  if (typeof check === "function") {
    const verdict = await check(value);
    if (verdict === true) return value;
    throw toError(typeof verdict === "string" ? verdict : "they do not");
  }
  const result = await check["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  throw toError(result.issues[0]?.message ?? "they do not");
}

function textOf(name: string, value: unknown, bytesMax: number): string {
  try {
    return encode(value, bytesMax);
  } catch (error) {
    if (error instanceof Refusal && error.reason === "size") throw failed(name, "resultBytes");
    throw failed(name, "result");
  }
}

function failed(name: string, rule: string): Unanswered {
  return new Unanswered("failed", rule, `Cannot use ${name} as it failed`);
}

// What a capability throws may reveal the host; only what it says on purpose reaches the guest. It may be anything: a
// proxy, an error whose message throws.
function asUnanswered(name: string, error: unknown): Unanswered {
  try {
    if (error instanceof Unanswered) return error;
    if (error instanceof CapabilityRefusal) return new Unanswered("refused", "refusal", error.message);
  } catch {
    // Then it is no refusal.
  }
  return failed(name, "throw");
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

function shown(name: string): string {
  return JSON.stringify(name.slice(0, nameMax));
}
