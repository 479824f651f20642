// The shapes that tell series apart beside their colours, as paths around 0 for a canvas and for SVG.
export const shapeNames = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "plus",
  "triangle pointing down",
  "cross",
  "star",
] as const;

/** The path of the shape of a series; filled, it has about the same weight in all of them. */
export function shapePath(series: number, radius: number): string {
  const r = radius;
  const [wide, thin] = [r * 1.15, r * 0.38];
  const place = series % shapeNames.length;
  if (place === 0) return `M${-r},0A${r},${r} 0 1 0 ${r},0A${r},${r} 0 1 0 ${-r},0Z`;
  if (place === 1) return polygon([-1, -1, 1, -1, 1, 1, -1, 1], r * 0.88);
  if (place === 2) return polygon([0, -1, 1, 0.8, -1, 0.8], wide);
  if (place === 3) return polygon([0, -1, 1, 0, 0, 1, -1, 0], r * 1.25);
  if (place === 5) return polygon([0, 1, 1, -0.8, -1, -0.8], wide);
  if (place === 7) return polygon(starCorners(), r * 1.35);
  const arms = [-thin, -wide, thin, -wide, thin, -thin, wide, -thin, wide, thin, thin, thin];
  const plus = [...arms, thin, wide, -thin, wide, -thin, thin, -wide, thin, -wide, -thin, -thin, -thin];
  return polygon(place === 4 ? plus : turned(plus), 1);
}

function polygon(corners: readonly number[], scale: number): string {
  const parts: string[] = [];
  for (let at = 0; at < corners.length; at += 2)
    parts.push(`${round((corners[at] ?? 0) * scale)},${round((corners[at + 1] ?? 0) * scale)}`);
  return `M${parts.join("L")}Z`;
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
