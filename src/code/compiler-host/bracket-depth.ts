// A linear look at how deep a source nests, before any parser sees it: native parsers recurse, and a few kilobytes of
// brackets end their process. Strings and comments are not told apart, so that the look stays trivially safe; what nests
// without brackets is left to the compiler process, which may die.

export const bracketDepthMax = 500;

export interface BracketDepth {
  readonly deepest: number;
  /** Offset of the deepest place. */
  readonly at: number;
}

/** The deepest nesting of brackets in a text. */
export function bracketDepthOf(source: string): BracketDepth {
  let depth = 0;
  let deepest = 0;
  let at = 0;
  for (let i = 0; i < source.length; i++) {
    const step = steps.get(source.charCodeAt(i)) ?? 0;
    depth = Math.max(0, depth + step);
    if (depth > deepest) {
      deepest = depth;
      at = i;
    }
  }
  return { deepest, at };
}

const steps = new Map<number, number>();
for (const open of "([{") steps.set(open.charCodeAt(0), 1);
for (const close of ")]}") steps.set(close.charCodeAt(0), -1);
