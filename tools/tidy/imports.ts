// Who imports whom, read from the syntax: imports, exports from elsewhere, `import()` of values and of types.
import { dirname, join, normalize } from "node:path";
import { Visitor } from "rolldown/utils";
import { sourcesOf, type SourceTree } from "./source-tree.ts";

export interface Import {
  readonly specifier: string;
  /** The file that a relative import means, as a path from the root; undefined for a package. */
  readonly target: string | undefined;
  /** It is gone when types are stripped. */
  readonly isTypeOnly: boolean;
}

export function importsOf(tree: SourceTree, path: string): readonly Import[] {
  const found: Import[] = [];
  const add = (source: { readonly value: unknown } | null, kind: "type" | "value"): void => {
    if (typeof source?.value !== "string") return;
    const specifier = source.value;
    const target = specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : undefined;
    found.push({ specifier, target, isTypeOnly: kind === "type" });
  };
  new Visitor({
    ImportDeclaration: ({ source, importKind }) => add(source, importKind ?? "value"),
    ExportNamedDeclaration: ({ source, exportKind }) => add(source, exportKind ?? "value"),
    ExportAllDeclaration: ({ source, exportKind }) => add(source, exportKind ?? "value"),
    ImportExpression: ({ source }) => add(source.type === "Literal" ? source : null, "value"),
    TSImportType: ({ source }) => add(source, "type"),
  }).visit(tree.parse(path).program);
  return found;
}

/** The sources with the sources that each imports. */
export function importGraph(
  tree: SourceTree,
  { areTypesCounted }: { readonly areTypesCounted: boolean },
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    sourcesOf(tree).map((path) => [
      path,
      importsOf(tree, path).flatMap(({ target, isTypeOnly }) =>
        target === undefined || (isTypeOnly && !areTypesCounted) ? [] : [target],
      ),
    ]),
  );
}
