// Makes a folder, and those above it. Node's own way never ends where the system refuses a folder as if the one above it were
// missing, as it does below /proc.
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Throws what the system says where it cannot be made; one that is there is fine. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as { readonly code?: string };
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    const above = dirname(resolve(path));
    if (code !== "ENOENT" || existsSync(above)) throw error;
    makeFolder(above);
    makeFolder(path);
  }
}
