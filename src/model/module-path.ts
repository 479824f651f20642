// The path from which a sandbox's modules are read, checked: what is not one of the file system is answered with how to get it.
import { InvalidOptionsError } from "./errors.ts";
import { show } from "./show.ts";

export function readPath(path: unknown, modules: unknown): string {
  const isUrl = path instanceof URL || (typeof path === "string" && path.startsWith("file:"));
  if (isUrl) {
    const got = typeof path === "string" ? show(path) : "a URL";
    throw mistake(`be one of the file system, as import.meta.dirname or fileURLToPath(url): got ${got}`);
  }
  if (typeof path === "string" && modules === undefined) return path;
  throw mistake(
    `be a text, and stand instead of modules: got ${typeof path === "string" ? "both" : show(path)}`,
  );
}

function mistake(rule: string): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot use path as it must ${rule}`, "path");
}
