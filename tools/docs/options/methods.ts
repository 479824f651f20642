// The methods of what users hold, and which of them take options.
import { merged, optionsOf, type Option } from "./members.ts";
import type { ClassNode, Declared, FunctionNode, SignatureNode, SourceFile, TypeNode } from "./sources.ts";

/** A method, or a function, with the options of all its forms. */
export interface Method {
  /** As it is called: `runtime.create`. */
  readonly name: string;
  /** Its forms: `runtime.create(id, spec)`. */
  readonly calls: readonly string[];
  readonly doc: string;
  readonly options: readonly Option[];
}

/** The parameters whose members are options. */
const optionNames = ["options", "spec", "specs", "filter"];

type ParameterNode = FunctionNode["params"][number];

interface Form {
  readonly name: string;
  readonly doc: string;
  readonly params: readonly ParameterNode[];
}

/** The methods of an interface, and those of the interfaces that are its properties, such as `runtime.batch`. */
export function methodsOf({ file, node }: Declared, holder: string): readonly Method[] {
  if (node.type !== "TSInterfaceDeclaration") return [];
  const own = node.body.body.flatMap((member) => formIn(member, file));
  const parts = node.body.body.flatMap((member) => {
    if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier") return [];
    const part = interfaceIn(member.typeAnnotation?.typeAnnotation, file);
    return part === undefined ? [] : methodsOf(part, `${holder}.${member.key.name}`);
  });
  return [...methodsFrom(own, file, `${holder}.`), ...parts];
}

/** A function, or the constructor and the methods of a class. */
export function functionsOf({ file, node }: Declared, name: string): readonly Method[] {
  if (node.type === "FunctionDeclaration") {
    const form = { name, doc: file.commentBefore(node.start), params: node.params };
    return methodsFrom([form], file, "");
  }
  if (node.type !== "ClassDeclaration") return [];
  const holder = name.charAt(0).toLowerCase() + name.slice(1);
  const forms = formsIn(node, file);
  const made = forms
    .filter((form) => form.name === "constructor")
    .map((form) => ({ ...form, name: `new ${name}`, doc: file.commentBefore(node.start) }));
  const others = forms.filter((form) => form.name !== "constructor");
  return [...methodsFrom(made, file, ""), ...methodsFrom(others, file, `${holder}.`)];
}

function formsIn({ body }: ClassNode, file: SourceFile): readonly Form[] {
  return body.body.flatMap((member) =>
    member.type === "MethodDefinition" && member.key.type === "Identifier"
      ? [{ name: member.key.name, doc: file.commentBefore(member.start), params: member.value.params }]
      : [],
  );
}

function formIn(member: SignatureNode, file: SourceFile): readonly Form[] {
  if (member.type !== "TSMethodSignature" || member.key.type !== "Identifier") return [];
  return [{ name: member.key.name, doc: file.commentBefore(member.start), params: member.params }];
}

/** Forms of one name are one method; those without options, and those that are not for users, are left out. */
function methodsFrom(forms: readonly Form[], file: SourceFile, holder: string): readonly Method[] {
  const shown = forms.filter(({ doc }) => !doc.startsWith("@internal"));
  return [...Map.groupBy(shown, ({ name }) => name)].flatMap(([name, same]) => {
    const options = merged(same.flatMap(({ params }) => params.flatMap((param) => ofParameter(param, file))));
    if (options.length === 0) return [];
    const calls = new Set(same.map(({ params }) => `${holder}${name}(${params.map(nameOf).join(", ")})`));
    return [{ name: `${holder}${name}`, calls: [...calls], doc: docOf(same), options }];
  });
}

/** What the forms say, each sentence once. */
function docOf(forms: readonly Form[]): string {
  return [...new Set(forms.map(({ doc }) => doc).filter((doc) => doc !== ""))].join(" ");
}

function ofParameter(param: ParameterNode, file: SourceFile): readonly Option[] {
  const type = typeOf(param);
  return optionNames.includes(nameOf(param).replace(/\?$/, "")) && type !== undefined
    ? optionsOf({ type, file })
    : [];
}

/** A question mark says that it may be left out. */
function nameOf(param: ParameterNode): string {
  if (param.type === "Identifier") {
    const { name, optional } = param;
    return optional ? `${name}?` : name;
  }
  if (param.type === "AssignmentPattern" && param.left.type === "Identifier") return `${param.left.name}?`;
  return "options";
}

function typeOf(param: ParameterNode): TypeNode | undefined {
  const target = param.type === "AssignmentPattern" ? param.left : param;
  return "typeAnnotation" in target ? (target.typeAnnotation?.typeAnnotation ?? undefined) : undefined;
}

function interfaceIn(type: TypeNode | undefined, file: SourceFile): Declared | undefined {
  const named = type?.type === "TSUnionType" ? type.types[0] : type;
  if (named?.type !== "TSTypeReference" || named.typeName.type !== "Identifier") return undefined;
  const found = file.find(named.typeName.name);
  return found?.node.type === "TSInterfaceDeclaration" ? found : undefined;
}
