// Text of guests on its way to a terminal, which would obey what is in it: colours, cursor, window title, direction of writing.

// Controls, format characters (which change the direction of writing, or are not seen), and line ends of Unicode's own.
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Writes each character that a terminal would obey as an escape, as JSON has them. Newlines stay. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === "\n") return character;
    return Array.from({ length: character.length }, (_, index) => escapeOf(character, index)).join("");
  });
}

function escapeOf(text: string, index: number): string {
  return `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
}
