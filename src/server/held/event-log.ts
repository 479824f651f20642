// The latest events by their numbers, for readers that come back and for those that read on. Nothing is kept for one reader:
// whoever falls behind what is kept is told how many events it missed.
import type { AnyEvent, Events } from "../../index.ts";
import type { Clock, Timer } from "../../std/clock.ts";

/** An event with its number, and its text once a reader wanted it. */
interface Entry {
  readonly any: AnyEvent;
  readonly bytes: number;
  text: string | undefined;
}

/** Where many events come, each reader is woken for several at a time: an event waits no longer than this for the next ones. */
const gatherMs = 15;
/** What an event takes besides its long parts. */
const usualBytes = 600;
/** Readers get what came since, where no events are kept for those who come back. */
const livingMax = 1_000;

export interface LogBounds {
  readonly eventsMax: number;
  readonly bytesMax: number;
}

export interface ReadEvent {
  readonly number: number;
  readonly name: AnyEvent["name"];
  readonly sandboxId: string | null;
  /** As JSON. What a capability of the host said when it failed is for those who have the whole runtime. */
  readonly text: (isWhole: boolean) => string;
}

export class EventLog {
  readonly #events: Events;
  readonly #bounds: LogBounds;
  readonly #clock: Clock;
  #entries: (Entry | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  /** The number of the oldest one that is kept. */
  #first: number;
  /** The number of the first one of which it is known what came before it. */
  #origin: number;
  #readers = 0;
  #wake = Promise.withResolvers<void>();
  #wokenAtMs = -Infinity;
  #waking: Timer | undefined;
  #unsubscribe: (() => void) | undefined;
  #isOver = false;

  /** Numbers begin behind those of any server that ran before now, which had less than a thousand events each millisecond. */
  constructor(events: Events, bounds: LogBounds, clock: Clock) {
    this.#events = events;
    this.#bounds = bounds;
    this.#clock = clock;
    this.#origin = Math.max(1, Math.floor(clock.now())) * 1_000;
    this.#first = this.#origin;
    if (bounds.eventsMax > 0) this.#subscribe();
  }

  /** The server is closed: there are no other events. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The number of the next event. */
  get next(): number {
    return this.#first + this.#entries.length - this.#head;
  }

  get first(): number {
    return this.#first;
  }

  /** How many events are missing between two numbers of which the second is kept; null where nobody knows. */
  missing(after: number): number | null {
    return after + 1 < this.#origin || after >= this.next ? null : this.#first - after - 1;
  }

  at(number: number): ReadEvent | undefined {
    const entry = this.#entries[this.#head + number - this.#first];
    if (entry === undefined) return undefined;
    const { any } = entry;
    const text = (isWhole: boolean): string =>
      isWhole || any.name !== "capability.called" ? (entry.text ??= textOf(any)) : textOf(any, "");
    return { number, name: any.name, sandboxId: sandboxOf(any), text };
  }

  /** Resolves when there is another event, or the log is closed. */
  more(): Promise<void> {
    return this.#wake.promise;
  }

  /** A reader has come; returns a function that says that it is gone. */
  read(): () => void {
    this.#readers++;
    this.#subscribe();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#readers === 0 && this.#bounds.eventsMax === 0) this.#pause();
    };
  }

  close(): void {
    this.#isOver = true;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#waking?.cancel();
    this.#waking = undefined;
    this.#wake.resolve();
  }

  // Nobody listens and nothing is kept, so that nobody knows what comes before the next reader: one that comes back is told so.
  #pause(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#first = this.next + 1;
    this.#origin = this.#first;
    this.#entries = [];
    this.#head = 0;
    this.#bytes = 0;
  }

  #subscribe(): void {
    if (this.#isOver) return;
    this.#unsubscribe ??= this.#events.onAny((any) => this.#push(any), { background: true });
  }

  #push(any: AnyEvent): void {
    const entry = { any, bytes: bytesOf(any), text: undefined };
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    const eventsMax = Math.max(this.#bounds.eventsMax, livingMax);
    while (this.#entries.length - this.#head > eventsMax || this.#bytes > this.#bounds.bytesMax) {
      const oldest = this.#entries[this.#head];
      if (oldest === undefined) break;
      this.#bytes -= oldest.bytes;
      this.#entries[this.#head++] = undefined;
      this.#first++;
    }
    // Compacted rarely, so that an event costs constant time on average.
    if (this.#head > 1_024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    if (this.#readers === 0) return;
    if (this.#waking !== undefined) return;
    const waitMs = this.#wokenAtMs + gatherMs - this.#clock.monotonic();
    if (waitMs <= 0) this.#wakeReaders();
    else this.#waking = this.#clock.after(waitMs, () => this.#wakeReaders());
  }

  #wakeReaders(): void {
    this.#waking = undefined;
    this.#wokenAtMs = this.#clock.monotonic();
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

function sandboxOf({ event }: AnyEvent): string | null {
  return "sandboxId" in event ? event.sandboxId : null;
}

// What the host's own code threw, its stack included, does not leave its process.
function textOf(any: AnyEvent, message?: string): string {
  if (any.name !== "capability.called") return JSON.stringify(any);
  const { event } = any;
  return JSON.stringify({ ...any, event: { ...event, message: message ?? event.message, error: null } });
}

function bytesOf(any: AnyEvent): number {
  const { event } = any;
  let bytes = usualBytes;
  if ("sources" in event && event.sources !== undefined)
    for (const source of Object.values(event.sources)) bytes += 2 * source.length;
  if ("mutation" in event && event.mutation !== null)
    bytes += 2 * (JSON.stringify(event.mutation)?.length ?? 0);
  if ("tests" in event && event.tests !== undefined) bytes += 2 * JSON.stringify(event.tests).length;
  if ("message" in event && typeof event.message === "string") bytes += 2 * event.message.length;
  return bytes;
}
