// The folder that packages of guests are found from.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { refuseOption } from "../../model/schema.ts";

/** An absolute path, as the process may change its own folder later; refuses what is no folder. */
export function readNpmFolder(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "" && isFolder(resolve(value))) return resolve(value);
  const rule = "the path of a folder that exists";
  throw refuseOption({ verb: "use", path: "npmFolder", rule, got: value });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // There is none, it cannot be reached, or the text is no path at all.
    return false;
  }
}
