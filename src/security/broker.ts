// Between guests and capabilities: who was granted what, how much of it is left, what goes in and what comes out. Nothing
// that a capability does (throw, hang, answer garbage) harms the host or the guest.
import { encode, Refusal } from "../model/wire/encode.ts";
import { decode } from "../model/wire/decode.ts";
import type { Bus } from "../observability/bus.ts";
import type { Clock } from "../std/clock.ts";
import { CapabilityRefusal, type Capability, type Check, type Grant, type GrantBook } from "./capability.ts";

/** Why a request came to nothing, in one word. */
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

  has(name: string): boolean {
    return this.#parts.capabilities.has(name);
  }

  get names(): readonly string[] {
    return [...this.#parts.capabilities.keys()];
  }

  /** Answers a request, in the end always. */
  async answer(book: GrantBook, request: CapabilityRequest): Promise<RequestAnswer> {
    const { bus, clock } = this.#parts;
    const { sandboxId } = request;
    const name = request.name.slice(0, nameMax);
    const startedMs = clock.monotonic();
    try {
      const text = await this.#serve(book, request);
      const durationMs = clock.monotonic() - startedMs;
      bus.emit("capability.called", { sandboxId, capability: name, durationMs, result: "ok", message: "" });
      return { code: "", text, rule: "granted" };
    } catch (error) {
      const { code, rule, message } = asUnanswered(name, error);
      const durationMs = clock.monotonic() - startedMs;
      const cause = error instanceof Unanswered ? message : String(error);
      bus.emit("capability.called", {
        sandboxId,
        capability: name,
        durationMs,
        result: code,
        message: cause,
      });
      return { code, text: message, rule };
    }
  }

  async #serve(book: GrantBook, request: CapabilityRequest): Promise<string> {
    const { name } = request;
    const capability = this.#parts.capabilities.get(name);
    const grant = book.grants.get(name);
    if (capability === undefined || grant === undefined) {
      throw new Unanswered("denied", "grant", `Cannot use ${shown(name)} as it must be granted: it is not`);
    }
    spend(name, grant, request.args.length);
    grant.open++;
    try {
      const args = await checked(capability.args, decode(request.args), (why) => {
        return new Unanswered("invalid", "args", `Cannot use ${name} as its arguments must fit: ${why}`);
      });
      const result = await this.#call(book, capability, { request, args: args as readonly unknown[] });
      const good = await checked(capability.result, result, () => failed(name, "result"));
      const text = textOf(name, good, capability.resultBytes);
      grant.bytes += text.length;
      return text;
    } finally {
      grant.open--;
    }
  }

  async #call(
    book: GrantBook,
    capability: Capability & { readonly timeoutMs: number },
    { request, args }: { readonly request: CapabilityRequest; readonly args: readonly unknown[] },
  ): Promise<unknown> {
    const { name, sandboxId, labels } = request;
    const { timeoutMs } = capability;
    const controller = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error));
    const why = `Cannot use ${name} as it must be done within ${timeoutMs} ms: it was not`;
    const timer = this.#parts.clock.after(timeoutMs, () => {
      controller.abort(new Unanswered("timeout", "timeoutMs", why));
    });
    book.underway.add(controller);
    try {
      const { signal } = controller;
      // In a turn of its own, so that one that blocks or throws at once is like any other.
      const calling = Promise.resolve().then(() => capability.run(args, { sandboxId, labels, signal }));
      return await Promise.race([calling, promise]);
    } finally {
      timer.cancel();
      book.underway.delete(controller);
    }
  }
}

function spend(name: string, grant: Grant, argsLength: number): void {
  const { calls, bytes, concurrent } = grant.quota;
  const over = (what: string, rule: string): Unanswered =>
    new Unanswered("denied", rule, `Cannot use ${name} as its quota must not be passed: ${what}`);
  if (grant.calls >= calls) throw over(`${calls} calls are used up`, "quota.calls");
  if (grant.bytes + argsLength > bytes) throw over(`${bytes} bytes are used up`, "quota.bytes");
  if (grant.open >= concurrent) throw over(`${concurrent} calls wait already`, "quota.concurrent");
  grant.calls++;
  grant.bytes += argsLength;
}

// A check is the host's own code, and may throw like it.
async function checked(
  check: Check | undefined,
  value: unknown,
  toError: (why: string) => Unanswered,
): Promise<unknown> {
  if (check === undefined) return value;
  if (typeof check === "function") {
    const verdict = check(value);
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

// What a capability throws may tell of the host; only what it says on purpose reaches the guest.
function asUnanswered(name: string, error: unknown): Unanswered {
  if (error instanceof Unanswered) return error;
  if (error instanceof CapabilityRefusal) return new Unanswered("refused", "refusal", error.message);
  return failed(name, "throw");
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, nameMax));
}
