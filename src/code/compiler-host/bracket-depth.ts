// A linear check of how deep a source nests, before any parser reads it: native parsers recurse, and a few kilobytes of
// brackets crash their process. It does not recognize strings and comments, so that it stays trivially safe; what nests
// without brackets may crash the compiler process, which is replaced.

export const bracketDepthMax = 500;

export interface BracketDepth {
  readonly deepest: number;
  /** Offset of the deepest nesting. */
  readonly at: number;
}

/** The deepest nesting of brackets in a text. */
export function bracketDepthOf(source: string): BracketDepth {
  let depth = 0;
  let deepest = 0;
  let at = 0;
  for (let i = 0; i < source.length; i++) {
    const change = changes[source.charCodeAt(i)] ?? 0;
    if (change === 0) continue;
    depth = Math.max(0, depth + change);
    if (depth > deepest) {
      deepest = depth;
      at = i;
    }
  }
  return { deepest, at };
}

/** By the code of a letter. */
const changes = new Int8Array(128);
for (const open of "([{") changes[open.charCodeAt(0)] = 1;
for (const close of ")]}") changes[close.charCodeAt(0)] = -1;
