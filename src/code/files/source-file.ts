// Reads one source file, if it is a regular file, not too large, and text.
import { readFile, stat } from "node:fs/promises";
import { LoadError, VivariumError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";

const fileBytesMax = 64 * 2 ** 20;

/** The text of a file; `name` names it in errors. Rejects with a `LoadError`, or `INVALID_OPTIONS` for what is no file. */
export async function readSource(file: string, name: string): Promise<string> {
  const found = await stat(file).catch((cause: unknown) => {
    throw notAFile(file, cause);
  });
  // A pipe or a device might never end.
  if (!found.isFile()) throw notAFile(file);
  if (found.size > fileBytesMax) {
    const message = `Cannot compile module "${name}" as its file must be at most ${fileBytesMax} bytes: got ${found.size}`;
    throw new LoadError(message, { phase: "compile" });
  }
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw notAFile(file, cause);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const message = `Cannot compile module "${name}" as it must be a program: its file is not UTF-8`;
    throw new LoadError(message, { phase: "parse" });
  }
}

function notAFile(file: string, cause?: unknown): VivariumError {
  const message = `Cannot read modules as the path must be a file or folder that can be read: got ${show(file)}`;
  return new VivariumError("INVALID_OPTIONS", message, cause);
}
