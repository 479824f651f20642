// The display while it runs: a few lines that are redrawn on a terminal, one line per generation anywhere else.
import { styleText } from "node:util";
import type { Run, RunTerms } from "./run.ts";

const barWidth = 30;
const sparkWidth = 60;
const redrawMs = 100;
const blocks = "▁▂▃▄▅▆▇█";
const { stderr } = process;

export class Screen {
  readonly #terms: RunTerms;
  #drawnMs = -Infinity;
  #lines = 0;

  constructor(terms: RunTerms) {
    this.#terms = terms;
  }

  /** A line that stays. */
  note(text: string): void {
    this.clear();
    stderr.write(`${text}\n`);
  }

  progress(run: Run): void {
    if (!stderr.isTTY || run.durationMs - this.#drawnMs < redrawMs) return;
    this.#drawnMs = run.durationMs;
    this.#draw(run);
  }

  generation(run: Run): void {
    if (stderr.isTTY) this.#draw(run);
    else stderr.write(`generation ${run.generation}  ${standing(run)}  ${pace(run)}\n`);
  }

  /** Removes the lines. */
  clear(): void {
    if (!stderr.isTTY || this.#lines === 0) return;
    stderr.write(`\u001b[${this.#lines}A\u001b[0J`);
    this.#lines = 0;
  }

  #draw(run: Run): void {
    const { problem, seed, population, islands } = this.#terms;
    const lines = [
      `${bold(problem.name)} · seed ${seed} · population ${population} on ${islands} islands`,
      `${bar(run.share)} ${pace(run)} · generation ${run.generation}`,
      standing(run),
      `${sparkline(run.history)} best by generation`,
      Object.entries(run.trials.outcomes)
        .sort(([, one], [, other]) => other - one)
        .map(([name, count]) => `${name === "ok" ? green(name) : red(name)} ${count.toLocaleString("en")}`)
        .join(" · "),
    ];
    const width = stderr.columns;
    this.clear();
    // Cut at the width of the terminal, as a wrapped line would be counted wrongly when it is removed.
    stderr.write(`\u001b[?7l${lines.join("\n")}\n\u001b[?7h`);
    this.#lines = width > 0 ? lines.length : 0;
  }
}

function pace(run: Run): string {
  const { evaluations } = run.trials;
  const perSecond = Math.round(evaluations / (run.durationMs / 1_000));
  return `${evaluations.toLocaleString("en")} evaluations, ${perSecond}/s`;
}

function standing({ terms, statistics, champion, history }: Run): string {
  const { unit, choiceUnit } = terms.problem;
  const best = history.at(-1);
  if (best === undefined) return "no score yet";
  const [lower, upper] = statistics?.quartiles ?? [Number.NaN, Number.NaN];
  const spread = [lower, statistics?.median ?? Number.NaN, upper].map(figure).join(" ");
  const by = choiceUnit === undefined ? "" : ` ${choiceUnit}`;
  const chosen = champion === undefined ? "" : `, chosen ${green(figure(champion.chosen))}${by}`;
  return `best ${green(figure(best))} ${unit}${chosen}, quartiles ${spread}, ${statistics?.failed ?? 0} failed`;
}

/** A number in a few characters. */
export function figure(value: number): string {
  if (value === 0) return "0";
  return Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(1) : value.toFixed(3);
}

function bar(share: number): string {
  const full = Math.round(share * barWidth);
  return `${"█".repeat(full)}${"░".repeat(barWidth - full)}`;
}

/** The latest values as a row of blocks, the highest one full. */
export function sparkline(values: readonly number[]): string {
  const step = Math.max(1, Math.ceil(values.length / sparkWidth));
  const shown = values.filter((_, index) => index % step === 0);
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  return shown
    .map((value) => {
      const height = high === low ? 0 : Math.round(((value - low) / (high - low)) * (blocks.length - 1));
      return blocks[height];
    })
    .join("");
}

const bold = (text: string): string => styleText("bold", text, { stream: stderr });
const green = (text: string): string => styleText("green", text, { stream: stderr });
const red = (text: string): string => styleText("red", text, { stream: stderr });
