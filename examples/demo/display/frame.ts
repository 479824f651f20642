// One picture of a run, as lines for a terminal of a given size: nothing is wider or higher than that.
import { chart } from "./chart.ts";
import { hostileHeading, hostileLines, sumOf, type Tally } from "./tally.ts";
import {
  bold,
  clock,
  counted,
  cut,
  dim,
  figure,
  green,
  pad,
  whole,
  wrap,
  wrapCode,
  type Line,
} from "./text.ts";

/** What is shown. */
export interface View {
  readonly title: string;
  readonly terms: string;
  /** Lines that stay, as where the run is saved. */
  readonly notes: readonly string[];
  readonly share: number;
  readonly budget: string;
  readonly evaluationsPerSecond: number;
  readonly durationMs: number;
  /** The generation under way. */
  readonly generation: number;
  readonly tried: number;
  readonly toTry: number;
  readonly unit: string;
  readonly meaning: string;
  readonly known: Readonly<Record<string, number>>;
  /** The best score on the training set so far; undefined before the first. */
  readonly best: number | undefined;
  /** What the middle half of the latest generation scored, and its middle. */
  readonly spread: readonly [number, number, number] | undefined;
  readonly choice: string | undefined;
  /** The best score by generation. */
  readonly history: readonly number[];
  readonly tally: Tally;
  readonly program: string | undefined;
  readonly isEnding: boolean;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** After Ctrl-C. */
export const ending = "Ending: scores the best so far. Ctrl-C again ends at once.";

/** From this width on there are two columns. */
const twoColumnsFrom = 140;
const gap = 4;
const nameWidth = 12;
const chartRowsMin = 3;
const chartRowsMax = 8;
const chartRank = 4;
const barShare = 0.35;
const budgetWidthMin = 60;

/** A part of the picture. Where there is too little room, those of the highest rank are left out. */
interface Section {
  readonly rank: number;
  readonly lines: readonly Line[];
}

export function frame(view: View, { columns, rows }: Size): readonly Line[] {
  const lines = columns >= twoColumnsFrom ? inTwo(view, columns, rows) : inOne(view, columns, rows);
  return lines.slice(0, Math.max(0, rows)).map((line) => cut(line, columns));
}

function inOne(view: View, width: number, rows: number): readonly Line[] {
  const fixed = [...top(view, width), counts(view, width), ...standing(view, width)];
  const more = [hostiles(view, width), best(view, width)];
  return stacked(history(fixed, more, { view, width, rows }), rows);
}

function inTwo(view: View, columns: number, rows: number): readonly Line[] {
  const width = Math.floor((columns - gap) * 0.5);
  const other = columns - gap - width;
  const left = stacked(
    history([...top(view, width), ...standing(view, width)], [], { view, width, rows }),
    rows,
  );
  const right = stacked([counts(view, other), hostiles(view, other), best(view, other)], rows);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => [
    ...pad(cut(left[at] ?? [], width), width + gap),
    ...cut(right[at] ?? [], other),
  ]);
}

/** The chart takes the rows that are left over; what would leave it too few is left out, the highest rank first. */
function history(
  before: readonly Section[],
  after: readonly Section[],
  { view, width, rows }: { readonly view: View; readonly width: number; readonly rows: number },
): readonly Section[] {
  let others = [...before, ...after].filter(({ lines }) => lines.length > 0);
  // Its heading, its axis and the empty line before it are three more.
  const left = (): number => rows - others.reduce((sum, { lines }) => sum + lines.length + 1, 2);
  while (left() < chartRowsMin && others.some(({ rank }) => rank > chartRank)) {
    const rank = Math.max(...others.map((section) => section.rank));
    others = others.filter((section) => section.rank !== rank);
  }
  const plot = chart(view.history, { width, rows: Math.min(chartRowsMax, Math.max(1, left())) });
  const heading: Line = [bold("Best by generation"), dim(`  ${view.unit}, lower is better`)];
  const section: Section = { rank: chartRank, lines: plot.length === 0 ? [] : [heading, ...plot] };
  const place = others.filter(({ rank }) => rank < chartRank).length;
  return [...others.slice(0, place), section, ...others.slice(place)];
}

