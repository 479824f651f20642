// Casts that TypeScript cannot check: a comment must say why each is right.
import { Visitor } from "rolldown/utils";
import { lineAt, sourcesOf, type Parsed, type SourceTree } from "./source-tree.ts";

export const castKinds = ["as unknown as", "as never", "indexed"] as const;
export type CastKind = (typeof castKinds)[number];

export interface Cast {
  readonly path: string;
  /** The line of its last word. */
  readonly line: number;
  readonly kind: CastKind;
  /** A comment stands on one of its lines or directly above it. */
  readonly isExplained: boolean;
}

type Comments = Parsed["comments"];
type Expression = Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]["TSAsExpression"]>>[0];

/** Casts through `unknown`, to `never` or of an indexed item that no comment explains. */
export function findUnexplainedCasts(tree: SourceTree): readonly string[] {
  return sourcesOf(tree)
    .flatMap((path) => castsIn(tree, path))
    .filter(({ isExplained }) => !isExplained)
    .map(
      ({ path, line, kind }) =>
        `${path}:${line}: a comment beside or above this cast (${kind}) must say why it is right`,
    );
}

export function castsIn(tree: SourceTree, path: string): readonly Cast[] {
  const { program, comments } = tree.parse(path);
  const text = tree.read(path);
  const found: Cast[] = [];
  new Visitor({
    TSAsExpression: (node) => {
      const kind = kindOf(node);
      if (kind === undefined) return;
      const [first, last] = [lineAt(text, node.start), lineAt(text, node.end)];
      const explained = explainedLines(text, comments);
      found.push({ path, line: last, kind, isExplained: explained.has(first) || explained.has(last) });
    },
  }).visit(program);
  return found;
}

function kindOf({ expression, typeAnnotation }: Expression): CastKind | undefined {
  if (typeAnnotation.type === "TSNeverKeyword") return "as never";
  let inner = expression;
  while (inner.type === "ParenthesizedExpression" || inner.type === "TSNonNullExpression")
    inner = inner.expression;
  if (inner.type === "TSAsExpression")
    return inner.typeAnnotation.type === "TSUnknownKeyword" ? "as unknown as" : undefined;
  const isConst =
    typeAnnotation.type === "TSTypeReference" &&
    typeAnnotation.typeName.type === "Identifier" &&
    typeAnnotation.typeName.name === "const";
  return inner.type === "MemberExpression" && inner.computed && !isConst ? "indexed" : undefined;
}

/** Lines with a comment on them, and those below a comment that has its lines for itself. */
function explainedLines(text: string, comments: Comments): ReadonlySet<number> {
  const lines = text.split("\n");
  return new Set(
    comments
      // A comment that only switches a check off explains nothing.
      .filter(({ value }) => !/^\s*(?:oxlint-|eslint-|@ts-)/.test(value))
      .flatMap(({ start, end }) => {
        const [first, last] = [lineAt(text, start), lineAt(text, end)];
        const isAlone = /^\s*\/[/*]/.test(lines[first - 1] ?? "");
        return isAlone ? [first, last, last + 1] : [first, last];
      }),
  );
}
