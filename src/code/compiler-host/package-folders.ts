// Which package a file belongs to, and what its package.json says.
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";

export const marker = `${sep}node_modules${sep}`;

/** The folder of the package that a file is in; undefined where it is in none. */
export function packageFolderOf(file: string): string | undefined {
  const at = file.lastIndexOf(marker);
  if (at < 0) return undefined;
  const [first = "", second = ""] = file.slice(at + marker.length).split(sep);
  return file.slice(0, at + marker.length) + (first.startsWith("@") ? `${first}${sep}${second}` : first);
}

/** What a package says of itself; nothing where it cannot be read. */
export function manifestOf(folder: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof manifest === "object" && manifest !== null ? { ...manifest } : {};
  } catch {
    return {};
  }
}
