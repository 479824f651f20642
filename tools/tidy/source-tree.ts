// The files of a checkout as the rules see them: which there are, what they say, and how TypeScript parses. Rules are given
// a tree instead of reading files themselves, so that a test can hand them one of its own making.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseSync } from "rolldown/utils";

export type Parsed = ReturnType<typeof parseSync>;

export interface SourceTree {
  /** Every file that a rule may look at, as a path from the root, sorted. */
  readonly paths: readonly string[];
  readonly read: (path: string) => string;
  /** The syntax of a TypeScript file; parsed once, however many rules ask. */
  readonly parse: (path: string) => Parsed;
}

const patterns = ["*.md", "package.json", "{src,test,bench,tools,examples,docs}/**/*.{ts,mts,js,mjs,py,md}"];

/** The tree of a checkout on disk. */
export function treeAt(root: string): SourceTree {
  const paths = globSync(patterns, {
    cwd: root,
    exclude: (path) => ["node_modules", "dist"].includes(basename(path)),
  });
  if (!existsSync(join(root, "src"))) throw new Error(`Cannot read ${root} as it must have a folder src`);
  return makeTree(paths, (path) => readFileSync(join(root, path), "utf8"));
}

/** A tree that is written down as an object of paths and texts. */
export function treeOf(files: Readonly<Record<string, string>>): SourceTree {
  return makeTree(Object.keys(files), (path) => files[path] ?? "");
}

function makeTree(paths: readonly string[], read: SourceTree["read"]): SourceTree {
  const parsed = new Map<string, Parsed>();
  return {
    paths: [...paths].sort(),
    read,
    parse: (path) => {
      const known = parsed.get(path) ?? parseSync(path, read(path));
      parsed.set(path, known);
      return known;
    },
  };
}

/** The TypeScript files of the package itself. */
export function sourcesOf({ paths }: SourceTree): readonly string[] {
  return paths.filter((path) => path.startsWith("src/") && path.endsWith(".ts"));
}

export function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

/** The line, from 1, on which a place in a text is. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
