// The parts of a run's message that few runs have: cases of a list, and steps of a stream.

/** How many cases a series has at most. */
export const seriesCasesMax = 256;

/** Cases of a list that the cell keeps, run one after the other in as few entries as possible. */
export interface Series {
  /** The number of the list. */
  readonly list: number;
  /** The first case, and how many follow each other. */
  readonly from: number;
  readonly count: number;
  /** It ends with the first case that fails. */
  readonly isStrict: boolean;
}

/** What is asked of a stream: to begin with its first part, for the next one, or to end before its time. */
export type StreamVerb = (typeof streamVerbs)[number];
export const streamVerbs = ["open", "next", "end"] as const;

/** Which stream of a sandbox a run is about, and what it asks of it. */
export interface StreamStep {
  readonly id: number;
  readonly verb: StreamVerb;
}
