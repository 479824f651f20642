// Texts of guests on their way to an agent: without what a terminal would obey, and never longer than is read with profit.
import { printable } from "../model/printable.ts";

/** As `printable`, but tabs stay as well, as sources have them. */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .split("\t")
    .map((part) => printable(part))
    .join("\t");
}

/** The beginning of a text, cleaned, with a note of how much is left out and where the rest is. */
export function shown(text: string, max: number, whereRest?: string): string {
  // What is cleaned may be six times as long.
  const whole = text.length > max ? text.slice(0, max) : text;
  const cleaned = clean(whole);
  if (text.length <= max && cleaned.length <= max) return cleaned;
  const note = whereRest === undefined ? "" : `; ${whereRest}`;
  const kept = cleaned.slice(0, max).toWellFormed();
  return `${kept}\n… [cut: the beginning of ${text.length} characters${note}]`;
}
