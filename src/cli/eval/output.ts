// Writes evaluations to stdout, to a file, or to files of a folder.
import { join } from "node:path";
import { printable } from "../../model/printable.ts";
import { writeText } from "../written-file.ts";
import type { Formatted } from "./formats.ts";

/** Without a path everything is printed as one document. */
export function write(formatted: Formatted, path: string | undefined): void {
  if (path === undefined)
    return console.log(toText("document" in formatted ? formatted.document : formatted.files));
  const files = "document" in formatted ? { [path]: formatted.document } : inFolder(path, formatted.files);
  for (const [file, document] of Object.entries(files)) writeText(file, toText(document));
}

/** One line for each: to stdout as they come, to a file when all are there. */
export async function writeLines(lines: AsyncIterable<object>, path: string | undefined): Promise<void> {
  const written: string[] = [];
  for await (const line of lines) {
    const text = printable(JSON.stringify(line));
    if (path === undefined) console.log(text);
    else written.push(text);
  }
  if (path !== undefined) writeText(path, written.join("\n"));
}

function inFolder(
  folder: string,
  files: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(files).map(([name, document]) => [join(folder, name), document]));
}

// JSON escapes only the controls below the space by itself; the others mean the same escaped.
function toText(document: unknown): string {
  return printable(JSON.stringify(document, null, 2));
}
