// What an object of options may have: its members with types and comments, through files, heirs, and helpers such as Omit.
import type { Declared, SignatureNode, SourceFile, TypeNode } from "./sources.ts";

export interface Option {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** What its comment says; empty where it has none. */
  readonly doc: string;
  /** Where it is an object of options itself. */
  readonly inner: readonly Option[];
}

/** A type, and the file whose names it uses. */
export interface Typed {
  readonly type: TypeNode;
  readonly file: SourceFile;
}

/** Types whose members are options of the option that has them; those of others are no options, or have a page of theirs. */
const expanded = /(?:Spec|Options|Rule|Quota|Filter)$/;
/** A type that is shown as it is defined, as its name alone would say nothing. */
const shownLengthMax = 100;

/** Empty for what is no object of options. */
export function optionsOf({ type, file }: Typed): readonly Option[] {
  switch (type.type) {
    case "TSParenthesizedType":
      return optionsOf({ type: type.typeAnnotation, file });
    case "TSUnionType":
      return alternatives(type.types.map((part) => optionsOf({ type: part, file })));
    case "TSIntersectionType":
      return merged(type.types.flatMap((part) => optionsOf({ type: part, file })));
    case "TSTypeLiteral":
      return type.members.flatMap((member) => optionIn(member, file));
    case "TSArrayType":
      return optionsOf({ type: type.elementType, file });
    case "TSTypeOperator":
      return optionsOf({ type: type.typeAnnotation, file });
    case "TSTypeReference":
      return ofReference(type, file);
    default:
      return [];
  }
}

type Reference = Extract<TypeNode, { type: "TSTypeReference" }>;

function ofReference({ typeName, typeArguments }: Reference, file: SourceFile): readonly Option[] {
  if (typeName.type !== "Identifier") return [];
  const [of, names] = typeArguments?.params ?? [];
  return ofNamed(typeName.name, { file, of, names });
}

interface Named {
  readonly file: SourceFile;
  /** Its type arguments. */
  readonly of: TypeNode | undefined;
  readonly names: TypeNode | undefined;
}

function ofNamed(name: string, { file, of, names }: Named): readonly Option[] {
  const inner = (): readonly Option[] => (of === undefined ? [] : optionsOf({ type: of, file }));
  const listed = (): readonly string[] => (names === undefined ? [] : literalsIn(names));
  if (name === "Readonly" || name === "Required") return inner();
  if (name === "Partial") return inner().map((option) => ({ ...option, isRequired: false }));
  if (name === "Omit") return inner().filter((option) => !listed().includes(option.name));
  if (name === "Pick") return inner().filter((option) => listed().includes(option.name));
  const declared = file.find(name);
  return declared === undefined ? [] : ofDeclaration(declared);
}

/** The options that a declared type has. */
export function ofDeclaration({ file, node }: Declared): readonly Option[] {
  if (node.type === "TSTypeAliasDeclaration") return optionsOf({ type: node.typeAnnotation, file });
  if (node.type !== "TSInterfaceDeclaration") return [];
  const inherited = node.extends.flatMap(({ expression, typeArguments }) => {
    const [of, names] = typeArguments?.params ?? [];
    return expression.type === "Identifier" ? ofNamed(expression.name, { file, of, names }) : [];
  });
  const own = node.body.body.flatMap((member) => optionIn(member, file));
  const ownNames = own.map(({ name }) => name);
  // What belongs to the type alone comes first.
  const { own: first = [], inherited: last = [] } = Object.groupBy(
    merged([...inherited, ...own]),
    ({ name }) => (ownNames.includes(name) ? "own" : "inherited"),
  );
  return [...first, ...last];
}

function optionIn(member: SignatureNode, file: SourceFile): readonly Option[] {
  if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier") return [];
  const type = member.typeAnnotation?.typeAnnotation;
  if (type === undefined) return [];
  return [
    {
      name: member.key.name,
      isRequired: !member.optional,
      type: shownType({ type, file }),
      doc: file.commentBefore(member.start),
      inner: isExpanded(type) ? optionsOf({ type, file }) : [],
    },
  ];
}

function isExpanded(type: TypeNode): boolean {
  if (type.type === "TSTypeLiteral") return true;
  if (type.type === "TSUnionType" || type.type === "TSIntersectionType") return type.types.some(isExpanded);
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return false;
  if (type.typeName.name === "Partial") return type.typeArguments?.params.some(isExpanded) === true;
  return expanded.test(type.typeName.name);
}

/** As written, but for what is only for the compiler; the definition of a short union in place of its name. */
function shownType({ type, file }: Typed): string {
  const plain = file
    .textOf(type)
    .replaceAll(/\/\*.*?\*\/ |\breadonly /g, "")
    .replace(/^\| /, "");
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return plain;
  const declared = file.find(type.typeName.name);
  if (declared?.node.type !== "TSTypeAliasDeclaration") return plain;
  const { typeAnnotation: definition } = declared.node;
  if (definition.type !== "TSUnionType" || type.typeArguments !== null) return plain;
  const text = shownType({ type: definition, file: declared.file });
  return text.length <= shownLengthMax ? text : plain;
}

function literalsIn(type: TypeNode): readonly string[] {
  if (type.type === "TSUnionType") return type.types.flatMap(literalsIn);
  return type.type === "TSLiteralType" && type.literal.type === "Literal" ? [String(type.literal.value)] : [];
}

/** One of each name: where types differ, all of them, each with what its comment says. */
function alternatives(forms: readonly (readonly Option[])[]): readonly Option[] {
  const byName = Map.groupBy(forms.flat(), ({ name }) => name);
  return [...byName.values()].flatMap((same) => {
    const types = [...new Set(same.map(({ type }) => type))];
    if (types.length === 1) return merged(same);
    const doc = [...new Set(same.map((option) => option.doc).filter((text) => text !== ""))].join(" ");
    return same.slice(-1).map((last) => ({ ...last, type: types.map(enclosed).join(" | "), doc }));
  });
}

const enclosed = (type: string): string => (type.includes(") => ") ? `(${type})` : type);

/** One of each name: the last that says what it is. */
export function merged(options: readonly Option[]): readonly Option[] {
  const byName = new Map<string, Option>();
  for (const option of options) {
    const other = byName.get(option.name);
    if (other === undefined || option.doc !== "") byName.set(option.name, option);
  }
  return [...byName.values()];
}
