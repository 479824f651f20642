// A file that is written as a whole: until that is done what was there stays, so that a command that fails costs nothing.
import { createWriteStream, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import type { Writable } from "node:stream";

/** `write` must end the stream that it is given. What is no file, such as a pipe, is written to directly. */
export async function writeWhole<T>(path: string, write: (to: Writable) => Promise<T>): Promise<T> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) return write(createWriteStream(path));
  // Not a link to it.
  const target = stats === undefined ? path : realpathSync(path);
  const draft = `${target}.${process.pid}.part`;
  try {
    const result = await write(createWriteStream(draft, stats === undefined ? {} : { mode: stats.mode }));
    renameSync(draft, target);
    return result;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
