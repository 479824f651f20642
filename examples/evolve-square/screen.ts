// The display while it runs: one line that is rewritten on a terminal, one line per generation anywhere else.
import { styleText } from "node:util";
import type { Generation } from "./evolution.ts";
import type { Settings } from "./options.ts";
import type { Tally } from "./tally.ts";

const barWidth = 24;
const redrawMs = 50;
const { stderr } = process;

export class Screen {
  readonly #settings: Settings;
  readonly #tally: Tally;
  #drawnMs = -Infinity;

  constructor(settings: Settings, tally: Tally) {
    this.#settings = settings;
    this.#tally = tally;
  }

  /** A line that stays. */
  note(text: string): void {
    this.clear();
    stderr.write(`${text}\n`);
  }

  progress(generation: number, phase: "creating" | "calling", done: number): void {
    const nowMs = performance.now();
    if (!stderr.isTTY || nowMs - this.#drawnMs < redrawMs) return;
    this.#drawnMs = nowMs;
    const { population } = this.#settings;
    const share = (done + (phase === "calling" ? population : 0)) / (2 * population);
    this.#redraw(`${this.#heading(generation)} ${bar(share)} ${this.#standing()}`);
  }

  generation({ number, trials, durationMs }: Generation): void {
    const failures = trials.filter((trial) => !trial.isScored).length;
    const line = `${this.#heading(number)}  ${this.#standing()}  ${failures} failed  ${Math.round(durationMs)} ms`;
    if (stderr.isTTY) this.#redraw(line);
    else stderr.write(`${line}\n`);
  }

  /** Removes the line. */
  clear(): void {
    if (stderr.isTTY) stderr.write("\r\u001b[2K");
  }

  #redraw(line: string): void {
    stderr.write(`\r\u001b[2K${line}`);
  }

  #heading(generation: number): string {
    return `generation ${String(generation).padStart(String(this.#settings.generations).length)}/${this.#settings.generations}`;
  }

  #standing(): string {
    const { best, failures } = this.#tally;
    const error = best === undefined ? "none yet" : best.error === 0 ? "exact" : best.error.toFixed(2);
    const size = best === undefined ? "" : `, ${best.size} statements`;
    return `best error ${paint("green", error)}${size}, ${paint("red", String(failures))} contained`;
  }
}

function bar(share: number): string {
  const full = Math.round(share * barWidth);
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)}`;
}

function paint(colour: "green" | "red", text: string): string {
  return styleText(colour, text, { stream: stderr });
}
