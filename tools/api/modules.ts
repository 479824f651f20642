// Reads the declarations that tsc emits: what each file declares, imports and exports, and which names a declaration uses.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

type Program = ReturnType<typeof parseSync>["program"];
type Statement = Program["body"][number];

/** A name in a file, wherever that file has it from. */
export interface Place {
  readonly file: string;
  readonly name: string;
}

/** All that one file declares under one name; overloads and merged interfaces are several texts. */
export interface Declaration {
  readonly texts: readonly string[];
  /** It exists at run time: a function, a class or a constant. */
  readonly isValue: boolean;
  readonly uses: readonly Use[];
}

/** A name of the same file, or one of another by `import("…")`. */
export type Use = string | Place;

export interface Exported {
  readonly place: Place;
  readonly isTypeOnly: boolean;
}

export interface Module {
  readonly declared: ReadonlyMap<string, Declaration>;
  /** Names that come from other files of ours. Those of packages are left out. */
  readonly imported: ReadonlyMap<string, Place>;
  readonly exported: ReadonlyMap<string, Exported>;
  readonly starred: readonly { readonly file: string; readonly isTypeOnly: boolean }[];
}

interface Parts {
  readonly declared: Map<string, Declaration>;
  readonly imported: Map<string, Place>;
  readonly exported: Map<string, Exported>;
  readonly starred: { readonly file: string; readonly isTypeOnly: boolean }[];
}

export function readModule(file: string): Module {
  const source = withoutComments(file, readFileSync(file, "utf8"));
  const parts: Parts = { declared: new Map(), imported: new Map(), exported: new Map(), starred: [] };
  for (const statement of parseSync(file, source).program.body)
    readStatement(file, source, { statement, parts });
  return parts;
}

function readStatement(
  file: string,
  source: string,
  { statement, parts }: { readonly statement: Statement; readonly parts: Parts },
): void {
  if (statement.type === "ImportDeclaration") {
    const target = fileOf(file, statement.source.value);
    if (target === undefined) return;
    for (const specifier of statement.specifiers)
      if (specifier.type === "ImportSpecifier")
        parts.imported.set(specifier.local.name, { file: target, name: textOf(specifier.imported) });
  } else if (statement.type === "ExportAllDeclaration") {
    const target = fileOf(file, statement.source.value);
    if (target !== undefined)
      parts.starred.push({ file: target, isTypeOnly: statement.exportKind === "type" });
  } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
    const from = statement.source === null ? file : fileOf(file, statement.source.value);
    if (from === undefined) return;
    for (const { local, exported, exportKind } of statement.specifiers)
      parts.exported.set(textOf(exported), {
        place: { file: from, name: textOf(local) },
        isTypeOnly: statement.exportKind === "type" || exportKind === "type",
      });
  } else {
    const isExported = statement.type === "ExportNamedDeclaration";
    for (const name of namesOf(statement)) {
      const known = parts.declared.get(name);
      const text = source.slice(statement.start, statement.end).replace(/^(?:export )?(?:declare )?/, "");
      parts.declared.set(name, {
        texts: [...(known?.texts ?? []), text],
        isValue: known?.isValue === true || /^(?:const|let|var|function|(?:abstract )?class)\b/.test(text),
        uses: [...(known?.uses ?? []), ...usesIn(file, statement)],
      });
      if (isExported) parts.exported.set(name, { place: { file, name }, isTypeOnly: false });
    }
  }
}

function namesOf(statement: Statement): readonly string[] {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declared?.type === "VariableDeclaration")
    return declared.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  return declared !== null && "id" in declared && declared.id?.type === "Identifier"
    ? [declared.id.name]
    : [];
}

/** The names that a declaration's types use, without its own type parameters. */
function usesIn(file: string, statement: Statement): readonly Use[] {
  const uses: Use[] = [];
  const own = new Set<string>();
  const add = (node: { readonly type: string } | null): void => {
    let inner: unknown = node;
    while (isNode(inner) && inner.type !== "Identifier") inner = inner["left"] ?? inner["object"];
    if (isNode(inner)) uses.push(inner["name"] as string);
  };
  new Visitor({
    TSTypeParameter: ({ name }) => void own.add(name.name),
    TSTypeReference: ({ typeName }) => add(typeName),
    TSTypeQuery: ({ exprName }) => (exprName.type === "TSImportType" ? undefined : add(exprName)),
    TSInterfaceHeritage: ({ expression }) => add(expression),
    TSClassImplements: ({ expression }) => add(expression),
    ClassDeclaration: ({ superClass }) => add(superClass),
    TSImportType: ({ source, qualifier }) => {
      const target = fileOf(file, source.value);
      if (target !== undefined && qualifier?.type === "Identifier")
        uses.push({ file: target, name: qualifier.name });
    },
  }).visit({ type: "Program", body: [statement] } as unknown as Program);
  return uses.filter((use) => typeof use !== "string" || !own.has(use));
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> & { readonly type: string } {
  return typeof value === "object" && value !== null && "type" in value;
}

function textOf(name: { readonly type: string }): string {
  return "name" in name ? String(name.name) : String((name as { readonly value?: unknown }).value);
}

/** The declarations that a relative import means; undefined for a package. */
function fileOf(importer: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return join(dirname(importer), specifier).replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
}

/** Comments are documentation; the report is about types alone. */
function withoutComments(file: string, source: string): string {
  const { comments } = parseSync(file, source);
  let text = source;
  for (const { start, end } of comments.toReversed()) text = text.slice(0, start) + text.slice(end);
  return text.replaceAll(/^[ \t]*\n/gm, "");
}
