// Where a package is installed, as its importer would find it, and whether it is still the one that was there before.
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The name of the package that an import is about: its first segment, or two where it has a scope. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** The folder whose node_modules has the package, from a folder upwards; undefined where it is not installed. */
export async function packageFolder(name: string, from: string): Promise<string | undefined> {
  for (let folder = from, last = ""; folder !== last; last = folder, folder = dirname(folder)) {
    if (basename(folder) === "node_modules") continue;
    const found = await stat(join(folder, "node_modules", name)).catch(() => undefined);
    if (found?.isDirectory() === true) return folder;
  }
  return undefined;
}

/** A text that differs when any of the files is changed, replaced or removed. */
export async function stampsOf(files: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ ino, size, mtimeMs }) => `${ino}:${size}:${mtimeMs}`,
        () => "none",
      ),
    ),
  );
  return stamps.join();
}
