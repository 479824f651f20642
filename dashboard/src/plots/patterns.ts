// Fills that are told apart without their colours: plain, and stripes and dots of seven kinds.
const size = 8;
/** Lines of each pattern, from and to, in a tile of 8 × 8; each has its repetitions at the corners. */
const tiles: readonly (readonly (readonly [number, number, number, number])[])[] = [
  [],
  [
    [-2, 10, 10, -2],
    [-2, 2, 2, -2],
    [6, 10, 10, 6],
  ],
  [
    [-2, -2, 10, 10],
    [6, -2, 10, 2],
    [-2, 6, 2, 10],
  ],
  [[0, 4, 8, 4]],
  [[4, 0, 4, 8]],
  [
    [0, 4, 8, 4],
    [4, 0, 4, 8],
  ],
  [[3, 4, 5, 4]],
  [
    [-2, 10, 10, -2],
    [-2, -2, 10, 10],
  ],
];

/** The first is plain. */
export function patternOf(series: number, colour: string, surface: string): CanvasPattern | string {
  const lines = tiles[series % tiles.length] ?? [];
  const tile = document.createElement("canvas");
  const ratio = devicePixelRatio || 1;
  tile.width = tile.height = Math.round(size * ratio);
  const context = tile.getContext("2d");
  if (context === null || lines.length === 0) return colour;
  context.scale(tile.width / size, tile.height / size);
  context.fillStyle = colour;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = surface;
  context.lineWidth = lines.length === 1 && series % tiles.length === 6 ? 2.5 : 1.5;
  for (const [x1, y1, x2, y2] of lines) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }
  return context.createPattern(tile, "repeat") ?? colour;
}
