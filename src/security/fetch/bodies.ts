// Bodies of responses that guests read piece by piece: each belongs to the isolate that asked, and ends with it, by its own time,
// or when the guest wants no more of it.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { CapabilityRefusal, Withdrawn } from "../capability.ts";
import { refused } from "./policy.ts";

/** So many of one sandbox may be open at a time. */
const openMax = 16;

/** A piece of a body; the last one may be empty. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** The bodies of one isolate, by the numbers that its guest has given them. */
export class OpenBodies {
  readonly #bodies = new Map<number, Body>();
  readonly #lifetime: AbortSignal;

  constructor(lifetime: AbortSignal) {
    this.#lifetime = lifetime;
  }

  /** Makes room for a body; what is sent for it ends with this signal. */
  begin(id: number, timeoutMs: number): Body {
    if (this.#bodies.has(id)) throw new CapabilityRefusal("Cannot fetch as its number must be a new one");
    if (this.#bodies.size >= openMax)
      throw new CapabilityRefusal(
        `Cannot fetch as at most ${openMax} responses may be open: read or cancel one`,
      );
    const body = new Body(this.#lifetime, timeoutMs);
    this.#bodies.set(id, body);
    body.signal.addEventListener("abort", () => this.#bodies.delete(id));
    return body;
  }

  async read(id: number): Promise<Piece> {
    const body = this.#bodies.get(id);
    if (body === undefined) throw new CapabilityRefusal("Cannot read the body as it must be open: it is not");
    const piece = await body.next();
    if (piece.isLast) this.#bodies.delete(id);
    return piece;
  }

  /** Nobody wants it any more. */
  end(id: number): void {
    this.#bodies.get(id)?.end(new Withdrawn("the guest wants no answer any more"));
    this.#bodies.delete(id);
  }
}

export class Body {
  readonly #controller = new AbortController();
  /** Aborted when it is ended, in time or before. */
  readonly signal: AbortSignal;
  #response: IncomingMessage | undefined;
  #left = 0;
  #url: URL | undefined;
  #bytesMax = 0;

  constructor(lifetime: AbortSignal, timeoutMs: number) {
    this.signal = AbortSignal.any([this.#controller.signal, lifetime, AbortSignal.timeout(timeoutMs)]);
  }

  /** Its response is there. */
  open(response: IncomingMessage, { url, bytesMax }: { readonly url: URL; readonly bytesMax: number }): void {
    this.#response = response;
    this.#url = url;
    this.#bytesMax = bytesMax;
    this.#left = bytesMax;
    // What is told as an error is told to whoever reads.
    response.on("error", () => {});
  }

  end(why: Error): void {
    this.#controller.abort(why);
  }

  /** What is thrown to whoever waits: where the guest has ended it, that it did. */
  endingOf(error: unknown): unknown {
    const reason: unknown = this.signal.reason;
    return reason instanceof Withdrawn ? reason : error;
  }

  /** What has come in already. */
  take(): Piece {
    const { response } = this.#opened();
    const read = response.read() as Buffer | null;
    if (read !== null) this.#spend(read.length);
    const isLast = response.complete && response.readableLength === 0;
    return { bytes: read ?? new Uint8Array(0), isLast };
  }

  /** What comes in next. */
  async next(): Promise<Piece> {
    const { response, url } = this.#opened();
    for (;;) {
      const piece = this.take();
      if (piece.bytes.length > 0 || piece.isLast) return piece;
      if (response.destroyed)
        throw this.endingOf(refused(url, "its body must arrive in time and as a whole: it did not"));
      const waiting = new AbortController();
      const options = { signal: waiting.signal };
      // "error" rejects each of them.
      await Promise.race([
        once(response, "readable", options),
        once(response, "end", options),
        once(response, "close", options),
      ]).catch(() => {});
      waiting.abort();
    }
  }

  #spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    const { url } = this.#opened();
    const error = refused(url, `its body must be at most ${this.#bytesMax} bytes`);
    this.end(error);
    throw error;
  }

  #opened(): { readonly response: IncomingMessage; readonly url: URL } {
    if (this.#response !== undefined && this.#url !== undefined)
      return { response: this.#response, url: this.#url };
    throw new CapabilityRefusal("Cannot read the body as it must be open: it is not");
  }
}
