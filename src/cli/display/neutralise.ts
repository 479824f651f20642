// Text of guests made harmless for a terminal, and measured in its columns: what is wide takes two, what is combined none.
import { printable } from "../../model/printable.ts";

export interface NeutraliseOptions {
  /** Line feeds stay. Default: they are written as `\n`, so that the text is one line. */
  readonly multiline?: boolean;
}

/** How many marks one character may carry; a terminal draws more of them into the lines above and below. */
const marksMax = 3;
const surplusMarks = new RegExp(`(?<=\\p{M}{${marksMax}})\\p{M}+`, "gu");
const tab = "    ";

/**
 * The same text for a terminal: each character that it would obey (controls, escape sequences, directions of writing, what is
 * not seen) is written as an escape. Tabs become spaces, as their width depends on where they stand.
 */
export function neutralised(text: string, { multiline = false }: NeutraliseOptions = {}): string {
  const plain = text.includes("\t") || text.includes("\r\n") ? untabbed(text) : text;
  const safe = printable(plain).replace(surplusMarks, "");
  return multiline ? safe : safe.replaceAll("\n", "\\n");
}

function untabbed(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\t", tab);
}

// oxlint-disable-next-line no-control-regex -- whatever is not of these is looked at closely
const narrowOnly = /^[\x00-\u02ff]*$/;
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const emoji = /^\p{Emoji_Presentation}$/u;
/** Asks for the picture of a character that is otherwise drawn as a letter. */
const pictureMark = 0xfe0f;

/** Scripts whose characters take two columns, as East Asian Width has them. */
const wideRanges: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** How many columns the text takes, where it is on one line and neutralised. In doubt too many, so that nothing is too wide. */
export function widthOf(text: string): number {
  if (narrowOnly.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfOne(character);
  return width;
}

function widthOfOne(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code === pictureMark) return 1;
  if (code < 0x300) return 1;
  if (zeroWidth.test(character)) return 0;
  const isWide = wideRanges.some(([first, last]) => code >= first && code <= last);
  return isWide || emoji.test(character) ? 2 : 1;
}

/** At most `width` columns; what is cut off is shown by an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && narrowOnly.test(text)) return text;
  if (width <= 0) return "";
  let used = 0;
  let end = 0;
  let at = 0;
  for (const character of text) {
    const wide = widthOfOne(character);
    // Of the text up to here an ellipsis may have to follow.
    if (used + wide <= width - 1) end = at + character.length;
    used += wide;
    at += character.length;
    if (used > width) return `${text.slice(0, end)}…`;
  }
  return text;
}

/** At least `width` columns. */
function padTo(text: string, width: number, side: "left" | "right" = "left"): string {
  const gap = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? `${text}${gap}` : `${gap}${text}`;
}

/** Exactly `width` columns. */
export function fitTo(text: string, width: number, side: "left" | "right" = "left"): string {
  return padTo(cutTo(text, width), width, side);
}
