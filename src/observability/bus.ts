// Emit and subscribe. A failing subscriber never reaches the emitter, nor the other subscribers.
import { channel, type Channel } from "node:diagnostics_channel";
import { InvalidOptionsError } from "../model/errors.ts";
import { nearest } from "../model/option-places.ts";
import { func, required } from "../model/schema.ts";
import { show } from "../model/show.ts";
import { eventNames, type EventMap, type EventName } from "./catalogue.ts";
import { readExternalEvent, type ExternalEventName } from "./external-events.ts";

/** One event as a subscriber to all of them sees it. */
export type AnyEvent = {
  readonly [N in EventName]: { readonly name: N; readonly at: number; readonly event: EventMap[N] };
}[EventName];

const listener = required(func());

type Subscriber<N extends EventName> = (event: EventMap[N]) => void;

export interface SubscriptionOptions {
  /** The process may end although it listens. Default: false, as whoever listens waits for something. */
  readonly background?: boolean;
}

/** The same events for whoever only looks on: listening to them does not keep the process alive. */
export function inBackground(events: Events): Pick<Events, "on" | "onAny"> {
  const background = true;
  return {
    on: (name, act) => events.on(name, act, { background }),
    onAny: (act) => events.onAny(act, { background }),
  };
}

/** What users see of it: they subscribe, and may emit what only they know. */
export interface Events {
  /**
   * Calls `act` at every event of this name; returns a function that ends the subscription. Until then, or until the runtime
   * is closed, the process lives on.
   */
  on<N extends EventName>(
    name: N,
    act: (event: EventMap[N]) => void,
    options?: SubscriptionOptions,
  ): () => void;
  /** Calls `act` at every event. */
  onAny(act: (event: AnyEvent) => void, options?: SubscriptionOptions): () => void;
  /** Emits what was found out beside the runtime; a tracker does so with adjustments. */
  publish<N extends ExternalEventName>(name: N, event: EventMap[N]): void;
}

/** What is done on behalf of something that has a span: an item of a batch, or the measuring of a candidate. */
export type Scope = "batch" | "evaluation";

/** Does something within the span of that; returns what it returns. */
export type Enclose = <T>(scope: Scope, id: number, act: () => T) => T;

export class Bus implements Events {
  readonly #now: () => number;
  readonly #byName = new Map<EventName, Set<Subscriber<never>>>();
  readonly #any = new Set<(event: AnyEvent) => void>();
  /** Node's own channels, `vivarium:` and the event's name: for code that has no runtime at hand. */
  readonly #channels: ReadonlyMap<EventName, Channel> = new Map(
    eventNames.map((name) => [name, channel(`vivarium:${name}`)] as const),
  );
  #enclosing: readonly Enclose[] = [];
  #failures = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Has what belongs to a batch or an evaluation done by `enclose`, until the returned function is called. */
  encloseBy(enclose: Enclose): () => void {
    this.#enclosing = [...this.#enclosing, enclose];
    return () => {
      this.#enclosing = this.#enclosing.filter((one) => one !== enclose);
    };
  }

  /** Does what belongs to a batch or an evaluation. */
  within<T>(scope: Scope, id: number, act: () => T): T {
    return this.#enclosing.reduceRight((inner, enclose) => () => enclose(scope, id, inner), act)();
  }

  /** How often a subscriber threw. */
  get subscriberFailures(): number {
    return this.#failures;
  }

  on<N extends EventName>(name: N, act: Subscriber<N>): () => void {
    if (!this.#channels.has(name)) {
      const near = nearest(name, eventNames);
      const hint = near === undefined ? "" : `, did you mean ${near}?`;
      const message = `Cannot listen to ${show(name)} as it must be the name of an event: got an unknown one${hint}`;
      throw new InvalidOptionsError(message, "name");
    }
    listener.read(act, "act");
    const subscribers = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, subscribers);
    subscribers.add(act);
    return () => subscribers.delete(act);
  }

  onAny(act: (event: AnyEvent) => void): () => void {
    listener.read(act, "act");
    this.#any.add(act);
    return () => this.#any.delete(act);
  }

  /** Whether there is a subscriber: an event without one need not be put together. */
  hears(name: EventName): boolean {
    const isHeard = this.#any.size > 0 || (this.#byName.get(name)?.size ?? 0) > 0;
    return isHeard || this.#channels.get(name)?.hasSubscribers === true;
  }

  publish<N extends ExternalEventName>(name: N, event: EventMap[N]): void {
    this.emit(name, readExternalEvent(name, event));
  }

  emit<N extends EventName>(name: N, event: EventMap[N]): void {
    const subscribers = this.#byName.get(name);
    if (subscribers !== undefined) for (const act of subscribers) this.#call(act as Subscriber<N>, event);
    const published = this.#channels.get(name);
    if (published?.hasSubscribers === true) published.publish({ at: this.#now(), event });
    if (this.#any.size === 0) return;
    const any = { name, at: this.#now(), event } as AnyEvent;
    for (const act of this.#any) this.#call(act, any);
  }

  #call<E>(act: (event: E) => void, event: E): void {
    try {
      const result: unknown = act(event);
      if (result instanceof Promise) result.catch(() => this.#failures++);
    } catch {
      this.#failures++;
    }
  }
}
