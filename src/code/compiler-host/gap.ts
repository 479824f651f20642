// White space and comments between tokens. The pattern always matches, so that the engine never tries a second way to read them:
// as a part of a longer pattern that may fail, it would take time that doubles with every space.

const gap = /(?:\s+|\/\/.*|\/\*[^]*?\*\/)*/y;

/** The offset of what stands behind the white space and comments that begin at an offset. */
export function endOfGap(source: string, at: number): number {
  gap.lastIndex = at;
  gap.test(source);
  return gap.lastIndex;
}
