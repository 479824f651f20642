// The summary at the end: the best program, its scores beside others', and what was killed and why.
import type { Report } from "../problem.ts";
import type { RunResult } from "../run.ts";
import { chart } from "./chart.ts";
import { hostileHeading, hostileLines, sumOf, tallyOf } from "./tally.ts";
import { bold, counted, figure, paint, whole, wrap, wrapCode } from "./text.ts";

/** For standard output of any width: no line is longer, unless a table is. */
const usualWidth = 80;
const nameWidth = 13;
const chartRows = 4;

/** `more` is a sentence of the caller's. */
export function toText(result: RunResult, more?: string): string {
  const { program, champion, leading, terms, report } = result;
  const { problem } = terms;
  const width = Math.max(40, process.stdout.columns ?? usualWidth);
  if (program === undefined) return "No program has a score yet.";
  const training = champion?.individual.score ?? leading?.score ?? Number.NaN;
  const chosen =
    champion === undefined
      ? "as the best on the training set, before any comparison on other cases"
      : problem.choiceInWords?.(champion.chosen);
  return [
    heading(`Best program: ${problem.about}`),
    "",
    ...wrapCode(program, width),
    "",
    ...tableLines(report),
    "",
    ...fact("Score", `${problem.meaning}. Lower is better.`, width),
    ...fact("Training", `${figure(training)} ${problem.unit}`, width),
    ...(chosen === undefined ? [] : fact("Chosen", chosen, width)),
    ...fact("Evaluations", sumOf(tallyOf(result)), width),
    ...fact("Budget", budget(result), width),
    ...fact("Time", `${seconds(result)}, ${counted(rate(result), "evaluation")} a second`, width),
    ...fact("Generations", generations(result), width),
    ...progress(result, width),
    ...containment(result, width),
    ...(more === undefined ? [] : ["", ...wrap(more, width)]),
    ...closing(result).flatMap((text) => ["", ...wrap(text, width)]),
  ].join("\n");
}

export function toJson(result: RunResult): string {
  const { terms, champion, leading, program, report, cells, ...rest } = result;
  const { problem, seed, population, islands } = terms;
  return JSON.stringify(
    {
      problem: problem.name,
      seed,
      population,
      islands,
      program,
      score: champion?.chosen,
      trainingScore: champion?.individual.score ?? leading?.score,
      report,
      ...rest,
      cells: { started: cells.started, exited: cells.exited },
    },
    null,
    2,
  );
}

function budget({ terms: { evaluationsMax, durationMsMax } }: RunResult): string {
  const amount =
    durationMsMax === Infinity ? counted(evaluationsMax, "evaluation") : `${durationMsMax / 60_000} min`;
  return `${amount}, and to the end of the generation in which they are reached`;
}

/** How far the result can be had again. */
function closing({ terms, complete }: RunResult): readonly string[] {
  if (terms.durationMsMax !== Infinity)
    return ["The budget was time, so another run may give another program."];
  if (!complete) return [];
  return [`The same seed (${terms.seed}), population and evaluations give the same program.`];
}

function generations({ generations, steps }: RunResult): string {
  return `${whole(generations)} finished; ${counted(steps, "step")} from its seed to this program`;
}

function progress({ history, terms }: RunResult, width: number): readonly string[] {
  if (history.length < 2) return [];
  const lines = chart(history, { width: Math.min(width, usualWidth), rows: chartRows });
  return [
    "",
    heading(`Best by generation, ${terms.problem.unit}`),
    ...lines.map((line) => paint(line, process.stdout)),
  ];
}

function containment(result: RunResult, width: number): readonly string[] {
  const tally = tallyOf(result);
  if (tally.hostile.length === 0) return [];
  const { cells, fates } = result;
  const lost = Object.values(cells.exited).reduce((sum, count) => sum + count, 0);
  const scored = Object.values(fates).reduce((sum, { ok = 0 }) => sum + ok, 0);
  const scores = scored === 0 ? "none got a score" : `${counted(scored, "score")} of theirs not counted`;
  const how = `${hostileHeading(tally)}, ${scores}`;
  return [
    "",
    heading(how),
    ...hostileLines(tally).flatMap((line) => wrap(line, width - 2, "  ").map((part) => `  ${part}`)),
    "",
    ...fact(
      "Cells",
      `${cells.started} started, ${lost} lost; ${counted(cells.rebuilds, "sandbox", "sandboxes")} made anew`,
      width,
    ),
  ];
}

/** Columns as wide as their widest cell; all but the first to the right. */
export function tableLines(report: Report): readonly string[] {
  const widths = (report[0] ?? []).map((_, column) =>
    Math.max(...report.map((row) => (row[column] ?? "").length)),
  );
  return report.map((row, index) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    const line = cells.join("   ").trimEnd();
    return index === 0 ? heading(line) : line;
  });
}

const seconds = ({ durationMs }: RunResult): string => `${(durationMs / 1_000).toFixed(1)} s`;
const rate = ({ evaluations, durationMs }: RunResult): number =>
  Math.round(evaluations / (durationMs / 1_000));

function fact(name: string, value: string, width: number): readonly string[] {
  const lines = wrap(value, Math.max(1, width - nameWidth));
  return lines.map((line, at) => `${heading((at === 0 ? name : "").padEnd(nameWidth))}${line}`);
}

function heading(text: string): string {
  return paint([bold(text)], process.stdout);
}
