// Figures that are measured again and again, the latest of them: every second one is dropped when there are too many.
export interface Sample {
  readonly at: number;
  readonly rssBytes: number;
  readonly cells: number;
  readonly sandboxes: number;
}

const samplesMax = 600;

export class Samples {
  #kept: Sample[] = [];

  get list(): readonly Sample[] {
    return this.#kept;
  }

  get latest(): Sample | undefined {
    return this.#kept.at(-1);
  }

  push(sample: Sample): void {
    this.#kept.push(sample);
    // The latest is always kept.
    if (this.#kept.length > samplesMax)
      this.#kept = this.#kept.filter((_, index) => (this.#kept.length - 1 - index) % 2 === 0);
  }

  clear(): void {
    this.#kept = [];
  }
}
