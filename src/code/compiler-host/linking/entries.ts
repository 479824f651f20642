// The imports and exports of a parsed module, as the language's records of them.
import type { ESTree } from "rolldown/utils";
import type { ImportedName, Linkage, Reexport } from "../../modules/linkage.ts";
import { addNames } from "../syntax.ts";

/** The variable of an exported expression or function that has no name. */
export const unnamedDefault = "*default*";

export interface Entries {
  /** Specifiers of static imports and re-exports, in source order. */
  readonly requests: readonly string[];
  readonly linkage: Omit<Linkage, "body">;
  /** By variable: its number among those that are exported. */
  readonly numbers: ReadonlyMap<string, number>;
}

type Statement = ESTree.Program["body"][number];

export function entriesOf(program: ESTree.Program): Entries {
  const requests = new Set<string>();
  const imports: ImportedName[] = [];
  const locals: [local: string, exported: string][] = [];
  const reexports: Reexport[] = [];
  const stars: string[] = [];
  for (const statement of program.body) {
    const specifier = sourceOf(statement);
    if (specifier !== undefined) requests.add(specifier);
    if (statement.type === "ImportDeclaration") imports.push(...importsOf(statement));
    else if (statement.type === "ExportAllDeclaration") {
      if (statement.exported === null) stars.push(statement.source.value);
      else
        reexports.push({
          exported: nameOf(statement.exported),
          specifier: statement.source.value,
          name: null,
        });
    } else if (statement.type === "ExportNamedDeclaration" && specifier !== undefined) {
      for (const { exported, local } of statement.specifiers)
        reexports.push({ exported: nameOf(exported), specifier, name: nameOf(local) });
    } else locals.push(...localsOf(statement));
  }
  return { requests: [...requests], ...toLinkage({ imports, locals, reexports, stars }) };
}

// What is imported and exported again is a re-export.
function toLinkage(found: {
  readonly imports: readonly ImportedName[];
  readonly locals: readonly (readonly [local: string, exported: string])[];
  readonly reexports: Reexport[];
  readonly stars: readonly string[];
}): Pick<Entries, "linkage" | "numbers"> {
  const { imports, reexports, stars } = found;
  const imported = new Map(imports.map((entry) => [entry.local, entry]));
  const names = new Map<string, string[]>();
  for (const [local, exported] of found.locals) {
    const entry = imported.get(local);
    if (entry === undefined) names.set(local, [...(names.get(local) ?? []), exported]);
    else reexports.push({ exported, specifier: entry.specifier, name: entry.name });
  }
  return {
    linkage: { imports, locals: [...names.values()], reexports, stars },
    numbers: new Map([...names.keys()].map((local, number) => [local, number])),
  };
}

function sourceOf(statement: Statement): string | undefined {
  switch (statement.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return statement.source.value;
    case "ExportNamedDeclaration":
      return statement.source?.value;
    default:
      return undefined;
  }
}

function importsOf({ source, specifiers }: ESTree.ImportDeclaration): ImportedName[] {
  return specifiers.map((entry) => {
    const name =
      entry.type === "ImportSpecifier"
        ? nameOf(entry.imported)
        : entry.type === "ImportDefaultSpecifier"
          ? "default"
          : null;
    return { specifier: source.value, name, local: entry.local.name };
  });
}

function localsOf(statement: Statement): [local: string, exported: string][] {
  if (statement.type === "ExportDefaultDeclaration")
    return [[declaredName(statement.declaration) ?? unnamedDefault, "default"]];
  if (statement.type !== "ExportNamedDeclaration") return [];
  const { declaration, specifiers } = statement;
  if (declaration === null) return specifiers.map(({ local, exported }) => [nameOf(local), nameOf(exported)]);
  const names = new Set<string>();
  if (declaration.type === "VariableDeclaration")
    for (const { id } of declaration.declarations) addNames(id, names);
  const own = declaredName(declaration);
  if (own !== undefined) names.add(own);
  return [...names].map((name) => [name, name]);
}

/** The name of a function or class that is declared with one. */
export function declaredName(
  node: ESTree.ExportDefaultDeclarationKind | ESTree.Declaration,
): string | undefined {
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node.id?.name;
  return undefined;
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === "Literal" ? node.value : node.name;
}
