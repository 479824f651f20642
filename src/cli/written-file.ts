// A text that a command writes to a file of the user's choice.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { writingOf } from "./places.ts";
import { reasonOf } from "./reasons.ts";

/** Atomically where that can be, as another program may read the file at any moment. */
export function writeText(path: string, text: string): void {
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
