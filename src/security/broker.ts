// Between guests and capabilities: which grants a sandbox has, how much of each is left, what passes in and out. Nothing
// that a capability does (throw, hang, answer garbage) harms the host or the guest.
import { utf8Length } from "../model/wire/lengths.ts";
import { readInSlices } from "../model/wire/slices.ts";
import type { Bus } from "../observability/bus.ts";
import type { Clock } from "../std/clock.ts";
import { slicingFor } from "../std/slicing.ts";
import type { Capability, Check, Grant, GrantUsage } from "./capability.ts";
import { asUnanswered, failed, textOfResult, Unanswered, type RequestCode } from "./unanswered.ts";

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
  /** Is told of the first failure of a capability's own code that no subscriber hears of. */
  readonly warn: (capability: string, error: unknown) => void;
}

const nameMax = 100;
const namesShownMax = 20;
/** How long arguments may be, encoded; the guest runtime refuses longer ones by itself. */
const argsBytesMax = 2 ** 20;

export class Broker {
  readonly #parts: BrokerParts;
  /** The capabilities whose failure was told as a warning. */
  readonly #warned = new Set<string>();

  constructor(parts: BrokerParts) {
    this.#parts = parts;
  }

  /** Answers a request, in the end always. */
  async answer(book: GrantUsage, request: CapabilityRequest): Promise<RequestAnswer> {
    const { bus, clock } = this.#parts;
    const { sandboxId } = request;
    const capability = request.name.slice(0, nameMax);
    const startedMs = clock.monotonic();
    const tell = (result: "ok" | RequestCode, message: string, error: unknown): void =>
      bus.emit("capability.called", {
        sandboxId,
        capability,
        durationMs: clock.monotonic() - startedMs,
        result,
        message,
        error,
      });
    try {
      const text = await this.#serve(book, request);
      tell("ok", "", null);
      return { code: "", text, rule: "granted" };
    } catch (thrown) {
      const ending = asUnanswered(capability, thrown);
      tell(ending.code, ending.told, ending.error);
      this.#warn(capability, ending);
      return { code: ending.code, text: ending.message, rule: ending.rule };
    }
  }

  // A mistake in the host's own code must not pass in silence, as the guest is not told of it either.
  #warn(capability: string, { code, rule, error }: Unanswered): void {
    const { bus, warn } = this.#parts;
    const isOwn = code === "failed" && rule !== "abandoned";
    if (!isOwn || this.#warned.has(capability) || bus.hears("capability.called")) return;
    this.#warned.add(capability);
    warn(capability, error);
  }

  async #serve(book: GrantUsage, request: CapabilityRequest): Promise<string> {
    const { name } = request;
    const capability = this.#parts.capabilities.get(name);
    const grant = book.grants.get(name);
    if (capability === undefined || grant === undefined) {
      const rule = `Cannot use ${shown(name)} as it must be granted`;
      const told = `${rule}: ${adviceOn(name, book, capability !== undefined)}`;
      throw new Unanswered("denied", "grant", { message: `${rule}: it is not`, told });
    }
    beginCall(name, grant, request.args);
    grant.open++;
    try {
      const result = await this.#inTime(book, capability, request);
      const text = textOfResult(name, result, capability.resultBytes);
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
    const message = `Cannot use ${request.name} as it must be done within ${timeoutMs} ms: it was not`;
    const timer = this.#parts.clock.after(timeoutMs, () => {
      controller.abort(new Unanswered("timeout", "timeoutMs", { message }));
    });
    book.underway.add(controller);
    try {
      // In a turn of its own, so that one that blocks or throws at once is like any other.
      const performing = Promise.resolve().then(() => perform(capability, request, { signal, book }));
      return await Promise.race([performing, promise]);
    } finally {
      timer.cancel();
      book.underway.delete(controller);
    }
  }
}

// For the host alone: a guest does not learn what others are granted, nor what the runtime has.
function adviceOn(name: string, { grants }: GrantUsage, isRegistered: boolean): string {
  const granted = [...grants.keys()].slice(0, namesShownMax).join(", ");
  const advice = isRegistered
    ? `give create() { capabilities: [${shown(name)}] }`
    : "createRuntime({ capabilities }) registers none of this name";
  return `the sandbox is granted ${granted === "" ? "nothing" : granted}; ${advice}`;
}

async function perform(
  capability: Capability,
  { name, args: text, sandboxId, tenant, labels }: CapabilityRequest,
  { signal, book }: { readonly signal: AbortSignal; readonly book: GrantUsage },
): Promise<unknown> {
  const misfit = (why: string): Unanswered =>
    new Unanswered("invalid", "args", { message: `Cannot use ${name} as its arguments must fit: ${why}` });
  const read = await readInSlices(text, argsBytesMax, slicingFor({ tenant, sandbox: sandboxId }));
  if ("malformed" in read) throw misfit(read.malformed.message);
  const list = read.value;
  if (!Array.isArray(list)) throw misfit("they are no list");
  signal.throwIfAborted();
  const args = await checked(capability.args, list, misfit);
  signal.throwIfAborted();
  const result = await capability.run(args as readonly unknown[], {
    sandboxId,
    labels,
    signal,
    get lifetime() {
      return book.lifetime;
    },
  });
  return checked(capability.result, result, (why) => {
    const rule = "it must pass the check of its capability";
    return failed(name, "result", new TypeError(`Cannot pass the result of ${name} as ${rule}: ${why}`));
  });
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
  const message = `Cannot use ${name} as its quota must not be passed: ${what}`;
  return new Unanswered("denied", rule, { message });
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

function shown(name: string): string {
  return JSON.stringify(name.slice(0, nameMax));
}
