// A line chart as the text of an SVG file, readable on a light and on a dark page. Pure; it needs nothing to draw with.
import { figure } from "../report.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Between which values most measurements are. */
  readonly low: number;
  readonly high: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly series: readonly Series[];
}

const size = { width: 720, height: 400 } as const;
const plot = { left: 76, right: 520, top: 56, bottom: 340 } as const;
const ticksWanted = 5;
const labelGap = 16;
// Distinct also to those who do not see red and green apart, on white and on black.
const colours = ["#2f7ed8", "#d9730d", "#2a9d6f", "#a05fc0"];
const dashes = ["", "6 4", "2 3", "9 3 2 3"];
const style = `text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-size:15px;font-weight:600}.axis{stroke:#59636e}.grid{stroke:#d1d9e0}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.axis{stroke:#9198a1}.grid{stroke:#3d444d}}`;

/** Draws the horizontal axis by powers of ten, the vertical one from zero. A series without points is left out. */
export function chartSvg({ title, xLabel, yLabel, series }: Chart): string {
  const drawn = series.filter(({ points }) => points.length > 0);
  const points = drawn.flatMap((each) => each.points);
  const xs = [...new Set(points.map(({ x }) => x))].toSorted((one, other) => one - other);
  const ticks = ticksUpTo(Math.max(0, ...points.map(({ high, y }) => Math.max(high, y))));
  const toX = logScale(xs);
  const toY = (y: number): number => plot.bottom - (y / (ticks.at(-1) as number)) * (plot.bottom - plot.top);
  const parts = [
    `<style>${style}</style>`,
    text({ x: plot.left, y: 24, of: title, attributes: 'class="title"' }),
    text({ x: plot.left, y: 44, of: yLabel }),
    text({ x: (plot.left + plot.right) / 2, y: 384, of: xLabel, attributes: 'text-anchor="middle"' }),
    ...ticks.map((value) => gridLine(toY(value), figure(value))),
    ...xs.map((x) => xTick(toX(x), x.toLocaleString("en-US"))),
    line({ x1: plot.left, y1: plot.bottom, x2: plot.right, y2: plot.bottom }, 'class="axis"'),
    ...drawn.flatMap((each, index) => seriesParts(each, index, { toX, toY })),
    ...labels(drawn, toY),
  ];
  const { width, height } = size;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
${parts.join("\n")}
</svg>
`;
}

/** Round values from zero to the first that is not below the greatest. */
export function ticksUpTo(greatest: number): readonly number[] {
  if (!(greatest > 0)) return [0, 1];
  const rough = greatest / ticksWanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((times) => times * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(greatest / step - 1e-9) + 1 }, (_, index) => rounded(index * step));
}

interface Scales {
  readonly toX: (x: number) => number;
  readonly toY: (y: number) => number;
}

function logScale(xs: readonly number[]): (x: number) => number {
  const [first, last] = [Math.log10(xs[0] ?? 1), Math.log10(xs.at(-1) ?? 1)];
  const width = plot.right - plot.left - 2 * inset;
  return (x) =>
    plot.left + inset + (last === first ? width / 2 : ((Math.log10(x) - first) / (last - first)) * width);
}

const inset = 24;

function seriesParts({ points }: Series, index: number, { toX, toY }: Scales): readonly string[] {
  const stroke = `stroke="${colourOf(index)}"`;
  const path = points.map(({ x, y }) => `${rounded(toX(x))},${rounded(toY(y))}`).join(" ");
  const dash = dashes[index % dashes.length];
  return [
    `<polyline points="${path}" fill="none" ${stroke} stroke-width="2"${dash ? ` stroke-dasharray="${dash}"` : ""}/>`,
    ...points.flatMap(({ x, y, low, high }) => [
      line({ x1: toX(x), y1: toY(low), x2: toX(x), y2: toY(high) }, stroke),
      `<circle cx="${rounded(toX(x))}" cy="${rounded(toY(y))}" r="4" fill="${colourOf(index)}"/>`,
    ]),
  ];
}

// Beside the last point of each line, moved apart where they would lie upon each other.
function labels(series: readonly Series[], toY: (y: number) => number): readonly string[] {
  let lowest = -Infinity;
  return series
    .map(({ name, points }, index) => ({ name, index, y: toY(points.at(-1)?.y ?? 0) }))
    .toSorted((one, other) => one.y - other.y)
    .map(({ name, index, y }) => {
      lowest = Math.max(y, lowest + labelGap);
      return text({
        x: plot.right + 8,
        y: lowest + 4,
        of: name,
        attributes: `style="fill:${colourOf(index)}"`,
      });
    });
}

function gridLine(y: number, label: string): string {
  return `${line({ x1: plot.left, y1: y, x2: plot.right, y2: y }, 'class="grid"')}
${text({ x: plot.left - 8, y: y + 4, of: label, attributes: 'text-anchor="end"' })}`;
}

function xTick(x: number, label: string): string {
  return `${line({ x1: x, y1: plot.bottom, x2: x, y2: plot.bottom + 6 }, 'class="axis"')}
${text({ x, y: plot.bottom + 22, of: label, attributes: 'text-anchor="middle"' })}`;
}

function line(at: Readonly<Record<"x1" | "y1" | "x2" | "y2", number>>, attributes: string): string {
  const ends = Object.entries(at).map(([name, value]) => `${name}="${rounded(value)}"`);
  return `<line ${ends.join(" ")} ${attributes}/>`;
}

interface Text {
  readonly x: number;
  readonly y: number;
  readonly of: string;
  readonly attributes?: string;
}

function text({ x, y, of, attributes = "" }: Text): string {
  return `<text x="${rounded(x)}" y="${rounded(y)}"${attributes && ` ${attributes}`}>${escaped(of)}</text>`;
}

function colourOf(index: number): string {
  return colours[index % colours.length] as string;
}

function escaped(raw: string): string {
  return raw.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
