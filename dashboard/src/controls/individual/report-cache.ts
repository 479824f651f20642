// Reports of individuals that were asked for lately, as each has its code and asking takes a while.
import type { IndividualReport } from "../../../../src/contract/evolution-bodies.ts";
import type { Individuals } from "../../model/individuals.ts";
import type { Source } from "../../source/source.ts";

type Asked = Promise<IndividualReport | null>;

export const reportsMax = 40;

export class ReportCache {
  readonly #ask: (id: string) => Asked;
  readonly #kept = new Map<string, { readonly stamp: string; readonly report: Asked }>();

  constructor(ask: (id: string) => Asked) {
    this.#ask = ask;
  }

  /** The stamp says what the page knows of it: asked for anew where that changed. */
  get(id: string, stamp: string): Asked {
    const known = this.#kept.get(id);
    this.#kept.delete(id);
    const entry = known?.stamp === stamp ? known : { stamp, report: this.#ask(id) };
    this.#kept.set(id, entry);
    // What failed is tried again by whoever asks next.
    entry.report.catch(() => {
      if (this.#kept.get(id) === entry) this.#kept.delete(id);
    });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= reportsMax) break;
      this.#kept.delete(oldest);
    }
    return entry.report;
  }
}

const caches = new WeakMap<Source, ReportCache>();

export function reportsOf(source: Source): ReportCache {
  const known = caches.get(source);
  if (known !== undefined) return known;
  const made = new ReportCache((id) => source.individual(id));
  caches.set(source, made);
  return made;
}

/** The report with what was known at the time that the page shows, which for a document may be an earlier one. */
export function reportAsOf(report: IndividualReport, individuals: Individuals): IndividualReport {
  const row = individuals.find(report.id);
  if (row === undefined) return report;
  const result = individuals.result(row);
  const figure = (value: number): number | null => (Number.isNaN(value) ? null : value);
  return {
    ...report,
    state: individuals.state(row),
    score: figure(individuals.score(row)),
    result,
    components: individuals.components(row),
    evaluatedAt: figure(individuals.evaluatedAt(row)),
    evaluationMs: figure(individuals.evaluationMs(row)),
    ...(result === "none" ? { tests: [], message: null, adjustments: [] } : {}),
  };
}

/** What the page knows of an individual, as a text that is another one when its report may be. */
export function stampOf(individuals: Individuals, id: string): string {
  const row = individuals.find(id);
  if (row === undefined) return "";
  return [individuals.state(row), individuals.evaluatedAt(row), individuals.score(row)].join(" ");
}