function stacked(sections: readonly Section[], rows: number): readonly Line[] {
  let shown = sections.filter(({ lines }) => lines.length > 0);
  const heightOf = (list: readonly Section[]): number =>
    list.reduce((sum, { lines }) => sum + lines.length + 1, -1);
  while (heightOf(shown) > rows && shown.length > 1) {
    const rank = Math.max(...shown.map((section) => section.rank));
    shown = shown.filter((section) => section.rank !== rank);
  }
  return shown.flatMap(({ lines }, at): readonly Line[] => (at === 0 ? lines : [[], ...lines]));
}

function top(view: View, width: number): readonly Section[] {
  const { title, terms, notes, share, budget, evaluationsPerSecond, durationMs, isEnding } = view;
  const { generation, tried, toTry } = view;
  const says = isEnding ? ending : "Ctrl-C ends with the best so far.";
  const leftMs = (durationMs / share) * (1 - share);
  const left = share > 0.02 && share < 1 ? `, about ${clock(leftMs)} left` : "";
  const barWidth = Math.max(5, Math.floor((width - nameWidth) * barShare));
  const full = Math.round(share * barWidth);
  const bar = `${"█".repeat(full)}${"░".repeat(barWidth - full)}`;
  const spent = width < budgetWidthMin ? `${Math.round(share * 100)} %` : budget;
  return [
    { rank: 2, lines: [[bold(title)], [terms], [dim(says)], ...notes.map((note): Line => [dim(note)])] },
    {
      rank: 0,
      lines: [
        named("Budget", [green(bar), ` ${spent}`]),
        named("", [`${clock(durationMs)}${left} · ${counted(evaluationsPerSecond, "evaluation")} a second`]),
        named("Generation", [`${generation}: ${whole(tried)} of ${counted(toTry, "new program")} tried`]),
      ],
    },
  ];
}

function standing(view: View, width: number): readonly Section[] {
  const { unit, meaning, known, best, spread, choice } = view;
  const others = Object.entries(known).map(([name, score]) => `  ${name} ${figure(score)}`);
  const score: Line =
    best === undefined
      ? ["no score yet"]
      : [green(figure(best)), ` ${unit}`, ...others, dim(others.length > 0 ? "  on the same" : "")];
  const lines = [named("Best", score)];
  if (choice !== undefined) lines.push(...paragraph("Chosen", choice, width));
  if (spread !== undefined) {
    const [low, middle, high] = spread.map(figure);
    lines.push(named("Population", [`median ${middle}, the middle half ${low} … ${high}`]));
  }
  const sentence = `${meaning}. Lower is better.`;
  return [{ rank: 1, lines: [...paragraph("Score", sentence, width), ...lines] }];
}

function counts({ tally }: View, width: number): Section {
  return { rank: 3, lines: paragraph("Evaluations", sumOf(tally), width) };
}

function hostiles({ tally }: View, width: number): Section {
  if (tally.hostile.length === 0) return { rank: 5, lines: [] };
  const heading = hostileHeading(tally);
  return {
    rank: 5,
    lines: [
      [bold("Hostile     "), heading],
      ...hostileLines(tally).map((line): Line => cut([`  ${line}`], width)),
    ],
  };
}

function best({ program }: View, width: number): Section {
  if (program === undefined) return { rank: 6, lines: [] };
  return {
    rank: 6,
    lines: [[bold("Best program")], ...wrapCode(program, width).map((line): Line => [line])],
  };
}

function named(name: string, line: Line): Line {
  return [bold(name.padEnd(nameWidth)), ...line];
}

function paragraph(name: string, text: string, width: number): readonly Line[] {
  return wrap(text, Math.max(1, width - nameWidth)).map((line, at) => named(at === 0 ? name : "", [line]));
}
