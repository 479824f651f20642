// Events of a runtime on a server: one stream for all that is listened to, opened when somebody listens and ended when nobody
// does. Where it breaks it goes on behind the last event that came.
import type { AnyEvent, EventMap, EventName, ExternalEventName, SubscriptionOptions } from "../../index.ts";
import { liveFrame, missedFrame, type MissedFrame } from "../../contract/event-frames.ts";
import { VivariumError, InvalidOptionsError } from "../../model/errors.ts";
import { boolean, fields, func, list, optional, required, text } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { pause } from "../../std/abort.ts";
import type { Timer } from "../../std/clock.ts";
import { framesOf, type Frame } from "../transport/lines.ts";
import { pauseAfter } from "../transport/retry.ts";
import type { Transport } from "../transport/transport.ts";
import type { EventConnection, EventGap, RemoteEvents, RemoteSubscriptionOptions } from "../types.ts";

const listener = required(func());
const subscriptionOptions = fields({ background: boolean(false) });
const anyOptions = fields({ background: boolean(false), names: optional(list(required(text()))) });
const what = "listen to events";
/** Nothing waits longer than this for the stream of events to be open. */
const openMs = 5_000;
/** Where not even so many heartbeats came, the connection is dead and another one is opened. */
const heartbeatsMissed = 3;
/** Answers that will not be others the next time. */
const finalCodes: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "INVALID_OPTIONS"]);

interface Subscription {
  /** Null: all of them. */
  readonly names: ReadonlySet<EventName> | null;
  readonly act: (event: AnyEvent) => unknown;
  /** It hears what happens after it began, and not what a stream tells that goes on behind an earlier event. */
  isLive: boolean;
}

/** One attempt to hear events. */
interface Hearing {
  readonly end: AbortController;
  /** What is told in it; null: all. */
  readonly names: ReadonlySet<EventName> | null;
  readonly opened: PromiseWithResolvers<void>;
}

/** Who is told of the stream itself, and how often the server sends something on it. */
export interface EventListeners {
  readonly heartbeatMs: number;
  readonly onMissed?: ((gap: EventGap) => void) | undefined;
  readonly onConnection?: ((connection: EventConnection) => void) | undefined;
}

export class RemoteEventStream implements RemoteEvents {
  readonly #transport: Transport;
  readonly #onMissed: (gap: EventGap) => void;
  readonly #onConnection: (connection: EventConnection) => void;
  readonly #silenceMs: number;
  readonly #subscriptions = new Set<Subscription>();
  #hearing: Hearing | undefined;
  #lastId = "";
  #isOver = false;

