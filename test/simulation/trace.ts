// The last things that happened in a run, for whoever has to find out why it failed. Lines are made when they are read.

const linesMax = 4_000;
const madeUp = /\b(sandbox|scorer|recorded|dry-run)-[A-Za-z0-9.-]{12}/g;

export class Trace {
  readonly #nowMs: () => number;
  readonly #lines: string[] = [];
  readonly #names = new Map<string, string>();
  isOn = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(line: () => string): void {
    if (!this.isOn) return;
    this.#lines.push(`${String(this.#nowMs()).padStart(9)}  ${line()}`);
    if (this.#lines.length > linesMax * 2) this.#lines.splice(0, linesMax);
  }

  /** The last lines. Names that the runtime made up are numbered, so that a run reads the same each time. */
  last(count: number): string[] {
    return this.#lines.slice(-count).map((line) => line.replaceAll(madeUp, (name) => this.#numbered(name)));
  }

  #numbered(name: string): string {
    const known = this.#names.get(name) ?? `${name.split("-")[0]}#${this.#names.size + 1}`;
    this.#names.set(name, known);
    return known;
  }
}
