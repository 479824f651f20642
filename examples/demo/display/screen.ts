// The display while it runs: pictures on a terminal, one line per generation anywhere else.
import type { Run } from "../run.ts";
import { ending, frame, type View } from "./frame.ts";
import { tallyOf } from "./tally.ts";
import { Terminal } from "./terminal.ts";
import { counted, figure, whole } from "./text.ts";

const redrawMs = 100;
const { stderr } = process;

export class Screen {
  readonly #terminal: Terminal;
  readonly #signal: AbortSignal;
  readonly #hints: string[] = [];
  readonly #notes: string[] = [];
  #run: Run | undefined;
  #drawnMs = -Infinity;
  #hasScore = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#terminal = new Terminal(stderr, () => this.#draw());
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  /** Shows where a run is before it has done anything. */
  begin(run: Run): void {
    this.#run = run;
    if (this.#terminal.isUsable) this.#draw();
    else stderr.write(`${titleOf(run)}, ${termsOf(run)}\n${scoreSentence(run)}\n`);
  }

  /** A line that is there for as long as the pictures are. */
  hint(text: string): void {
    this.#hints.push(text);
    if (!this.#terminal.isUsable) stderr.write(`${text}\n`);
    this.#draw();
  }

  /** A line that stays. */
  note(text: string): void {
    this.#notes.push(text);
    if (!this.#terminal.isUsable) stderr.write(`${text}\n`);
    this.#draw();
  }

  progress(run: Run): void {
    if (!this.#terminal.isUsable) return this.#firstScore(run);
    const now = performance.now();
    if (now - this.#drawnMs < redrawMs) return;
    this.#drawnMs = now;
    this.#draw();
  }

  generation(run: Run): void {
    if (this.#terminal.isUsable) this.#draw();
    else stderr.write(`generation ${run.generation}  ${standing(run)}  ${pace(run)}\n`);
  }

  /** Removes the pictures. What they said that stays true is written as plain lines. */
  close(): void {
    const wasUsed = this.#terminal.isUsable && this.#run !== undefined;
    this.#run = undefined;
    this.#terminal.close();
    if (wasUsed) for (const note of this.#notes) stderr.write(`${note}\n`);
  }

  #end(): void {
    if (this.#run !== undefined && !this.#terminal.isUsable) stderr.write(`${ending}\n`);
    this.#draw();
  }

  #draw(): void {
    const run = this.#run;
    if (run === undefined || !this.#terminal.isUsable) return;
    const view = viewOf(run, { notes: [...this.#hints, ...this.#notes], isEnding: this.#signal.aborted });
    this.#terminal.draw(frame(view, this.#terminal.size));
  }

  #firstScore(run: Run): void {
    const { leading } = run.trials;
    if (this.#hasScore || leading === undefined) return;
    this.#hasScore = true;
    if (run.history.length > 0) return;
    const seconds = (run.durationMs / 1_000).toFixed(1);
    stderr.write(`first score after ${seconds} s: ${figure(leading.score)} ${run.terms.problem.unit}\n`);
  }
}

function viewOf(
  run: Run,
  { notes, isEnding }: { readonly notes: readonly string[]; readonly isEnding: boolean },
): View {
  const { terms, trials, statistics, champion, history } = run;
  const { problem } = terms;
  const { leading, pace } = trials;
  const [lower, upper] = statistics?.quartiles ?? [];
  const median = statistics?.median ?? undefined;
  const scores = [history.at(-1), leading?.score].filter((score) => score !== undefined);
  const best = champion?.individual ?? leading;
  return {
    title: titleOf(run),
    terms: termsOf(run),
    notes,
    share: run.share,
    budget: budgetOf(run),
    evaluationsPerSecond: perSecond(run),
    durationMs: run.durationMs,
    ...pace,
    unit: problem.unit,
    meaning: problem.meaning,
    known: problem.known ?? {},
    best: scores.length > 0 ? Math.min(...scores) : undefined,
    spread:
      lower === undefined || upper === undefined || median === undefined ? undefined : [lower, median, upper],
    choice: champion === undefined ? undefined : problem.choiceInWords?.(champion.chosen),
    history,
    tally: tallyOf(trials.counts),
    program: best === undefined ? undefined : problem.toProgram(best.code),
    isEnding,
  };
}

function titleOf({ terms }: Run): string {
  return `Evolves ${terms.problem.about}`;
}

function termsOf({ terms: { problem, seed, population, islands } }: Run): string {
  return `${problem.name} · seed ${seed} · ${counted(population, "program")} per generation on ${counted(islands, "island")}`;
}

function scoreSentence({ terms: { problem } }: Run): string {
  return `A score is ${problem.meaning}. Lower is better.`;
}

function budgetOf({ terms, trials, share }: Run): string {
  const { evaluationsMax, durationMsMax } = terms;
  const percent = `${Math.round(share * 100)} %`;
  if (durationMsMax !== Infinity) return `${percent} of ${durationMsMax / 60_000} min`;
  const { evaluations } = trials;
  if (evaluations > evaluationsMax) return `${percent}, finishes the generation`;
  return `${percent}, ${whole(evaluations)} of ${counted(evaluationsMax, "evaluation")}`;
}

function perSecond({ trials, durationMs }: Run): number {
  return Math.round(trials.evaluations / (durationMs / 1_000));
}

function pace(run: Run): string {
  return `${counted(run.trials.evaluations, "evaluation")}, ${whole(perSecond(run))}/s`;
}

function standing({ terms, statistics, champion, history }: Run): string {
  const { unit, choiceInWords } = terms.problem;
  const best = history.at(-1);
  if (best === undefined) return "no score yet";
  const median = statistics?.median ?? null;
  const middle = median === null ? "" : `, median ${figure(median)}`;
  const chosen =
    champion === undefined || choiceInWords === undefined
      ? ""
      : `, chosen: ${choiceInWords(champion.chosen)}`;
  return `best ${figure(best)} ${unit}${middle}${chosen}`;
}
