// Writes evaluations to stdout, to a file, or to files of a folder.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InvalidOptionsError } from "../../model/errors.ts";
import { printable } from "../../model/printable.ts";
import { show } from "../../model/show.ts";
import { reasonOf, writingOf } from "../places.ts";
import type { Formatted } from "./formats.ts";

/** Without a path everything is printed as one document. */
export function write(formatted: Formatted, path: string | undefined): void {
  if (path === undefined)
    return console.log(toText("document" in formatted ? formatted.document : formatted.files));
  const files = "document" in formatted ? { [path]: formatted.document } : inFolder(path, formatted.files);
  for (const [file, document] of Object.entries(files)) writeWhole(file, toText(document));
}

/** One line for each: to stdout as they come, to a file when all are there. */
export async function writeLines(lines: AsyncIterable<object>, path: string | undefined): Promise<void> {
  const written: string[] = [];
  for await (const line of lines) {
    const text = printable(JSON.stringify(line));
    if (path === undefined) console.log(text);
    else written.push(text);
  }
  if (path !== undefined) writeWhole(path, written.join("\n"));
}

function inFolder(
  folder: string,
  files: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(files).map(([name, document]) => [join(folder, name), document]));
}

// Atomically where that can be, as an engine may read the file at any moment.
function writeWhole(path: string, text: string): void {
  let draft: string | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const { file, isReplaceable, ...rights } = writingOf(path);
    if (!isReplaceable) return writeFileSync(file, `${text}\n`);
    draft = `${file}.${process.pid}.part`;
    writeFileSync(draft, `${text}\n`, rights);
    renameSync(draft, file);
  } catch (error) {
    if (draft !== undefined) rmSync(draft, { force: true });
    const message = `Cannot write to ${show(path)} as it must be a place for files: ${reasonOf(error)}`;
    throw new InvalidOptionsError(message, "output");
  }
}

// JSON escapes only the controls below the space by itself; the others mean the same escaped.
function toText(document: unknown): string {
  return printable(JSON.stringify(document, null, 2));
}
