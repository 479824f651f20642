// A file that is written as a whole: until that is done what was there stays, so that a command that fails costs nothing.
import { createWriteStream, renameSync, rmSync } from "node:fs";
import type { Writable } from "node:stream";
import { writingOf } from "../places.ts";

/** `write` must end the stream that it is given. What is no file, such as a pipe, is written to directly. */
export async function writeWhole<T>(path: string, write: (to: Writable) => Promise<T>): Promise<T> {
  const { file, isReplaceable, ...rights } = writingOf(path);
  if (!isReplaceable) return write(createWriteStream(file));
  const draft = `${file}.${process.pid}.part`;
  try {
    const result = await write(createWriteStream(draft, rights));
    renameSync(draft, file);
    return result;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
