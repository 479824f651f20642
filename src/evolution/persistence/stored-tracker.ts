// The memory of a tracker in the documents of a runtime: what changed is written in groups, and read at the next start.
import { VivariumError } from "../../model/errors.ts";
import { systemClock } from "../../std/clock.ts";
import { pagesOf, RowWriter } from "../../std/row-writer.ts";
import { inSlices } from "../../std/slicing.ts";
import type { Runtime } from "../../api/types/runtime.ts";
import { countersCollection, individualsCollection, StoredIndividuals } from "./stored-individuals.ts";
import { codesCollection, StoredCodes, textsCollection } from "./stored-codes.ts";
import { outdatedCollection, populationsCollection, StoredPopulations } from "./stored-populations.ts";
import type { Persistence, Tracker } from "../tracker.ts";

type Documents = Runtime["documents"];
type Load = (number: number, value: unknown) => void;

/** From a change to its write. */
const delayMs = 5;

export class StoredTracker implements Persistence {
  readonly #documents: Documents;
  readonly #writer: RowWriter;
  readonly #populations: StoredPopulations;
  readonly #codes: StoredCodes;
  readonly #individuals: StoredIndividuals;

  constructor(tracker: Tracker, documents: Documents) {
    this.#documents = documents;
    this.#writer = new RowWriter({
      clock: systemClock,
      write: (collection, rows) => documents.write(collection, rows),
      delayMs,
      isFinal: (error) => error instanceof VivariumError && error.code === "RUNTIME_CLOSED",
    });
    // Individuals come last: one that is dead there must not be outdated any more.
    this.#populations = new StoredPopulations(tracker.populations, this.#writer);
    this.#codes = new StoredCodes(tracker.table.code.codes, this.#writer);
    this.#individuals = new StoredIndividuals(tracker.table, this.#writer);
    tracker.table.code.codes.listener = this.#codes;
    tracker.populations.listener = this.#populations;
    tracker.table.listener = this.#individuals;
  }

  /** Reads what an earlier tracker wrote; the tracker must be empty. */
  async load(): Promise<void> {
    const [codes, individuals, populations] = [this.#codes, this.#individuals, this.#populations];
    await this.#read(textsCollection, (number, value) => codes.loadText(number, value));
    await this.#read(codesCollection, (number, value) => codes.load(number, value));
    codes.loaded();
    await this.#read(countersCollection, (_number, value) => individuals.loadCounters(value));
    await this.#read(individualsCollection, (number, value) => individuals.load(number, value));
    individuals.loaded();
    await this.#read(outdatedCollection, (number, value) => populations.loadOutdated(number, value));
    await this.#read(populationsCollection, (number, value) => populations.load(number, value));
    populations.loaded();
  }

  /** What was read is as it should be: from now on changes are written. */
  begin(): void {
    this.#writer.open();
  }

  saved(): Promise<void> {
    return orStoreFailed(() => this.#writer.saved());
  }

  close(): Promise<void> {
    return orStoreFailed(() => this.#writer.close());
  }

  async #read(collection: string, load: Load): Promise<void> {
    const read = this.#documents.read.bind(this.#documents);
    for await (const page of pagesOf(read, collection)) await inSlices(loading(page, load), undefined);
  }
}

function* loading(page: readonly (readonly [number, unknown])[], load: Load): Generator<void, void> {
  for (const [number, value] of page) yield load(number, value);
}

async function orStoreFailed(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (cause) {
    if (cause instanceof VivariumError && cause.code === "STORE_FAILED") throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new VivariumError("STORE_FAILED", `Cannot save the tracker: ${why}`, cause);
  }
}
