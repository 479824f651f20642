// How deep a value may be nested.
import * as it from "./intrinsics.ts";

/** How deep objects may be nested. */
export const depthMax = 200;

/** Whether brackets in JSON are nested deeper than objects may be. */
export function isTooDeep(text: string): boolean {
  // So many brackets take more characters, and the engine finds out faster than a loop that there are fewer.
  if (text.length <= 2 * depthMax || countOf(text, "[") + countOf(text, "{") <= depthMax) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i];
    if (letter === '"') i = endOfString(text, i);
    else if (letter === "[" || letter === "{") {
      if (++depth > depthMax + 1) return true;
    } else if (letter === "]" || letter === "}") depth--;
  }
  return false;
}

// How often a letter occurs, counted up to one more than the depth.
function countOf(text: string, letter: string): number {
  let count = 0;
  for (let i = it.indexOf(text, letter); i >= 0 && count <= depthMax; i = it.indexOf(text, letter, i + 1))
    count++;
  return count;
}

// The position of the quote that ends the string which begins at `start`; the length of the text where none does.
function endOfString(text: string, start: number): number {
  for (let from = start + 1; ;) {
    const end = it.indexOf(text, '"', from);
    if (end < 0) return text.length;
    let slashes = 0;
    while (end - slashes > from && text[end - slashes - 1] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
    from = end + 1;
  }
}
