// Which files of a test262 checkout are tried: all about modules, and every so many of the rest.
import { globSync } from "node:fs";
import { join } from "node:path";

const moduleFolders = [
  "language/module-code/",
  "language/import/",
  "language/export/",
  "language/expressions/dynamic-import/",
];

export interface Selection {
  /** Of the tests that are not about modules, one in so many is tried. */
  readonly every: number;
  /** Only the tests whose path has this word; every one of them. */
  readonly only?: string | undefined;
}

/** Paths relative to the folder `test` of the checkout, sorted. */
export function selectTests(root: string, { every, only }: Selection): readonly string[] {
  const paths = globSync("**/*.js", { cwd: join(root, "test") })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.includes("_FIXTURE"))
    .toSorted();
  if (only !== undefined) return paths.filter((path) => path.includes(only));
  const isAboutModules = (path: string): boolean => moduleFolders.some((folder) => path.startsWith(folder));
  const rest = paths.filter((path) => !isAboutModules(path));
  return [...paths.filter(isAboutModules), ...rest.filter((_, index) => index % every === 0)];
}
