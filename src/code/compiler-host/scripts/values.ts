// Records the values of a script's expression statements, so that the one evaluated last is the script's value: what direct
// `eval` gives for the same statements.
import type { ESTree } from "rolldown/utils";
import { reserved } from "../../../model/code/reserved.ts";
import type { Edits } from "../linking/edits.ts";
import type { Node } from "../syntax.ts";

type Statement = ESTree.Statement | ESTree.Program["body"][number];

const nothing = `${reserved.result}=[void 0];`;

/** Statements that have a value of their own, `undefined` where nothing in them has one. */
const valued: ReadonlySet<string> = new Set([
  "IfStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "WhileStatement",
  "DoWhileStatement",
  "SwitchStatement",
  "TryStatement",
]);

/** Inserts what records the values. What can only be overwritten is not recorded, so that most loops cost nothing. */
export function recordValues(program: ESTree.Program, edits: Edits): void {
  const pending: Statement[] = [];
  for (const statement of program.body.toReversed()) {
    visitListed(statement, undefined, { edits, pending });
    if (decides(statement)) break;
  }
  // Without recursion, so that a deep tree is as safe as a flat one.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) visit(next, { edits, pending });
}

/**
 * Records the value of one expression. In a list, as a function without a name would get that of the variable, and as the engine
 * then knows the position of what it evaluates first.
 */
export function recordValue(expression: Node, edits: Edits): void {
  edits.wrap(expression, `${reserved.result}=[(`, ")]");
}

interface Visit {
  readonly edits: Edits;
  /** Statements whose parts are still to be visited. */
  readonly pending: Statement[];
}

// Whatever stands before such a statement, the script's value does not come from there.
function decides(statement: Statement): boolean {
  return statement.type === "ExpressionStatement" || valued.has(unlabelled(statement).type);
}

function unlabelled(statement: Statement): Statement {
  let inner = statement;
  while (inner.type === "LabeledStatement") inner = inner.body;
  return inner;
}

// A statement among others: the next one always follows, unless this one jumps.
function visitListed(statement: Statement, next: Statement | undefined, { edits, pending }: Visit): void {
  if (statement.type === "ExpressionStatement") {
    if (next?.type !== "ExpressionStatement") recordValue(statement.expression, edits);
    return;
  }
  if (valued.has(unlabelled(statement).type)) edits.insertBare(statement.start, nothing);
  pending.push(statement);
}

function visitList(statements: readonly Statement[], how: Visit): void {
  for (const [index, statement] of statements.entries()) visitListed(statement, statements[index + 1], how);
}

function visit(statement: Statement, how: Visit): void {
  switch (statement.type) {
    case "BlockStatement":
      return visitList(statement.body, how);
    case "LabeledStatement":
      return visitBody(unlabelled(statement), how);
    case "IfStatement":
      visitBody(statement.consequent, how);
      if (statement.alternate !== null) visitBody(statement.alternate, how);
      return;
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      // Each turn has a value of its own.
      if (valued.has(unlabelled(statement.body).type)) how.edits.wrap(statement.body, `{${nothing}`, "}");
      return visitBody(statement.body, how);
    case "SwitchStatement":
      for (const { consequent } of statement.cases) visitList(consequent, how);
      return;
    case "TryStatement":
      // What the finally part evaluates is not the value of the statement.
      how.pending.push(statement.block);
      if (statement.handler === null) return;
      // Nor is what was evaluated before something was thrown.
      how.edits.insertBare(statement.handler.body.start + 1, nothing);
      how.pending.push(statement.handler.body);
  }
}

function visitBody(statement: Statement, { edits, pending }: Visit): void {
  if (statement.type === "ExpressionStatement") recordValue(statement.expression, edits);
  else pending.push(statement);
}
