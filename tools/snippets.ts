// Takes the code out of the documents, so that it can be run as it stands: every ts and js block is a whole program,
// unless `<!-- no-run -->` stands above it. A line that ends in `// → text` prints exactly that text.
import { readFileSync } from "node:fs";
import { documents, root } from "./docs/documents.ts";
import { codeBlocksIn } from "./docs/markdown.ts";

export interface Snippet {
  /** Where it stands, as `path:line`. */
  readonly place: string;
  readonly language: "ts" | "js";
  readonly code: string;
  /** What it says that it prints, line by line. */
  readonly prints: readonly string[];
}

/** Every program in the documents. */
export function snippets(paths: readonly string[] = documents()): readonly Snippet[] {
  return paths.flatMap((path) =>
    codeBlocksIn(readFileSync(`${root}${path}`, "utf8"))
      .filter(({ language, isFragment }) => isProgram(language) && !isFragment)
      .map(({ language, code, line }) => ({
        place: `${path}:${line}`,
        language: language as Snippet["language"],
        code,
        prints: [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, text = ""]) => text.trim()),
      })),
  );
}

function isProgram(language: string): boolean {
  return language === "ts" || language === "js";
}
