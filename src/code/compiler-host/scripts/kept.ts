// Declarations that last from one script to the next: the names that a script declares at its top level become properties of
// the sandbox's global object, and its declarations assignments to them. References stay as they are: whatever is not declared
// inside of a script is looked up there.
import type { ESTree } from "rolldown/utils";
import { reserved } from "../../../model/code/reserved.ts";
import type { Edits } from "../linking/edits.ts";
import { declaredName } from "../linking/entries.ts";
import { isBoundary } from "../linking/writes.ts";
import { addNames, visitChildren, visitTargets, type Node } from "../syntax.ts";

type Statement = ESTree.Program["body"][number];

/** Names that nothing can replace in the global object. */
const fixedNames: ReadonlySet<string> = new Set(["undefined", "NaN", "Infinity"]);

/** What `publish` of a script is asked to do; the guest runtime has the other side. */
const verbs = { declare: 0, define: 1, fix: 2, link: 3 } as const;

const publish = (verb: keyof typeof verbs, ...rest: readonly string[]): string =>
  `${reserved.publish}(${[verbs[verb], ...rest].join(",")});`;

export interface KeptScript {
  readonly code: string;
  readonly edits: Edits;
  /** The variables of its imports. */
  readonly imported: readonly string[];
}

export type Kept =
  | { readonly ok: true; readonly prologue: string }
  | { readonly ok: false; readonly offset: number; readonly message: string };

/** Rewrites the declarations of a script; the statements that it needs before the body. */
export function keepDeclarations(program: ESTree.Program, script: KeptScript): Kept {
  const names: Declared = new Map();
  const functions: string[] = [];
  for (const statement of program.body) {
    const declaration = declarationOf(statement);
    if (declaration?.type === "FunctionDeclaration")
      functions.push(keepFunction(declaration, functions.length, script));
    else if (declaration?.type === "ClassDeclaration") keepClass(declaration, script);
    else if (declaration?.type === "VariableDeclaration" && isLexical(declaration)) {
      const declared = keepVariables(declaration, script, "listed");
      if (declaration.kind === "const")
        for (const name of declared) script.edits.insertBare(declaration.end, publish("fix", quoted(name)));
    }
    addDeclared(declaration, names);
  }
  keepVars(program, script, names);
  for (const [name, offset] of names)
    if (fixedNames.has(name)) return { ok: false, offset, message: `${name} cannot be declared` };
  const links = script.imported.map((name) => publish("link", quoted(name), `()=>${name}`));
  const declared = publish("declare", `[${[...names.keys()].map(quoted).join(",")}]`);
  return { ok: true, prologue: [declared, ...functions, ...links].join("") };
}

const quoted = (name: string): string => JSON.stringify(name);
const isLexical = ({ kind }: ESTree.VariableDeclaration): boolean => kind === "let" || kind === "const";

/** Names with the offsets of their declarations. */
type Declared = Map<string, number>;

/** What a statement declares, behind `export` too. */
function declarationOf(statement: Statement): Statement | ESTree.Declaration | undefined {
  if (statement.type === "ExportNamedDeclaration") return statement.declaration ?? undefined;
  if (statement.type !== "ExportDefaultDeclaration") return statement;
  const { declaration } = statement;
  const isNamed = declaredName(declaration) !== undefined;
  return isNamed ? (declaration as ESTree.Function | ESTree.Class) : undefined;
}

function addDeclared(node: Statement | ESTree.Declaration | undefined, names: Declared): void {
  if (node?.type === "VariableDeclaration" && isLexical(node))
    for (const { id } of node.declarations) declare(id, names);
  if (node?.type === "FunctionDeclaration" || node?.type === "ClassDeclaration") declare(node.id, names);
}

function declare(pattern: Node | null, names: Declared): void {
  visitTargets(pattern, ({ name, start }) => names.set(name, start));
}

// Declared as before, so that it can be called from the start, but under another name, so that all see what the global object has.
function keepFunction({ id }: ESTree.Function, number: number, { edits }: KeptScript): string {
  if (id === null) return "";
  const local = `${reserved.function}${number}`;
  edits.replace(id, local);
  return publish("define", quoted(id.name), local);
}

function keepClass({ id, start, end }: ESTree.Class, { edits }: KeptScript): void {
  if (id === null) return;
  edits.insertBare(start, `;${id.name}=`);
  edits.insertBare(end, ";");
}

/** Where a declaration stands: among other statements, as the only one of another, or in the head of a loop. */
type Where = "listed" | "single" | "head";

// `let a = 1, { b } = c` becomes `;(a = 1), ({ b } = c);`
function keepVariables(node: ESTree.VariableDeclaration, script: KeptScript, where: Where): string[] {
  const { code, edits } = script;
  const { declarations, kind, start, end } = node;
  const names = new Set<string>();
  const head = { start, end: declarations[0]?.start ?? start };
  edits.blank(head, where === "listed" ? ";" : "");
  for (const declarator of declarations) {
    addNames(declarator.id, names);
    if (declarator.init !== null) edits.wrap(declarator, "(", ")");
    else if (kind === "var") edits.blank(declarator, "0");
    else edits.wrap(declarator, "(", "=void 0)");
  }
  if (where === "head" || code[end - 1] === ";") return [...names];
  // Inside of the brackets that a single statement may get, as `else` may follow.
  if (where === "single") edits.wrap(node, "", ";");
  else edits.insertBare(end, ";");
  return [...names];
}

// A `var` may be declared again, and deep in blocks; it belongs to the script all the same.
function keepVars(program: ESTree.Program, script: KeptScript, names: Declared): void {
  const stack: { readonly node: Node; readonly parent: Node | undefined }[] = [
    { node: program, parent: undefined },
  ];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { node, parent } = top;
    if (node.type === "VariableDeclaration" && node.kind === "var") {
      for (const { id } of node.declarations) declare(id, names);
      keepVar(node, parent, script);
    }
    visitChildren(node, (child) => {
      if (!isBoundary(child, node)) stack.push({ node: child, parent: node });
    });
  }
}

function keepVar(node: ESTree.VariableDeclaration, parent: Node | undefined, script: KeptScript): void {
  switch (parent?.type) {
    case "ForInStatement":
    case "ForOfStatement":
      if (parent.left === node) return keepTarget(node, script);
      break;
    case "ForStatement":
      if (parent.init === node) return void keepVariables(node, script, "head");
      break;
    case "Program":
    case "BlockStatement":
    case "SwitchCase":
    case "ExportNamedDeclaration":
      return void keepVariables(node, script, "listed");
  }
  keepVariables(node, script, "single");
}

// `for (var a of b)` becomes `for ((a) of b)`: without brackets `async` could not be the name.
function keepTarget({ declarations, start }: ESTree.VariableDeclaration, { edits }: KeptScript): void {
  const [declarator] = declarations;
  if (declarator === undefined) return;
  edits.blank({ start, end: declarator.start }, "");
  if (declarator.id.type === "Identifier") edits.wrap(declarator, "(", ")");
}