  constructor(transport: Transport, { onMissed, onConnection, heartbeatMs }: EventListeners) {
    this.#transport = transport;
    this.#silenceMs = heartbeatMs * heartbeatsMissed;
    this.#onMissed = onMissed ?? ((): void => {});
    this.#onConnection = onConnection ?? ((): void => {});
    transport.ready = () => (this.#hearing === undefined ? undefined : this.#opened());
  }

  on<N extends EventName>(
    name: N,
    act: (event: EventMap[N]) => void,
    options?: SubscriptionOptions,
  ): () => void {
    if (typeof (name as unknown) !== "string")
      throw new InvalidOptionsError(
        `Cannot listen to ${show(name)} as it must be the name of an event: got an unknown one`,
        "name",
      );
    listener.read(act, "act");
    subscriptionOptions.read(options, "options");
    // The event is of the name that is listened to.
    return this.#subscribe(new Set<EventName>([name]), ({ event }) => act(event as EventMap[N]));
  }

  onAny(act: (event: AnyEvent) => void, options?: RemoteSubscriptionOptions): () => void {
    listener.read(act, "act");
    const { names } = anyOptions.read(options, "options");
    if (names?.length === 0)
      throw new InvalidOptionsError(
        "Cannot listen to events as names must have at least one: got an empty list",
        "names",
      );
    // The server refuses names that it does not know.
    return this.#subscribe(names === undefined ? null : new Set(names as readonly EventName[]), act);
  }

  publish<N extends ExternalEventName>(name: N, event: EventMap[N]): Promise<void> {
    const body = { name, event };
    const published = this.#transport.json({ id: "publishEvent", what: "publish an event", body });
    // Who does not wait for it does not want to know.
    published.catch(() => {});
    return published;
  }

  /** The client is closed. */
  close(): void {
    this.#isOver = true;
    this.#subscriptions.clear();
    this.#stop();
  }

  #subscribe(names: Subscription["names"], act: (event: AnyEvent) => unknown): () => void {
    if (this.#isOver) return () => {};
    const subscription: Subscription = { names, act, isLive: false };
    this.#subscriptions.add(subscription);
    this.#hear();
    return () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) {
        this.#lastId = "";
        this.#stop();
      }
    };
  }

  // A stream that another one took the place of is not waited for, but that one is.
  async #opened(): Promise<void> {
    for (let last: Hearing | undefined; this.#hearing !== undefined && this.#hearing !== last;) {
      last = this.#hearing;
      await last.opened.promise;
    }
  }

  #stop(): void {
    const hearing = this.#hearing;
    this.#hearing = undefined;
    hearing?.end.abort("nobody listens");
    hearing?.opened.resolve();
  }

  // Opens a stream that tells all that is listened to, unless there is one.
  #hear(): void {
    const names = namesOf(this.#subscriptions);
    const has = this.#hearing?.names;
    const isCovered = has === null || (has !== undefined && names !== null && names.isSubsetOf(has));
    if (this.#hearing !== undefined && isCovered) {
      // Where it tells what happens now already, there is nothing to wait for.
      return this.#markCovered(this.#hearing);
    }
    this.#stop();
    const hearing: Hearing = { end: new AbortController(), names, opened: Promise.withResolvers() };
    this.#hearing = hearing;
    const timer = this.#transport.clock.after(openMs, () => hearing.opened.resolve());
    void hearing.opened.promise.then(() => timer.cancel());
    void this.#listen(hearing);
  }

  #markCovered(hearing: Hearing): void {
    void hearing.opened.promise.then(() => {
      if (this.#hearing === hearing) this.#markLive();
    });
  }

  #markLive(): void {
    for (const subscription of this.#subscriptions) subscription.isLive = true;
  }

  // Until it is ended; several subscriptions that begin together open one stream.
  async #listen(hearing: Hearing): Promise<void> {
    await Promise.resolve();
    const { signal } = hearing.end;
    for (let failures = 0; this.#hearing === hearing;) {
      try {
        await this.#listenOnce(hearing, () => {
          failures = 0;
          this.#call(this.#onConnection, { open: true, error: null });
        });
        if (this.#hearing === hearing) this.#call(this.#onConnection, { open: false, error: null });
      } catch (error) {
        if (this.#hearing !== hearing) return;
        if (error instanceof VivariumError && finalCodes.has(error.code)) return this.#giveUp(hearing, error);
        this.#call(this.#onConnection, { open: false, error: error instanceof Error ? error : null });
      }
      // Nobody waits for a server that does not answer.
      hearing.opened.resolve();
      await pause(this.#transport.clock, pauseAfter(++failures, this.#transport.retry), signal);
    }
  }

  async #listenOnce(hearing: Hearing, onOpen: () => void): Promise<void> {
    const names = hearing.names === null ? {} : { query: { name: [...hearing.names] } };
    const ask = { id: "events", what, ...names } as const;
    // Each attempt has a signal of its own: a body that is left must be ended.
    const end = new AbortController();
    const onEnd = (): void => end.abort(hearing.end.signal.reason);
    hearing.end.signal.addEventListener("abort", onEnd, { once: true });
    const { clock } = this.#transport;
    const silenceMs = this.#silenceMs;
    const silent = `Cannot ${what} as the server must send something every ${silenceMs} ms: got nothing`;
    let timer: Timer | undefined;
    const noteHeard = (): void => {
      timer?.cancel();
      timer = clock.after(silenceMs, () => end.abort(new VivariumError("CONNECTION_FAILED", silent)));
    };
    noteHeard();
    try {
      const lastId = this.#lastId;
      await this.#transport.stream(ask, { end, lastId }, async (response) => {
        onOpen();
        for await (const frame of framesOf(response.body, noteHeard)) {
          if (this.#hearing !== hearing) return;
          this.#take(frame, hearing);
        }
      });
    } finally {
      timer?.cancel();
      hearing.end.signal.removeEventListener("abort", onEnd);
      end.abort("over");
    }
  }

  #take({ event, data, id }: Frame, hearing: Hearing): void {
    if (id !== "") this.#lastId = id;
    if (event === liveFrame) {
      this.#markLive();
      hearing.opened.resolve();
    } else if (event === missedFrame) {
      const { missed } = JSON.parse(data) as MissedFrame;
      this.#call(this.#onMissed, { missed, error: null });
    } else this.#deliver(JSON.parse(data) as AnyEvent);
  }

  #deliver(any: AnyEvent): void {
    for (const { names, act, isLive } of [...this.#subscriptions])
      if (isLive && (names === null || names.has(any.name))) this.#call(act, any);
  }

  // A subscriber that throws harms nobody, as in a local runtime.
  #call<E>(act: (event: E) => unknown, event: E): void {
    try {
      const answer = act(event);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {
      // It is the subscriber's own.
    }
  }

  #giveUp(hearing: Hearing, error: VivariumError): void {
    this.#hearing = undefined;
    hearing.opened.resolve();
    this.#call(this.#onMissed, { missed: null, error });
  }
}

// What all of them together listen to; null for everything.
function namesOf(subscriptions: Iterable<Subscription>): ReadonlySet<EventName> | null {
  const all = new Set<EventName>();
  for (const { names } of subscriptions) {
    if (names === null) return null;
    for (const name of names) all.add(name);
  }
  return all;
}
