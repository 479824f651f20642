// The mark of each population, the same in every plot: a shape and a colour, so that nobody has to tell colours apart.

export const colourCount = 8;
export const shapes = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "plus",
  "triangle pointing down",
  "cross",
  "star",
] as const;
export type Shape = (typeof shapes)[number];

export interface Mark {
  /** The number of a colour: `--plot-N` is one more. */
  readonly colour: number;
  readonly shape: Shape;
}

/** 64 populations can be told apart; then marks occur again. Who is in none is grey where others are in some. */
export function markOf(population: number, populations = 1): Mark {
  if (population < 0) return { colour: populations === 0 ? 0 : colourCount - 1, shape: "circle" };
  const colour = population % colourCount;
  const round = Math.floor(population / colourCount);
  return { colour, shape: shapes[(population + round) % shapes.length] ?? "circle" };
}

/** The path of a shape around 0, for a canvas and for SVG; filled, all have about the same weight. */
export function shapePath(shape: Shape, radius: number): string {
  const r = radius;
  switch (shape) {
    case "circle":
      return `M${-r},0A${r},${r} 0 1 0 ${r},0A${r},${r} 0 1 0 ${-r},0Z`;
    case "square":
      return polygon([-1, -1, 1, -1, 1, 1, -1, 1], r * 0.88);
    case "triangle":
      return polygon([0, -1, 1, 0.8, -1, 0.8], r * 1.15);
    case "diamond":
      return polygon([0, -1, 1, 0, 0, 1, -1, 0], r * 1.25);
    case "triangle pointing down":
      return polygon([0, 1, 1, -0.8, -1, -0.8], r * 1.15);
    case "plus":
      return polygon(plusCorners(), r);
    case "cross":
      return polygon(turned(plusCorners()), r);
    case "star":
      return polygon(starCorners(), r * 1.35);
  }
}

function polygon(corners: readonly number[], scale: number): string {
  const parts: string[] = [];
  for (let at = 0; at < corners.length; at += 2)
    parts.push(`${round((corners[at] ?? 0) * scale)},${round((corners[at + 1] ?? 0) * scale)}`);
  return `M${parts.join("L")}Z`;
}

function plusCorners(): readonly number[] {
  const [wide, thin] = [1.15, 0.38];
  const arms = [-thin, -wide, thin, -wide, thin, -thin, wide, -thin, wide, thin, thin, thin];
  return [...arms, thin, wide, -thin, wide, -thin, thin, -wide, thin, -wide, -thin, -thin, -thin];
}

/** By an eighth of a turn. */
function turned(corners: readonly number[]): readonly number[] {
  const part = Math.SQRT1_2;
  return corners.map((value, at) =>
    at % 2 === 0 ? (value - (corners[at + 1] ?? 0)) * part : ((corners[at - 1] ?? 0) + value) * part,
  );
}

function starCorners(): readonly number[] {
  return Array.from({ length: 10 }, (_, corner) => {
    const [angle, length] = [(corner * Math.PI) / 5 - Math.PI / 2, corner % 2 === 0 ? 1 : 0.45];
    return [Math.cos(angle) * length, Math.sin(angle) * length];
  }).flat();
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
