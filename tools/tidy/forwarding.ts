// Files that only pass on what others export: a reader opens them for nothing, and a name has two places.
import { linesOf, sourcesOf, type SourceTree } from "./source-tree.ts";

const linesBelow = 40;

export function findForwardingFiles(tree: SourceTree): readonly string[] {
  return forwardingFiles(tree).map(
    (path) => `${path}: it only forwards what other files export: import from those`,
  );
}

export function forwardingFiles(tree: SourceTree): readonly string[] {
  const entries = publicEntries(tree);
  return sourcesOf(tree).filter(
    (path) => !entries.includes(path) && linesOf(tree.read(path)) < linesBelow && isForwarding(tree, path),
  );
}

function isForwarding(tree: SourceTree, path: string): boolean {
  const { body } = tree.parse(path).program;
  return (
    body.length > 0 &&
    body.every(
      (statement) =>
        statement.type === "ImportDeclaration" ||
        statement.type === "ExportAllDeclaration" ||
        (statement.type === "ExportNamedDeclaration" && statement.declaration === null),
    )
  );
}

/** The sources of what package.json exports: gathering names is what these are for. */
export function publicEntries(tree: SourceTree): readonly string[] {
  if (!tree.paths.includes("package.json")) return [];
  const { exports = {} } = JSON.parse(tree.read("package.json")) as { exports?: Record<string, unknown> };
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === "object" && target !== null ? Object.values(target) : [target],
  );
  const sources = targets
    .filter((target) => typeof target === "string")
    .map((target) => target.replace(/^\.\/dist\//, "src/").replace(/\.d\.ts$|\.js$/, ".ts"));
  return [...new Set(sources)].filter((path) => tree.paths.includes(path));
}
