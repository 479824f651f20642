// The rows of populations in a store, and of the members of past generations. Names can be long, so that keys are numbers.
import { isRecord, isTexts } from "../../model/schema.ts";
import type { ChangedRows, RowWriter } from "../../std/row-writer.ts";
import type { Standing } from "../outdated.ts";
import type { PopulationRow, PopulationsListener } from "../population-row.ts";
import type { Populations } from "../populations.ts";

export const populationsCollection = "tracker.populations";
export const outdatedCollection = "tracker.outdated";

export class StoredPopulations implements PopulationsListener {
  readonly #populations: Populations;
  readonly #outdated: NumberedNames<Standing>;
  readonly #rows: NumberedNames<true>;

  constructor(populations: Populations, writer: RowWriter) {
    this.#populations = populations;
    // First: one that is outdated and still retained is left alone, one that is neither would be forgotten.
    this.#outdated = new NumberedNames(writer, outdatedCollection, (id, standing) => ({ id, standing }));
    this.#rows = new NumberedNames(writer, populationsCollection, (id) => populations.describe(id));
  }

  populationChanged(id: string): void {
    this.#rows.set(id, this.#populations.describe(id) === undefined ? undefined : true);
  }

  standingChanged(id: string, standing: Standing | undefined): void {
    this.#outdated.set(id, standing);
  }

  load(number: number, value: unknown): void {
    const row = decodePopulation(value);
    this.#rows.load(number, row && [row.id, true]);
    if (row !== undefined) this.#populations.restore(row);
  }

  loadOutdated(number: number, value: unknown): void {
    const { id, standing } = isRecord(value) ? value : {};
    const isKnown = typeof id === "string" && (standing === "outdated" || standing === "over");
    this.#outdated.load(number, isKnown ? [id, standing] : undefined);
    if (isKnown) this.#populations.restoreStanding(id, standing);
  }

  /** All rows were loaded. */
  loaded(): void {
    this.#populations.trim();
  }
}

// Gives each name a number for as long as something is known of it, in the order in which that began.
class NumberedNames<T> {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<number, readonly [name: string, what: T]>();
  readonly #rows: ChangedRows;
  #next = 1;

  constructor(writer: RowWriter, collection: string, encode: (name: string, what: T) => unknown) {
    const valueOf = (number: number): unknown => {
      const known = this.#known.get(number);
      return known === undefined ? undefined : encode(...known);
    };
    this.#rows = writer.add({ collection, valueOf });
  }

  set(name: string, what: T | undefined): void {
    const number = this.#numbers.get(name) ?? this.#next++;
    const [, before] = this.#known.get(number) ?? [];
    if (what === undefined) {
      this.#numbers.delete(name);
      this.#known.delete(number);
      return this.#rows.removed(number);
    }
    // What becomes something else is as new as the rest of that.
    if (before !== undefined && before !== what) {
      this.set(name, undefined);
      return this.set(name, what);
    }
    this.#numbers.set(name, number);
    this.#known.set(number, [name, what]);
    this.#rows.changed(number);
  }

  load(number: number, known: readonly [name: string, what: T] | undefined): void {
    this.#rows.known(number);
    this.#next = Math.max(this.#next, number + 1);
    if (known === undefined) return;
    this.#numbers.set(known[0], number);
    this.#known.set(number, known);
  }
}

function decodePopulation(value: unknown): PopulationRow | undefined {
  if (!isRecord(value)) return undefined;
  const { id, generation, members, past, createdAt, parentPopulationId } = value;
  const isPopulation =
    typeof id === "string" && typeof generation === "number" && isTexts(members) && Array.isArray(past);
  if (!isPopulation) return undefined;
  return {
    id,
    generation,
    members,
    past: past.flatMap((one: unknown) => {
      if (!isRecord(one) || typeof one["generation"] !== "number" || !isTexts(one["members"])) return [];
      return [{ generation: one["generation"], members: one["members"] }];
    }),
    createdAt: typeof createdAt === "number" ? createdAt : 0,
    parentPopulationId: typeof parentPopulationId === "string" ? parentPopulationId : null,
  };
}
