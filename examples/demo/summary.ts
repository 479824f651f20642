// The summary at the end: the best program, its scores beside others', and what was killed and why.
import { styleText } from "node:util";
import type { Report } from "./problem.ts";
import type { RunResult } from "./run.ts";
import { figure } from "./screen.ts";
import type { Counts } from "./trials.ts";

export function toText(result: RunResult): string {
  const { program, champion, terms, report } = result;
  if (program === undefined || champion === undefined) return "No program got a score.";
  const { problem, durationMsMax } = terms;
  return [
    heading(`Best program: ${problem.about}`),
    "",
    program,
    "",
    ...tableLines(report),
    "",
    fact(
      "Evaluations",
      `${result.evaluations.toLocaleString("en")} in ${seconds(result)}, ${rate(result)} a second`,
    ),
    fact("Generations", `${result.generations}, and ${result.steps} steps from its seed to this program`),
    fact("Training", `${figure(champion.individual.score)} ${problem.unit}`),
    fact("Outcomes", list(result.outcomes)),
    ...containment(result),
    durationMsMax === Infinity
      ? `The same seed (${terms.seed}), population and evaluations give the same program.`
      : "The budget was time, so another run may give another program.",
  ].join("\n");
}

export function toJson(result: RunResult): string {
  const { terms, champion, program, report, cells, ...rest } = result;
  const { problem, seed, population, islands } = terms;
  return JSON.stringify(
    {
      problem: problem.name,
      seed,
      population,
      islands,
      program,
      score: champion?.chosen,
      trainingScore: champion?.individual.score,
      report,
      ...rest,
      cells: { started: cells.started, exited: cells.exited },
    },
    null,
    2,
  );
}

function containment({ fates, cells }: RunResult): readonly string[] {
  const kinds = Object.keys(fates).sort();
  if (kinds.length === 0) return [""];
  const width = Math.max(...kinds.map((kind) => kind.length));
  const rows = kinds.map((kind) => `  ${kind.padEnd(width)}  ${list(fates[kind] ?? {})}`);
  const lost = Object.values(cells.exited).reduce((sum, count) => sum + count, 0);
  return [
    "",
    heading("Hostile mutants, and how they ended"),
    "",
    ...rows,
    "",
    fact("Cells", `${cells.started} started, ${lost} lost; ${cells.rebuilds} sandboxes made anew`),
    "",
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

function list(counts: Counts): string {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(" · ");
}

const seconds = ({ durationMs }: RunResult): string => `${(durationMs / 1_000).toFixed(1)} s`;
const rate = ({ evaluations, durationMs }: RunResult): string =>
  Math.round(evaluations / (durationMs / 1_000)).toLocaleString("en");

function fact(name: string, value: string): string {
  return `${styleText("bold", name.padEnd(13), { stream: process.stdout })}${value}`;
}

function heading(text: string): string {
  return styleText("bold", text, { stream: process.stdout });
}
