// Writes an evaluation to stdout, to a file, or to files of a folder.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InvalidOptionsError } from "../../model/errors.ts";
import { printable } from "../../model/printable.ts";
import { show } from "../../model/show.ts";
import type { Formatted } from "./formats.ts";

/** Without a path everything is printed as one document. */
export function write(formatted: Formatted, path: string | undefined): void {
  if (path === undefined)
    return console.log(toText("document" in formatted ? formatted.document : formatted.files));
  const files = "document" in formatted ? { [path]: formatted.document } : inFolder(path, formatted.files);
  try {
    for (const [file, document] of Object.entries(files)) writeWhole(file, toText(document));
  } catch (error) {
    const message = `Cannot write to ${show(path)} as it must be a place for files: ${String(error)}`;
    throw new InvalidOptionsError(message, "output");
  }
}

function inFolder(
  folder: string,
  files: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(files).map(([name, document]) => [join(folder, name), document]));
}

// Atomically, as an engine may read the file at any moment.
function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.part`;
  writeFileSync(draft, `${text}\n`);
  renameSync(draft, file);
}

// JSON escapes only the controls below the space by itself; the others mean the same escaped.
function toText(document: unknown): string {
  return printable(JSON.stringify(document, null, 2));
}
