// The lines of the fairness table, and which of them exceed their bound.
import { measures, type Figures, type Measure } from "./honest.ts";
import type { Relation } from "./siege.ts";

export interface Line {
  readonly name: string;
  /** Undefined where there is no attacker. */
  readonly relation: Relation | undefined;
  readonly figures: Figures;
}

/** How many times what the peer waits the honest owner may wait at the median. */
const bounds: Readonly<Record<Relation, number>> = { "other tenant": 3, "same tenant": 10 };

/** What is compared with what. */
const compared = [
  ["call", "peer call"],
  ["create", "peer create"],
] as const satisfies readonly (readonly [Measure, Measure])[];

const nameWidth = 24;
const relationWidth = 13;
const cellWidth = 15;

export function headLines(): string[] {
  const head = ["attack".padEnd(nameWidth), "attackers".padEnd(relationWidth)];
  const columns = measures.map((name) => name.padStart(cellWidth));
  return [
    "p50 / p99 in ms; × is the median beside the peer's",
    [...head, ...columns, "  call ×", "create ×"].join(""),
  ];
}

export function lineOf({ name, relation, figures }: Line): string {
  const cells = measures.map((measure) => {
    const { p50, p99 } = figures[measure];
    return `${msOf(p50)} / ${msOf(p99)}`.padStart(cellWidth);
  });
  const ratios = compared.map(([own, peer]) => ratioOf(figures, own, peer).toFixed(1).padStart(8));
  return [name.padEnd(nameWidth), (relation ?? "").padEnd(relationWidth), ...cells, ...ratios].join("");
}

/** One line for each bound that is exceeded, and one that counts them. */
export function verdictLines(lines: readonly Line[]): string[] {
  const exceeded = lines.flatMap(({ name, relation, figures }) => {
    if (relation === undefined) return [];
    const bound = bounds[relation];
    return compared.flatMap(([own, peer]) => {
      const ratio = ratioOf(figures, own, peer);
      if (ratio <= bound) return [];
      return [`EXCEEDED: ${own} beside "${name}", ${relation}: ${ratio.toFixed(1)} ×, at most ${bound} ×`];
    });
  });
  return [...exceeded, `${lines.length} attacks measured, ${exceeded.length} bounds exceeded`];
}

function ratioOf(figures: Figures, own: Measure, peer: Measure): number {
  return figures[own].p50 / figures[peer].p50;
}

function msOf(ms: number): string {
  return ms < 10 ? ms.toFixed(2) : ms.toFixed(0);
}
