// A document as a source: it is shown as it is at its end, or as it was at any time before, which is found by beginning anew and
// applying what had happened until then.
import type { AnyEvent } from "../../../src/index.ts";
import type {
  DumpIndividual,
  EvolutionDump,
  IndividualEntry,
  IndividualReport,
} from "../../../src/contract/evolution-bodies.ts";
import type { Model } from "../model/model.ts";
import type { Slider, Source } from "./source.ts";

/** Something that happened: an event of the journal, or what a document says of an individual. */
type Fact =
  | { readonly at: number; readonly event: AnyEvent }
  | { readonly at: number; readonly entry: IndividualEntry };

interface Birth {
  readonly event: AnyEvent;
  readonly createdAt: number;
}

export class RecordedSource implements Source {
  readonly origin: string;
  readonly scope = "read";
  readonly runtime = null;
  readonly slider: Slider;
  readonly dump: EvolutionDump;
  readonly #model: Model;
  readonly #facts: readonly Fact[];
  readonly #byId: ReadonlyMap<string, DumpIndividual>;
  /** Of whom an event tells the birth: an id may be used again. */
  readonly #bornBy: ReadonlyMap<AnyEvent, DumpIndividual>;
  #done = 0;
  #at: number;

  constructor(dump: EvolutionDump, model: Model) {
    this.dump = dump;
    this.#model = model;
    this.origin = dump.origin;
    ({ facts: this.#facts, bornBy: this.#bornBy } = factsOf(dump));
    this.#byId = new Map(dump.individuals.map((individual) => [individual.id, individual]));
    const from = this.#facts[0]?.at ?? dump.takenAt;
    const to = this.#facts.at(-1)?.at ?? dump.takenAt;
    this.#at = to;
    model.individuals.direction = dump.direction;
    model.runs = dump.runs;
    model.forgotten = dump.forgotten;
    model.missed = dump.eventsMissing;
    model.setConnection({ state: "recorded" });
    this.#seek(to);
    const at = (): number => this.#at;
    this.slider = {
      from,
      to,
      evaluated: model.evaluated,
      get at() {
        return at();
      },
      seek: (time) => this.#seek(time),
    };
  }

  individual(id: string): Promise<IndividualReport | null> {
    const found = this.#byId.get(id);
    if (found === undefined) return Promise.resolve(null);
    const { texts } = this.dump;
    const sourcesOf = (places: DumpIndividual["sources"]): IndividualReport["sources"] =>
      places === null
        ? null
        : Object.fromEntries(Object.entries(places).map(([name, place]) => [name, texts[place] ?? ""]));
    const { sources, parentSources, ...rest } = found;
    return Promise.resolve({
      ...rest,
      sources: sourcesOf(sources),
      parentSources: sourcesOf(parentSources),
    });
  }

  close(): void {
    this.#done = this.#facts.length;
  }

  #seek(at: number): void {
    if (at < this.#at || this.#done === 0) {
      this.#model.clear();
      this.#done = 0;
    }
    this.#at = at;
    for (let fact = this.#facts[this.#done]; fact !== undefined && fact.at <= at;) {
      if ("event" in fact) this.#apply(fact.event);
      else this.#model.addEntries([fact.entry]);
      fact = this.#facts[++this.#done];
    }
    this.#model.changes.mark();
  }

  // No event says which population somebody is a member of.
  #apply(any: AnyEvent): void {
    const { individuals } = this.#model;
    this.#model.apply(any);
    if (any.name !== "lineage.born") return;
    const { sandboxId } = any.event;
    const row = individuals.find(sandboxId);
    if (row !== undefined) individuals.joined(row, this.#bornBy.get(any)?.population ?? null);
  }
}

interface Facts {
  readonly facts: readonly Fact[];
  readonly bornBy: ReadonlyMap<AnyEvent, DumpIndividual>;
}

// An individual of which the journal tells nothing, as it was born without a sandbox or before the journal begins, is known from
// the time of its evaluation on, or from that of the one before it; and before another of its id is born.
function factsOf({ individuals, events, takenAt }: EvolutionDump): Facts {
  const happened: Fact[] = [];
  const births = new Map<string, Birth[]>();
  for (const entry of events) {
    // The number is the journal's own.
    const { number: _, ...event } = entry;
    happened.push({ at: entry.at, event });
    if (event.name !== "lineage.born") continue;
    const { sandboxId, createdAt } = event.event;
    const own = births.get(sandboxId) ?? [];
    // Told twice, it is one.
    if (own.at(-1)?.createdAt !== createdAt) own.push({ event, createdAt });
    births.set(sandboxId, own);
  }
  const firsts = new Map([...births].map(([id, [first]]) => [id, first?.event.at]));
  const bornBy = new Map<AnyEvent, DumpIndividual>();
  const told = new Set<DumpIndividual>();
  // From the end, as it is the earliest events that may be missing.
  for (const individual of individuals.toReversed()) {
    const birth = births.get(individual.id)?.pop();
    if (birth === undefined) continue;
    bornBy.set(birth.event, individual);
    told.add(individual);
  }
  let last = individuals.find(({ evaluatedAt }) => evaluatedAt !== null)?.evaluatedAt ?? takenAt;
  const entries: Fact[] = [];
  for (const individual of individuals) {
    last = individual.evaluatedAt ?? last;
    if (told.has(individual)) continue;
    entries.push({ at: Math.min(last, firsts.get(individual.id) ?? last), entry: individual });
  }
  return { facts: [...entries, ...happened].sort((one, other) => one.at - other.at), bornBy };
}
