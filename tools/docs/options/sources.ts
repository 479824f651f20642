// Our own sources as a reference of options reads them: what each file declares, imports and passes on, with comments.
import { readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";

type Program = ReturnType<typeof parseSync>["program"];
type Statement = Program["body"][number];
type Exported = Extract<Statement, { type: "ExportNamedDeclaration" }>;
/** The nodes that may have this type, among others. */
type NodeOf<T, N = Exported["declaration"]> = N extends { type: infer K } ? (T extends K ? N : never) : never;
type InterfaceNode = NodeOf<"TSInterfaceDeclaration">;
type AliasNode = NodeOf<"TSTypeAliasDeclaration">;

export type ClassNode = NodeOf<"ClassDeclaration">;
export type FunctionNode = NodeOf<"FunctionDeclaration">;
export type TypeNode = AliasNode["typeAnnotation"];
export type SignatureNode = InterfaceNode["body"]["body"][number];
export type DeclarationNode = InterfaceNode | AliasNode | ClassNode | FunctionNode;

/** A declaration, and the file whose names it uses. */
export interface Declared<N = DeclarationNode> {
  readonly file: SourceFile;
  readonly node: N;
}

const known = new Map<string, SourceFile>();

export function sourceFile(url: URL): SourceFile {
  const file = known.get(url.href) ?? new SourceFile(url);
  known.set(url.href, file);
  return file;
}

export class SourceFile {
  readonly #url: URL;
  readonly #source: string;
  readonly #comments: ReturnType<typeof parseSync>["comments"];
  readonly #declared = new Map<string, DeclarationNode>();
  /** Names that are imported or passed on, and those that only others see. */
  readonly #elsewhere = new Map<string, { readonly from: string; readonly name: string }>();
  readonly #starred: string[] = [];
  readonly exportedNames: string[] = [];

  constructor(url: URL) {
    this.#url = url;
    this.#source = readFileSync(url, "utf8");
    const { program, comments } = parseSync(url.pathname, this.#source);
    this.#comments = comments;
    for (const statement of program.body) this.#enter(statement);
  }

  /** A declaration of this file, or of the one that it has the name from; undefined for names of packages and builtins. */
  find(name: string): Declared | undefined {
    const node = this.#declared.get(name);
    if (node !== undefined) return { file: this, node };
    const passed = this.#elsewhere.get(name);
    if (passed !== undefined) return this.#lookInto(passed.from, passed.name);
    return this.#starred.map((from) => this.#lookInto(from, name)).find((found) => found !== undefined);
  }

  #lookInto(from: string, name: string): Declared | undefined {
    return from.startsWith(".") ? sourceFile(new URL(from, this.#url)).find(name) : undefined;
  }

  /** What stands there, on one line. */
  textOf({ start, end }: { readonly start: number; readonly end: number }): string {
    return this.#source.slice(start, end).replaceAll(/\s+/g, " ");
  }

  /** The comment right before a place, on one line; empty where there is none. */
  commentBefore(start: number): string {
    const comment = this.#comments.findLast(({ end }) => end <= start);
    const isItsOwn =
      comment !== undefined && /^\s*(?:export )?$/.test(this.#source.slice(comment.end, start));
    if (!isItsOwn || !comment.value.startsWith("*")) return "";
    return comment.value
      .slice(1)
      .replaceAll(/\s*\n\s*\*?\s*/g, " ")
      .trim();
  }

  #enter(statement: Statement): void {
    if (statement.type === "ImportDeclaration") {
      for (const specifier of statement.specifiers)
        if (specifier.type === "ImportSpecifier")
          this.#elsewhere.set(specifier.local.name, {
            from: statement.source.value,
            name: nameOf(specifier.imported),
          });
    } else if (statement.type === "ExportAllDeclaration") {
      this.#starred.push(statement.source.value);
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
      for (const { local, exported } of statement.specifiers) {
        this.exportedNames.push(nameOf(exported));
        if (statement.source !== null)
          this.#elsewhere.set(nameOf(exported), { from: statement.source.value, name: nameOf(local) });
      }
    } else {
      const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (isDeclaration(declared) && declared.id !== null) {
        // Of several signatures of a function the last one is its body's, which users do not see.
        if (!this.#declared.has(declared.id.name)) this.#declared.set(declared.id.name, declared);
        if (statement.type === "ExportNamedDeclaration") this.exportedNames.push(declared.id.name);
      }
    }
  }
}

function isDeclaration(node: Statement | Exported["declaration"]): node is DeclarationNode {
  return (
    node?.type === "TSInterfaceDeclaration" ||
    node?.type === "TSTypeAliasDeclaration" ||
    node?.type === "ClassDeclaration" ||
    node?.type === "FunctionDeclaration"
  );
}

type ModuleName = Exported["specifiers"][number]["exported"];

function nameOf(node: ModuleName): string {
  return node.type === "Literal" ? node.value : node.name;
}
