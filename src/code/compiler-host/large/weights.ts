// How long the engine's optimising compilers take for a piece of code, roughly: each node of the syntax tree has a weight. What
// they do with a function takes time that grows with the square of the branches in it, and cannot be interrupted.
import { isFunction, withoutBrackets, type Node } from "../syntax.ts";

/** Functions above this weight are kept from the optimising compilers; at this weight these take some 40 ms on a slow machine. */
export const weightMax = 1_500;

/** What may be left of code that can be divided only in part: parameters, and the fields of a class. It has no loops. */
export const undividedWeightMax = 4 * weightMax;

// Each of these is a loop with calls and handlers inside of the engine.
const iteration = 55;
/** A function that is called at once, or by what it is passed to, is copied into its caller; so are several that one call may mean. */
const callWithFunction = 60;
const callOfSeveral = 20;
const construction = 12;
const call = 6;
const branch = 7;

const weights: Readonly<Record<string, number>> = {
  ForOfStatement: iteration,
  ForInStatement: iteration,
  ArrayPattern: iteration,
  SpreadElement: iteration,
  RestElement: iteration,
  YieldExpression: iteration,
  AwaitExpression: iteration,
  ImportExpression: iteration,
  ForStatement: branch,
  WhileStatement: branch,
  DoWhileStatement: branch,
  IfStatement: branch,
  ConditionalExpression: branch,
  LogicalExpression: branch,
  SwitchCase: branch,
  TryStatement: branch,
  AssignmentPattern: branch,
  ObjectExpression: branch,
  ObjectPattern: branch,
  ArrayExpression: branch,
  ClassBody: branch,
  TemplateLiteral: branch,
  UpdateExpression: 3,
};

/** The weight of one node, without those below it. */
export function weightOf(node: Node): number {
  switch (node.type) {
    case "CallExpression":
      if (node.arguments.some(isFunction) || isFunction(withoutBrackets(node.callee)))
        return callWithFunction;
      return node.callee.type === "MemberExpression" && node.callee.computed ? callOfSeveral : call;
    case "NewExpression":
      return node.arguments.some(isFunction) ? callWithFunction : construction;
    case "TaggedTemplateExpression":
      return call;
    case "MemberExpression":
      return node.optional ? branch : 3;
    case "VariableDeclaration":
      return node.kind === "using" || node.kind === "await using" ? iteration : 1;
    case "AssignmentExpression":
      return node.operator === "&&=" || node.operator === "||=" || node.operator === "??=" ? branch : 1;
    default:
      return weights[node.type] ?? 1;
  }
}
