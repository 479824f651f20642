// JSON in a file that the user named, or from stdin.
import { InvalidOptionsError } from "../model/errors.ts";
import { show } from "../model/show.ts";
import { readInput } from "./input.ts";

/** The document of a file; of a line of such documents it is one. */
export async function readJson(what: string, path: string): Promise<unknown> {
  const text = await readInput(what, path);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidOptionsError(`Cannot use ${what} ${show(path)} as it must be JSON: ${reason}`, what);
  }
}
