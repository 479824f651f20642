// What is told of an evolution as a whole: its individuals, page by page, its runs, and all of it as one document.
import type { IndividualReport } from "../evolution/individual-reports.ts";
import type { JournalEntry } from "../index.ts";
import type { RunEntry } from "../model/run-entry.ts";

export type { IndividualEntry, IndividualReport, IndividualsPage } from "../evolution/individual-reports.ts";
export type { RunEntry } from "../model/run-entry.ts";

/** All that is known of an evolution, as one document of JSON. */
export interface EvolutionDump {
  readonly format: "vivarium-dump";
  readonly formatVersion: 1;
  readonly takenAt: number;
  /** What it was made of, in words: a folder, a journal or a server. */
  readonly origin: string;
  readonly direction: "maximise" | "minimise";
  readonly forgotten: number;
  readonly runs: readonly RunEntry[];
  /** In the order of their births. An id may occur again, behind a dead one. */
  readonly individuals: readonly DumpIndividual[];
  /** Sources, each once. */
  readonly texts: readonly string[];
  /** What is left of the journal, oldest first; of a server without one, nothing. */
  readonly events: readonly JournalEntry[];
  /** How many earlier ones were left out, or are lost. */
  readonly eventsMissing: number;
}

/** Sources are places in `texts`, by the names of modules. */
export interface DumpIndividual extends Omit<IndividualReport, "sources" | "parentSources"> {
  readonly sources: Readonly<Record<string, number>> | null;
  readonly parentSources: Readonly<Record<string, number>> | null;
}
