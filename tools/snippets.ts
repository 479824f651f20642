// Takes the code out of the documents, so that it can be run as it stands: every ts and js block is a whole program,
// unless `<!-- no-run -->` stands above it. A line that ends in `// → text` prints exactly that text. An sh block below
// `<!-- run: http -->` goes on where the one before it ended, in one shell beside a running server; `# → text` is a line that it
// prints, in which … stands for anything.
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

export interface ShellBlock {
  readonly place: string;
  readonly code: string;
  readonly prints: readonly string[];
}

/** The blocks of a document that are run in order in one shell. */
export function shellBlocks(path: string): readonly ShellBlock[] {
  const text = readFileSync(`${root}${path}`, "utf8");
  return [...text.matchAll(/^<!-- run: http -->\n\n?```sh\n([^]*?)^```$/gm)].map(
    ({ 1: code = "", index }) => ({
      place: `${path}:${text.slice(0, index).split("\n").length}`,
      code,
      prints: [...code.matchAll(/^# → (.*)$/gm)].map(([, line = ""]) => line.trim()),
    }),
  );
}

/** The documents that have such blocks. */
export function shellDocuments(): readonly string[] {
  return documents().filter((path) => shellBlocks(path).length > 0);
}

function isProgram(language: string): boolean {
  return language === "ts" || language === "js";
}
