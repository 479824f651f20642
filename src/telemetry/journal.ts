// The last events of a runtime, in the order in which they came: bounded, numbered, and replayed to late subscribers.
import { inBackground, type Events } from "../observability/bus.ts";
import { toJournalled, type JournalEntry } from "../observability/journalled.ts";
import { fields, func, integer, required, requiredMethods, type Shape } from "../model/schema.ts";
import { RingBuffer } from "../std/ring-buffer.ts";

export interface JournalOptions {
  /** How much is kept, as JSON. Default: 8 MiB. */
  readonly bytesMax?: number;
}

const MiB = 2 ** 20;
const GiB = 2 ** 30;

const journalOptions = fields({
  bytesMax: integer({ min: 0, max: 4 * GiB, default: 8 * MiB }),
} satisfies Shape<JournalOptions>);
const after = required(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));

export class Journal {
  readonly #kept: RingBuffer<JournalEntry>;
  readonly #stop: () => void;
  #lastNumber = 0;

  constructor(events: Events, options?: JournalOptions) {
    requiredMethods<Events>("onAny").read(events, "events");
    const { bytesMax } = journalOptions.read(options, "options");
    this.#kept = new RingBuffer(bytesMax, (entry) => JSON.stringify(entry).length);
    this.#stop = inBackground(events).onAny((event) =>
      this.#kept.push({ ...toJournalled(event), number: ++this.#lastNumber }),
    );
  }

  /** The number of the latest event; 0 before the first. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** What is kept, oldest first, from the event after this number on. */
  entries(last = 0): readonly JournalEntry[] {
    after.read(last, "after");
    return this.#kept.toArray().filter(({ number }) => number > last);
  }

  /** How many events were dropped as there was no room. */
  get dropped(): number {
    return this.#lastNumber - this.#kept.toArray().length;
  }

  /** Calls `act` with what is kept, one by one. */
  replay(act: (entry: JournalEntry) => void, after = 0): void {
    required(func()).read(act, "act");
    for (const entry of this.entries(after)) act(entry);
  }

  /** Stops listening; what is stored stays. */
  close(): void {
    this.#stop();
  }
}
