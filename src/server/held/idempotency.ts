// Answers to requests that make something, by the keys of their callers: whoever asks again gets the same answer.
import { createHash } from "node:crypto";
import { InvalidOptionsError, VivariumError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { untilAborted } from "../../std/abort.ts";
import type { Clock } from "../../std/clock.ts";

const keyForm = /^[\x21-\x7e]{1,255}$/;
const dayMs = 86_400_000;
/** How long a second request waits for the answer to the first. */
const waitMs = 60_000;
/** What of one answer is kept. */
const answerBytesMax = 4 * 2 ** 20;
/** What a key takes beside its answer. */
const keyBytes = 512;

interface Entry {
  readonly fingerprint: string;
  readonly expiresAtMs: number;
  bytes: number;
  /** Settled when the answer is there, or there will be none. */
  readonly settled: PromiseWithResolvers<void>;
  state: "pending" | "kept" | "too-long";
  answer: Answer | undefined;
}

interface Answer {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** A request whose answer is to be kept. */
export interface Keyed {
  readonly tokenId: string;
  readonly key: string;
  /** What makes two requests the same. */
  readonly request: readonly string[];
  readonly signal: AbortSignal;
}

/** Gathers the answer of the one request that makes it. */
export interface Recording {
  text(part: string): void;
  /** The answer was given: it is kept, if it is one that would be the same again. */
  end(status: number, contentType: string | null): void;
  /** There is no whole answer. */
  drop(): void;
}

export interface IdempotencyBounds {
  readonly keysMax: number;
  readonly bytesMax: number;
}

export class Idempotency {
  readonly #bounds: IdempotencyBounds;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(bounds: IdempotencyBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The answer that there is, or what records the one that is to be made. Throws `IDEMPOTENCY_CONFLICT`. */
  async begin({ tokenId, key, request, signal }: Keyed): Promise<Response | Recording> {
    if (!keyForm.test(key)) {
      const message = `Cannot use Idempotency-Key as it must be 1–255 visible characters: got ${show(key)}`;
      throw new InvalidOptionsError(message, "Idempotency-Key");
    }
    const name = `${tokenId}\n${key}`;
    const fingerprint = createHash("sha256").update(JSON.stringify(request)).digest("base64");
    const endMs = this.#clock.monotonic() + waitMs;
    for (;;) {
      this.#expire();
      const entry = this.#entries.get(name);
      if (entry === undefined) return this.#record(name, fingerprint);
      if (entry.fingerprint !== fingerprint)
        throw conflict(key, "the request be the same as before", "it is another");
      if (entry.state === "too-long")
        throw conflict(
          key,
          `the first answer be at most ${answerBytesMax} bytes to be given again`,
          "it was longer",
        );
      if (entry.answer !== undefined) return responseOf(entry.answer);
      await this.#untilSettled(entry, endMs - this.#clock.monotonic(), { key, signal });
    }
  }

  #record(name: string, fingerprint: string): Recording {
    this.#makeRoom();
    const expiresAtMs = this.#clock.monotonic() + dayMs;
    const settled = Promise.withResolvers<void>();
    const entry: Entry = {
      fingerprint,
      expiresAtMs,
      bytes: keyBytes,
      settled,
      state: "pending",
      answer: undefined,
    };
    this.#entries.set(name, entry);
    this.#bytes += entry.bytes;
    let texts: string[] = [];
    let length = 0;
    const settle = (): void => entry.settled.resolve();
    return {
      text: (part) => {
        length += part.length;
        if (length > answerBytesMax) texts = [];
        else texts.push(part);
      },
      end: (status, contentType) => {
        if (isPassing(status)) this.#delete(name, entry);
        else if (length > answerBytesMax) entry.state = "too-long";
        else {
          entry.state = "kept";
          entry.answer = { status, contentType, text: texts.join("") };
          entry.bytes += 2 * length;
          this.#bytes += 2 * length;
          this.#trim(entry);
        }
        settle();
      },
      drop: () => {
        this.#delete(name, entry);
        settle();
      },
    };
  }

  async #untilSettled(
    entry: Entry,
    ms: number,
    { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.after(Math.max(0, ms), () =>
      late.reject(conflict(key, "its first request be answered", "it is still under way")),
    );
    const ended = (): Error => new VivariumError("CANCELLED", "Cannot wait as the connection was closed");
    try {
      await untilAborted({ signal }, ended, () => Promise.race([entry.settled.promise, late.promise]));
    } finally {
      timer.cancel();
    }
  }

  // Keys are in the order of their requests, so that the oldest expire first.
  #expire(): void {
    const nowMs = this.#clock.monotonic();
    for (const [name, entry] of this.#entries) {
      if (entry.expiresAtMs > nowMs) return;
      if (entry.state !== "pending") this.#delete(name, entry);
    }
  }

  #makeRoom(): void {
    if (this.#entries.size < this.#bounds.keysMax) return;
    for (const [name, entry] of this.#entries)
      if (entry.state !== "pending") {
        this.#delete(name, entry);
        return;
      }
    const rule = `at most ${this.#bounds.keysMax} keys may be under way`;
    throw new VivariumError("CAPACITY_EXCEEDED", `Cannot use another Idempotency-Key as ${rule}: they are`);
  }

  #trim(latest: Entry): void {
    for (const [name, entry] of this.#entries) {
      if (this.#bytes <= this.#bounds.bytesMax) return;
      if (entry.state !== "pending" && entry !== latest) this.#delete(name, entry);
    }
  }

  #delete(name: string, entry: Entry): void {
    if (this.#entries.get(name) !== entry) return;
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
  }
}

// The same request may be answered otherwise later.
function isPassing(status: number): boolean {
  return status >= 500 || [401, 403, 408, 429].includes(status);
}

function responseOf({ status, contentType, text }: Answer): Response {
  const headers = {
    "cache-control": "no-store",
    "idempotency-replayed": "true",
    ...(contentType !== null && { "content-type": contentType }),
  };
  return new Response(text === "" ? null : text, { status, headers });
}

function conflict(key: string, rule: string, got: string): VivariumError {
  const message = `Cannot use Idempotency-Key ${show(key)} again as ${rule.replace(" be ", " must be ")}: ${got}`;
  return new VivariumError("IDEMPOTENCY_CONFLICT", message);
}
