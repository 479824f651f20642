// Finds regular expressions that the engine would refuse. The parser does not read what is between the slashes, and the
// module would fail only when it is loaded, without its place.
import type { ESTree } from "rolldown/utils";
import { visitChildren, type Node } from "./syntax.ts";

export interface InvalidPattern {
  readonly offset: number;
  readonly message: string;
}

/** A slash that begins no comment and ends none. */
const mayHavePatterns = /(?<!\*)\/(?![/*])/;

/** The first invalid one. The parser has tried each of them already, and gives none for those that the engine refused. */
export function invalidPatternIn(code: string, program: ESTree.Program): InvalidPattern | undefined {
  if (!mayHavePatterns.test(code)) return undefined;
  let first: ESTree.RegExpLiteral | undefined;
  const stack: Node[] = [program];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type !== "Literal") visitChildren(node, (child) => stack.push(child));
    else if ("regex" in node && node.value === null && node.start < (first?.start ?? Infinity)) first = node;
  }
  return first === undefined ? undefined : { offset: first.start, message: messageOf(first.regex) };
}

function messageOf({ pattern, flags }: ESTree.RegExpLiteral["regex"]): string {
  try {
    RegExp(pattern, flags);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return "Invalid regular expression";
}
