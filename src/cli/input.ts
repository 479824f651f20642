// The text of a file that the user named, or of stdin.
import { text } from "node:stream/consumers";
import { readNamed } from "./places.ts";

/** The name that stands for stdin. */
export const stdinName = "-";

export async function readInput(what: string, path: string): Promise<string> {
  return path === stdinName ? text(process.stdin) : readNamed(what, path, "a file, or - for stdin");
}
