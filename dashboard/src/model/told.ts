// What events and pages tell of one individual.
export interface Birth {
  readonly id: string;
  readonly parentIds: readonly string[];
  readonly generation: number;
  readonly at: number;
}

export interface Evaluated {
  readonly score: number | null;
  readonly result: string;
  readonly components: Readonly<Record<string, number>>;
  readonly at: number;
  readonly durationMs: number | null;
  readonly population: string | null;
}
