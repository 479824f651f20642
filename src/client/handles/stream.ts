// A stream of parts from a sandbox on a server: each part is asked for, so that nothing is produced that nobody asked for.
import type { CallTarget, SandboxStream } from "../../index.ts";
import { VivariumError, type ErrorCode } from "../../model/errors.ts";
import { parseTarget } from "../../model/ids.ts";
import { askedMax } from "../../model/runs/stream-bounds.ts";
import { closed, failureOf, tooManyAsked } from "../../model/runs/stream-failures.ts";
import { cancelledBySignal } from "../../model/runs/unbegun.ts";
import { readGiven } from "../../model/schema.ts";
import { fromWireValue } from "../../contract/values.ts";
import type { WireParts } from "../../contract/run-bodies.ts";
import { untilAborted } from "../../std/abort.ts";
import { Turns } from "../../std/turns.ts";
import type { Transport } from "../transport/transport.ts";
import { sent, signalOption, streamNames, toArgs } from "../wire/options.ts";

/** `new` until the first part is asked for. */
type Phase = "new" | "open" | "over";

const what = "go on with the stream";
/** How the end of a stream may be answered that is over already. */
const overCodes: ReadonlySet<ErrorCode> = new Set(["HANDLE_NOT_FOUND", "RUNTIME_CLOSED"] as const);

export class RemoteStream<T> implements SandboxStream<T> {
  readonly #transport: Transport;
  readonly #params: { readonly id: string };
  readonly #body: object;
  readonly #signal: AbortSignal | undefined;
  #phase: Phase = "new";
  #streamId = "";
  /** Why it was cut while nobody waited for a part, until a caller was told. */
  #cutBy: Error | undefined;
  /** What callers asked for is done one after the other. */
  readonly #turns = new Turns();

  /** Nothing is asked for before the first part is. */
  constructor(
    transport: Transport,
    id: string,
    { target, options }: { readonly target: CallTarget; readonly options: unknown },
  ) {
    const given = readGiven(options, "options", streamNames);
    parseTarget(target);
    this.#transport = transport;
    this.#params = { id };
    this.#signal = signalOption.read(given.signal, "signal");
    this.#body = { ...sent(given, "args"), ...toArgs(given.args), target };
  }

  next(): Promise<IteratorResult<T, unknown>> {
    return this.#inTurn(() => this.#pull(), askedMax);
  }

  return(value?: unknown): Promise<IteratorResult<T, unknown>> {
    return this.#inTurn(async () => {
      const wasOpen = this.#phase === "open";
      this.#cutBy = undefined;
      this.#finish();
      if (wasOpen) await this.#end();
      return { done: true, value };
    }, askedMax + 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  // One that is refused ends nothing.
  #inTurn<R>(act: () => Promise<R>, waitingMax: number): Promise<R> {
    if (this.#turns.waiting >= waitingMax) return Promise.reject(failureOf(tooManyAsked));
    return this.#turns.take(act);
  }

  async #pull(): Promise<IteratorResult<T, unknown>> {
    if (this.#phase === "over") return this.#afterEnd();
    if (this.#phase === "open" && this.#transport.isClosed) {
      this.#finish();
      throw failureOf(closed);
    }
    this.#transport.checkOpen(`call sandbox "${this.#params.id}"`);
    if (this.#signal?.aborted === true) {
      const wasOpen = this.#phase === "open";
      this.#finish();
      if (wasOpen) this.#endUnasked();
      throw failureOf(cancelledBySignal);
    }
    const bounds = { signal: this.#signal };
    try {
      if (this.#phase === "new") await this.#open();
      const params = { streamId: this.#streamId };
      return this.#deliver(
        await this.#transport.json({ id: "nextParts", what, params, body: { count: 1 }, bounds }),
      );
    } catch (error) {
      throw this.#failed(error);
    }
  }

  // It is answered at once, and not given up with its signal: what the server has begun is to be ended.
  async #open(): Promise<void> {
    const signal = this.#signal;
    const opening = this.#transport.json({ id: "openStream", what, params: this.#params, body: this.#body });
    const ended = (): Error => failureOf(cancelledBySignal);
    try {
      const { streamId } = await untilAborted({ signal }, ended, () => opening);
      this.#streamId = streamId;
    } catch (error) {
      if (signal?.aborted === true)
        opening.then(
          ({ streamId }) => this.#endLate(streamId),
          () => {},
        );
      throw error;
    }
    this.#phase = "open";
    this.#signal?.addEventListener("abort", this.#onSignal, { once: true });
  }

  #deliver({ parts: [part], done, returned }: WireParts): IteratorResult<T, unknown> {
    // What a part holds is the caller's own claim, as that of a call's result is.
    if (part !== undefined) return { done: false, value: fromWireValue(part) as T };
    if (!done) throw new VivariumError("CONNECTION_FAILED", `Cannot ${what} as a part must come: none did`);
    this.#finish();
    return { done: true, value: returned === undefined ? undefined : fromWireValue(returned) };
  }

  // It is over, and its caller is told why; once.
  #failed(error: unknown): unknown {
    this.#cutBy = undefined;
    const wasOpen = this.#phase === "open";
    this.#finish();
    const isCancelled =
      error instanceof VivariumError && error.code === "CANCELLED" && this.#signal?.aborted === true;
    if (wasOpen && !this.#transport.isClosed) this.#endUnasked();
    if (isCancelled) return failureOf(cancelledBySignal);
    return this.#transport.isClosed ? failureOf(closed) : error;
  }

  // As a generator after its end; one that was cut while nobody asked tells why once.
  #afterEnd(): IteratorResult<T, unknown> {
    const cutBy = this.#cutBy;
    this.#cutBy = undefined;
    if (cutBy !== undefined) throw cutBy;
    return { done: true, value: undefined };
  }

  // A part that is waited for is ended by its own request.
  readonly #onSignal = (): void => {
    if (this.#phase !== "open" || this.#turns.waiting > 0) return;
    this.#cutBy = failureOf(cancelledBySignal);
    this.#finish();
    this.#endUnasked();
  };

  #finish(): void {
    this.#phase = "over";
    this.#signal?.removeEventListener("abort", this.#onSignal);
  }

  // Nobody waits for it.
  #endUnasked(): void {
    this.#end().catch(() => {});
  }

  #endLate(streamId: string): void {
    this.#streamId = streamId;
    this.#endUnasked();
  }

  // Lets the generator's `finally` blocks run. One that is gone already has none left.
  async #end(): Promise<void> {
    const params = { streamId: this.#streamId };
    try {
      await this.#transport.json({ id: "closeStream", what: "end the stream", params });
    } catch (error) {
      if (!(error instanceof VivariumError && overCodes.has(error.code))) throw error;
    }
  }
}
