// Requests to one server and their answers: bounded, repeated where that is safe, and ended when their caller gives up or the
// client is closed.
import { operations, type Operation, type OperationId } from "../../contract/operations.ts";
import type { Bodies } from "../../contract/bodies.ts";
import { problemContentType } from "../../contract/problem.ts";
import { CancelledError, lateWhy, RuntimeClosedError, VivariumError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { pause, untilAborted } from "../../std/abort.ts";
import type { Clock } from "../../std/clock.ts";
import { uniqueText } from "../../std/portable.ts";
import { toText, type Bounds } from "../wire/options.ts";
import { errorOf, problemIn } from "./failures.ts";
import { membersOf } from "./lines.ts";
import { pauseAfter, wasNotSent, type RetryPlan } from "./retry.ts";

/** The `fetch` of the machine, or another function with its meaning. */
export type Fetch = (request: Request) => Promise<Response>;

export interface Place {
  readonly url: URL;
  readonly token: string | undefined;
  readonly fetch: Fetch;
  readonly retry: RetryPlan;
  readonly clock: Clock;
}

/** What is asked for. */
export interface Ask<Id extends OperationId = OperationId> {
  readonly id: Id;
  /** Continues "Cannot". */
  readonly what: string;
  /** Continues "Cannot finish". Default: `the request`. */
  readonly noun?: string;
  /** What stands in the address instead of the names in braces. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: object;
  readonly bounds?: Bounds;
  /** It is sent only once, whatever becomes of it. */
  readonly isOnce?: boolean;
  /** Called where its caller gave up once it may have been sent: what it makes may be there by then. */
  readonly undo?: (() => void) | undefined;
}

export type AnswerTo<Id extends OperationId> = Bodies[Id] extends { answer: infer A } ? A : void;
export type LineOf<Id extends OperationId> = Bodies[Id] extends { line: infer L } ? L : never;

/** The media type of answers in lines. */
const linesType = "application/x-ndjson";
/** The server ends what is late; this is how much later it is ended here where no answer comes at all. */
const graceMs = 5_000;

/** A request with what is the same at each attempt. */
interface Sending {
  readonly ask: Ask;
  readonly accept: string;
  readonly url: URL;
  readonly text: string | undefined;
  readonly key: string | undefined;
  readonly end: AbortController;
}

export class Transport {
  readonly #place: Place;
  /**
   * What is under way. Requests are held, as the signal of one that nobody holds is never aborted in Node: a server that is called
   * in this process would not hear of it.
   */
  readonly #open = new Map<AbortController, Request | undefined>();
  #isClosed = false;
  /** What is to be ready before anything else is asked for: the stream of events, where somebody listens. */
  ready: () => Promise<void> | undefined = () => undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  get clock(): Clock {
    return this.#place.clock;
  }

  get retry(): RetryPlan {
    return this.#place.retry;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  checkOpen(what: string): void {
    if (this.#isClosed) throw new RuntimeClosedError(what);
  }

  /** Ends all that is open; what is asked for later is refused. */
  close(): void {
    this.#isClosed = true;
    for (const end of [...this.#open.keys()]) end.abort(closing);
    this.#open.clear();
  }

  /** One answer as a whole. */
  async json<Id extends OperationId>(ask: Ask<Id>): Promise<AnswerTo<Id>> {
    return this.#within(ask, "application/json", async (response) => {
      if (response.status === 204) return undefined as AnswerTo<Id>;
      const text = await response.text();
      // What the operation answers is the server's promise, and the contract's.
      return (text === "" ? undefined : JSON.parse(text)) as AnswerTo<Id>;
    });
  }

  /** An answer in lines, each given to `take` as it comes; resolves at its end. It is read as fast as `take` returns. */
  lines<Id extends OperationId>(ask: Ask<Id>, take: (line: LineOf<Id>) => void): Promise<void> {
    return this.#within(ask, linesType, async (response) => {
      for await (const line of membersOf<LineOf<Id>>(response.body)) take(line);
    });
  }

  /** A stream of events, for as long as `end` says; `use` reads it. */
  async stream(
    ask: Ask<"events">,
    { end, lastId }: { readonly end: AbortController; readonly lastId: string },
    use: (response: Response) => Promise<void>,
  ): Promise<void> {
    this.checkOpen(ask.what);
    this.#open.set(end, undefined);
    try {
      const sending = {
        ask,
        accept: "text/event-stream",
        url: this.#urlOf(ask),
        text: undefined,
        key: undefined,
        end,
      };
      const response = await this.#fetch(sending, lastId === "" ? {} : { "last-event-id": lastId });
      await use(await this.#checked(response, ask));
    } finally {
      this.#open.delete(end);
    }
  }

  async #within<T>(ask: Ask, accept: string, read: (response: Response) => Promise<T>): Promise<T> {
    this.checkOpen(ask.what);
    const { signal, deadlineMs } = ask.bounds ?? {};
    const operation: Operation = operations[ask.id];
    const end = new AbortController();
    const sending: Sending = {
      ask,
      accept,
      url: this.#urlOf(ask),
      // At once: what the caller does to its own data meanwhile must not matter.
      text: ask.body === undefined ? undefined : toText(ask.body),
      key: operation.creates === true ? uniqueText() : undefined,
      end,
    };
    if (signal?.aborted === true) throw abortedBy(ask, signal.reason);
    const onAbort = (): void => end.abort(abortedBy(ask, signal?.reason));
    const timer =
      deadlineMs === undefined
        ? undefined
        : this.clock.after(deadlineMs + graceMs, () => end.abort(lateBy(ask, deadlineMs)));
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#open.set(end, undefined);
    try {
      const reasonOf = (): Error => this.#whyEnded(ask, end.signal.reason);
      return await untilAborted({ signal: end.signal }, reasonOf, () => this.#attempts(sending, read));
    } catch (error) {
      const isGivenUp = end.signal.aborted && this.#open.get(end) !== undefined;
      // Whatever of the answer is not read is not wanted.
      end.abort(closing);
      if (isGivenUp) ask.undo?.();
      throw error;
    } finally {
      this.#open.delete(end);
      timer?.cancel();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #attempts<T>(sending: Sending, read: (response: Response) => Promise<T>): Promise<T> {
    await this.ready();
    const { ask, end, key } = sending;
    const isHarmless = operations[ask.id].method === "GET" || key !== undefined;
    for (let attempt = 1; ; attempt++) {
      let answered = false;
      try {
        const response = await this.#checked(await this.#fetch(sending), ask);
        answered = sending.accept === linesType;
        return await read(response);
      } catch (error) {
        const isLast =
          ask.isOnce === true || attempt >= this.#place.retry.attempts || end.signal.aborted || answered;
        // The first attempt is still at work where its connection broke.
        const isAtWork =
          attempt > 1 && error instanceof VivariumError && error.code === "IDEMPOTENCY_CONFLICT";
        if (error instanceof VivariumError && !isAtWork) throw error;
        if (isLast || !(isHarmless || wasNotSent(error))) throw failedConnection(ask, error);
      }
      await pause(this.clock, pauseAfter(attempt, this.#place.retry), end.signal);
    }
  }

  async #fetch({ accept, url, text, key, ask, end }: Sending, more: object = {}): Promise<Response> {
    const { token, fetch } = this.#place;
    const request = new Request(url, {
      method: operations[ask.id].method,
      headers: {
        accept,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
        ...more,
      },
      ...(text === undefined ? {} : { body: text }),
      signal: end.signal,
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
    });
    if (this.#open.has(end)) this.#open.set(end, request);
    return fetch(request);
  }

  // An answer of success, or the error that it is.
  async #checked(response: Response, ask: Ask): Promise<Response> {
    if (response.ok) return response;
    const text = await response.text();
    const isProblem = response.headers.get("content-type")?.startsWith(problemContentType) === true;
    const problem = isProblem ? problemIn(parsed(text)) : undefined;
    if (problem !== undefined) throw errorOf(problem);
    const got = `status ${response.status} with ${show(text.slice(0, shownMax))}`;
    throw new VivariumError(
      "CONNECTION_FAILED",
      `Cannot ${ask.what} as a Vivarium server must answer: got ${got}`,
    );
  }

  #whyEnded(ask: Ask, reason: unknown): Error {
    return reason instanceof VivariumError ? reason : new RuntimeClosedError(ask.what, { isUnderWay: true });
  }

  #urlOf({ id, params = {}, query = {} }: Ask): URL {
    const path = operations[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ""),
    );
    const url = new URL(this.#place.url);
    url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one));
    return url;
  }
}

/** Why a request is ended that nobody needs any more. */
const closing = "closed";
const shownMax = 200;

function abortedBy({ noun = "the request" }: Ask, reason: unknown): CancelledError {
  return new CancelledError(noun, "its signal was aborted", reason);
}

function lateBy({ noun = "the request" }: Ask, deadlineMs: number): CancelledError {
  return Object.assign(new CancelledError(noun, lateWhy(deadlineMs)), { deadlineMs });
}

function failedConnection({ what }: Ask, cause: unknown): VivariumError {
  const why = deepestMessage(cause);
  const rule = "the server must be there until it has answered";
  return new VivariumError("CONNECTION_FAILED", `Cannot ${what} as ${rule}: ${why}`, cause);
}

/** What the system says, which is below "fetch failed". */
function deepestMessage(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { code = "" } = cause as { readonly code?: string };
  const below = cause.cause instanceof Error ? deepestMessage(cause.cause) : "";
  return below || cause.message || code;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
