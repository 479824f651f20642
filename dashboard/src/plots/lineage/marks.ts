// The mark of each population: a colour and a shape.

export const plotColours = 8;
export const shapes = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "plus",
  "triangle down",
  "hexagon",
  "bar",
] as const;
export type Shape = (typeof shapes)[number];

export interface Mark {
  /** The number of a colour: `--plot-N` is one more. */
  readonly colour: number;
  readonly shape: Shape;
}

/** 64 populations can be told apart; then marks occur again. Who is in none is grey where others are in some. */
export function markOf(population: number, populations = 1): Mark {
  if (population < 0) return { colour: populations === 0 ? 0 : plotColours - 1, shape: "circle" };
  const colour = population % plotColours;
  const round = Math.floor(population / plotColours);
  return { colour, shape: shapes[(population + round) % shapes.length] ?? "circle" };
}

/** The outline of a shape around the origin, as a path for a canvas. */
export function outline(shape: Shape, radius: number): readonly (readonly [number, number])[] | null {
  const regular = (corners: number, turn: number, by = 1): readonly (readonly [number, number])[] =>
    Array.from({ length: corners }, (_, corner) => {
      const angle = (corner / corners) * 2 * Math.PI + turn;
      return [Math.cos(angle) * radius * by, Math.sin(angle) * radius * by];
    });
  const arm = radius * 0.4;
  switch (shape) {
    case "circle":
      return null;
    case "square":
      return regular(4, Math.PI / 4, 1.2);
    case "triangle":
      return regular(3, -Math.PI / 2, 1.25);
    case "diamond":
      return regular(4, 0, 1.2);
    case "triangle down":
      return regular(3, Math.PI / 2, 1.25);
    case "hexagon":
      return regular(6, 0, 1.1);
    case "bar":
      return [
        [-arm, -radius * 1.2],
        [arm, -radius * 1.2],
        [arm, radius * 1.2],
        [-arm, radius * 1.2],
      ];
    case "plus":
      return [
        [-arm, -radius],
        [arm, -radius],
        [arm, -arm],
        [radius, -arm],
        [radius, arm],
        [arm, arm],
        [arm, radius],
        [-arm, radius],
        [-arm, arm],
        [-radius, arm],
        [-radius, -arm],
        [-arm, -arm],
      ];
  }
}
