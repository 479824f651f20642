// The latest events, kept within a bound, written as lines of JSON, and played again from them.
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { RingBuffer } from "../std/ring-buffer.ts";
import { Bus, type AnyEvent, type Events } from "./bus.ts";
import { eventNames } from "./catalogue.ts";

/** What an event costs beside its text. */
const eventOverheadBytes = 64;
const bytesUsual = 16 * 2 ** 20;

export class Journal {
  readonly #lines: RingBuffer<string>;
  #heard = 0;

  /** At most so many bytes are kept; the oldest events make room. Default: 16 MiB. */
  constructor(bytesMax: number = bytesUsual) {
    if (!Number.isSafeInteger(bytesMax) || bytesMax < 1)
      throw new InvalidOptionsError(
        `Cannot set bytesMax as it must be a positive integer: got ${show(bytesMax)}`,
        "bytesMax",
      );
    this.#lines = new RingBuffer(bytesMax, (line) => line.length + eventOverheadBytes);
  }

  /** Writes down every event from now on; answers a function that ends it. */
  follow(events: Events): () => void {
    return events.onAny((event) => {
      this.#heard++;
      this.#lines.push(JSON.stringify(event));
    });
  }

  /** How many events were heard; those that are no longer kept included. */
  get heard(): number {
    return this.#heard;
  }

  /** One event per line, oldest first. */
  toText(): string {
    return this.#lines
      .toArray()
      .map((line) => `${line}\n`)
      .join("");
  }
}

/** Plays a journal's events again, in their order, to whoever subscribes within `listen`. Answers how many they were. */
export function replayJournal(text: string, listen: (events: Events) => void): number {
  const parsed = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => readEvent(line, index + 1));
  let at = 0;
  const bus = new Bus(() => at);
  listen(bus);
  for (const event of parsed) {
    at = event.at;
    bus.emit(event.name, event.event as never);
  }
  return parsed.length;
}

function readEvent(line: string, number: number): AnyEvent {
  try {
    const event = JSON.parse(line) as AnyEvent;
    if (eventNames.includes(event.name) && Number.isFinite(event.at) && typeof event.event === "object")
      return event;
  } catch {
    // Told below, as any other line that is no event.
  }
  throw new InvalidOptionsError(
    `Cannot replay line ${number} of the journal as it must be an event: got ${show(line)}`,
    "journal",
  );
}
