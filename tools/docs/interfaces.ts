// Reads interfaces of our own sources with their comments, so that tables in the documentation are made of the code.
import { readFileSync } from "node:fs";
import { parseSync } from "rolldown/utils";

type Program = ReturnType<typeof parseSync>["program"];
type Declared = Extract<Program["body"][number], { type: "ExportNamedDeclaration" }>["declaration"];
type InterfaceNode = Extract<NonNullable<Declared>, { type: "TSInterfaceDeclaration" }>;
type PropertyNode = Extract<InterfaceNode["body"]["body"][number], { type: "TSPropertySignature" }>;
type TypeNode = NonNullable<PropertyNode["typeAnnotation"]>["typeAnnotation"];

/** One property of an interface. */
export interface Member {
  readonly name: string;
  /** What its comment says, on one line; empty where it has none. */
  readonly doc: string;
  /** The properties of its own type, where that is written out, an interface of the same file, or made of several. */
  readonly members: readonly Member[];
}

/** The members of one interface, those that it extends included. */
export function readInterface(file: URL, name: string): readonly Member[] {
  const source = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file.pathname, source);
  const interfaces = new Map<string, InterfaceNode>();
  const imported = new Map<string, URL>();
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration")
      for (const { local } of statement.specifiers)
        imported.set(local.name, new URL(statement.source.value, file));
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type === "TSInterfaceDeclaration") interfaces.set(declared.id.name, declared);
  }

  function membersOf(named: string): readonly Member[] {
    const node = interfaces.get(named);
    if (node === undefined) return [];
    const inherited = node.extends.flatMap(({ expression }) =>
      expression.type === "Identifier" ? membersOf(expression.name) : [],
    );
    return [...inherited, ...propertiesIn(node.body.body)];
  }

  function membersOfType(type: TypeNode | undefined): readonly Member[] {
    if (type?.type === "TSIntersectionType") return type.types.flatMap(membersOfPart);
    if (type?.type === "TSTypeLiteral") return propertiesIn(type.members);
    if (type?.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return [];
    return membersOf(type.typeName.name);
  }

  function membersOfPart(type: TypeNode): readonly Member[] {
    const named =
      type.type === "TSTypeReference" && type.typeName.type === "Identifier" ? type.typeName.name : "";
    const from = imported.get(named);
    return from === undefined ? membersOfType(type) : readInterface(from, named);
  }

  function propertiesIn(nodes: InterfaceNode["body"]["body"]): readonly Member[] {
    return nodes
      .filter((node) => node.type === "TSPropertySignature")
      .map((node) => ({
        name: nameOf(node),
        doc: docBefore(node.start),
        members: membersOfType(node.typeAnnotation?.typeAnnotation),
      }));
  }

  function docBefore(start: number): string {
    const comment = comments.findLast(({ end }) => end <= start);
    const isItsOwn = comment !== undefined && source.slice(comment.end, start).trim() === "";
    return isItsOwn
      ? comment.value
          .replace(/^\*/, "")
          .replaceAll(/\s*\n\s*\*?\s*/g, " ")
          .trim()
      : "";
  }

  const members = membersOf(name);
  if (members.length === 0) throw new Error(`Cannot read interface ${name} as ${file.pathname} must have it`);
  return members;
}

function nameOf({ key }: PropertyNode): string {
  return key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : "?";
}
