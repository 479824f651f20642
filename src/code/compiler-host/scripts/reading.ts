// What a parser must be told so that it reads a script: it may return, and it may be one object.
import { parseSync, type ParseResult } from "rolldown/utils";
import { endOfGap } from "../gap.ts";
import { withoutBrackets } from "../syntax.ts";

/** The parser goes on after this error, and has the statement in its tree. */
const returnError = "A 'return' statement can only be used within a function body.";

/** What was parsed, without errors about `return` outside of functions. */
export function withReturns(parsed: ParseResult): ParseResult {
  const errors = parsed.errors.filter(({ message }) => message !== returnError);
  if (errors.length === parsed.errors.length) return parsed;
  const { program, module, comments } = parsed;
  return { program, module, comments, errors } as ParseResult; // It is a class of the parser's, with these four.
}

const semicolonEnd = /;\s*$/;

/** A source that is one object and nothing else, read as such and not as a block; undefined for any other. */
export function readObject(source: string): ParseResult | undefined {
  if (source[endOfGap(source, 0)] !== "{" || semicolonEnd.test(source)) return undefined;
  const options = { lang: "js", sourceType: "module", showSemanticErrors: true } as const;
  const parsed = parseSync("module.js", `(${source}\n)`, options);
  const [statement, ...others] = parsed.program.body;
  if (parsed.errors.length > 0 || others.length > 0 || statement?.type !== "ExpressionStatement")
    return undefined;
  const object = withoutBrackets(statement.expression);
  if (object.type !== "ObjectExpression") return undefined;
  const { program, module, comments } = parsed;
  const read = { program, module, comments, errors: parsed.errors };
  // Before the bracket that only the parser saw.
  moveBack(read);
  statement.start = object.start;
  statement.end = object.end;
  statement.expression = object;
  return read as ParseResult; // As above.
}

// Every offset is one too large.
function moveBack(root: object): void {
  const stack: object[] = [root];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    // A tree as JSON has it; its offsets are named so and nothing else is.
    const parts = top as Record<string, unknown>;
    for (const key of Object.keys(parts)) {
      const part = parts[key];
      if (typeof part === "object" && part !== null) stack.push(part);
      else if (typeof part === "number" && (key === "start" || key === "end")) parts[key] = part - 1;
    }
  }
}
