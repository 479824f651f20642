// Makes the document that has all of an evolution: texts that are the same are there once, and both code and events are bounded. What
// is left out is said in it.
import { toJournalled } from "../observability/journalled.ts";
import type { JournalEntry } from "../index.ts";
import type {
  DumpIndividual,
  EvolutionDump,
  IndividualEntry,
  IndividualReport,
  RunEntry,
} from "./evolution-bodies.ts";

export interface DumpBounds {
  /** How many characters of code it has at most. Default: 64 Mi. */
  readonly sourcesMax?: number;
  /** How many events it has at most; the latest are kept. Default: 100,000. */
  readonly eventsMax?: number;
}

/** What is said of the evolution as a whole. */
export interface DumpHead {
  readonly origin: string;
  readonly takenAt: number;
  readonly direction: EvolutionDump["direction"];
  readonly forgotten: number;
  readonly runs: readonly RunEntry[];
}

type Places = DumpIndividual["sources"];

const usualSourcesMax = 64 * 2 ** 20;
const usualEventsMax = 100_000;

export class DumpBuilder {
  readonly #sourcesMax: number;
  readonly #eventsMax: number;
  readonly #places = new Map<string, number>();
  readonly #individuals: DumpIndividual[] = [];
  #events: JournalEntry[] = [];
  #missing = 0;
  #isBegun = false;

  constructor({ sourcesMax = usualSourcesMax, eventsMax = usualEventsMax }: DumpBounds = {}) {
    this.#sourcesMax = sourcesMax;
    this.#eventsMax = eventsMax;
  }

  /** How many individuals it has so far. */
  get size(): number {
    return this.#individuals.length;
  }

  /** The next individual, in the order of births. */
  add({ sources, parentSources, ...rest }: IndividualReport): void {
    this.#individuals.push({
      ...rest,
      sources: this.#placesOf(sources),
      parentSources: this.#placesOf(parentSources),
    });
  }

  /** The next event. Those before the first are missing, by its number. */
  addEvent(entry: JournalEntry): void {
    if (!this.#isBegun) this.#missing += Math.max(0, entry.number - 1);
    this.#isBegun = true;
    this.#events.push(toJournalled(entry));
    // Seldom, so that an event costs the same at the bound as before it.
    if (this.#events.length > 2 * this.#eventsMax) this.#trimEvents();
  }

  finish(head: DumpHead): EvolutionDump {
    this.#trimEvents();
    const { individuals, texts } = this.#withinBound(head.direction);
    return {
      format: "vivarium-dump",
      formatVersion: 1,
      ...head,
      individuals,
      texts,
      events: this.#events,
      eventsMissing: this.#missing,
    };
  }

  #placesOf(sources: IndividualReport["sources"]): Places {
    if (sources === null) return null;
    return Object.fromEntries(Object.entries(sources).map(([name, text]) => [name, this.#placeOf(text)]));
  }

  #placeOf(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.#places.size);
    return this.#places.size - 1;
  }

  #trimEvents(): void {
    const over = Math.max(0, this.#events.length - this.#eventsMax);
    this.#events = this.#events.slice(over);
    this.#missing += over;
  }

  // Where there is too much code, whoever is needed most has its own first.
  #withinBound(direction: EvolutionDump["direction"]): Pick<EvolutionDump, "individuals" | "texts"> {
    const all = [...this.#places.keys()];
    const length = all.reduce((sum, text) => sum + text.length, 0);
    if (length <= this.#sourcesMax) return { individuals: this.#individuals, texts: all };
    const kept = new Map<number, number>();
    const texts: string[] = [];
    let left = this.#sourcesMax;
    const keep = (places: Places): Places => {
      if (places === null) return null;
      const more = [...new Set(Object.values(places))].filter((place) => !kept.has(place));
      const needed = more.reduce((sum, place) => sum + (all[place]?.length ?? 0), 0);
      if (needed > left) return null;
      left -= needed;
      for (const place of more) kept.set(place, texts.push(all[place] ?? "") - 1);
      return Object.fromEntries(Object.entries(places).map(([name, place]) => [name, kept.get(place) ?? 0]));
    };
    const individuals = [...this.#individuals];
    for (const place of byNeed(individuals, direction)) {
      const one = individuals[place];
      if (one === undefined) continue;
      const sources = keep(one.sources);
      individuals[place] = { ...one, sources, parentSources: keep(one.parentSources) };
    }
    return { individuals, texts };
  }
}

/** The places of individuals, those first of whom most should be known: the best, its way from the seed, and then by their scores. */
export function byNeed(
  individuals: readonly Pick<IndividualEntry, "id" | "parentIds" | "score">[],
  direction: EvolutionDump["direction"],
): readonly number[] {
  const sign = direction === "maximise" ? 1 : -1;
  const worth = (place: number): number => {
    const score = individuals[place]?.score ?? null;
    return score === null ? -Infinity : score * sign;
  };
  const ranked = individuals.map((_, place) => place);
  // Two that have no score are equal, which their difference does not say.
  ranked.sort((one, other) => {
    const [mine, its] = [worth(one), worth(other)];
    return mine === its ? one - other : its - mine;
  });
  const latest = new Map(individuals.map(({ id }, place) => [id, place]));
  const order = new Set<number>();
  for (let at = ranked[0]; at !== undefined && !order.has(at);) {
    order.add(at);
    const [parent] = individuals[at]?.parentIds ?? [];
    at = parent === undefined ? undefined : latest.get(parent);
  }
  for (const place of ranked) order.add(place);
  return [...order];
}
