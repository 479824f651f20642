// The summary at the end.
import { styleText } from "node:util";
import type { Settings } from "./options.ts";
import { toCode } from "./program.ts";
import type { Counts, Totals } from "./tally.ts";

export function toSummary(totals: Totals, { population, seed }: Settings): string {
  const { generations, evaluations, evaluationMs, bytesPerSandbox } = totals;
  if (generations === 0) return "Ended before the first generation was evaluated.";
  const seconds = evaluationMs / 1_000;
  const perSecond = Math.round(evaluations / Math.max(seconds, 0.001));
  return [
    "",
    ...bestProgram(totals),
    "",
    fact(
      "Evaluations",
      `${evaluations} in ${seconds.toFixed(1)} s: ${perSecond} programs per second, each in a sandbox of its own`,
    ),
    fact("Population", `${generations} generations of ${population}, seed ${seed}`),
    fact("Outcomes", list(totals.outcomes)),
    fact(
      "Memory",
      `${(bytesPerSandbox / 2 ** 20).toFixed(2)} MiB per living sandbox, its share of the cell processes included`,
    ),
    fact("Cells", cells(totals)),
    "",
    ...fates(totals),
  ].join("\n");
}

function bestProgram({ best }: Totals): readonly string[] {
  if (best === undefined) return ["No program gave an answer."];
  const { individual, error } = best;
  const how = error === 0 ? "exact on every point" : `mean error ${error.toFixed(3)}`;
  return [heading(`Best program: ${individual.id}, ${how}`), "", toCode(individual.program)];
}

function cells({ cellsLost, cellsStarted, rebuilt }: Totals): string {
  const lost = Object.values(cellsLost).reduce((sum, count) => sum + count, 0);
  if (lost === 0) return `none lost of ${cellsStarted}`;
  return `${lost} lost (${list(cellsLost)}) and replaced; ${rebuilt} sandboxes brought back to life`;
}

function fates({ fates: byKind }: Totals): readonly string[] {
  const kinds = Object.keys(byKind).sort();
  if (kinds.length === 0) return ["Nothing had to be contained."];
  const width = Math.max(...kinds.map((kind) => kind.length));
  const rows = kinds.map((kind) => `  ${kind.padEnd(width)}  ${list(byKind[kind] ?? {})}`);
  return [heading("Mutants that had to be contained, and how they ended"), "", ...rows];
}

function list(counts: Counts): string {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(" · ");
}

function fact(name: string, value: string): string {
  return `${styleText("bold", name.padEnd(12), { stream: process.stdout })}${value}`;
}

function heading(text: string): string {
  return styleText("bold", text, { stream: process.stdout });
}
