// The repository's own rules, as a program: `node tools/tidy.ts`.
import { fileURLToPath } from "node:url";
import { findUnexplainedCasts } from "./tidy/casts.ts";
import { findTypeCycles, findValueCycles } from "./tidy/cycles.ts";
import { findForwardingFiles } from "./tidy/forwarding.ts";
import { findExampleProblems, findLayerProblems } from "./tidy/layers.ts";
import { findRetiredWords } from "./tidy/retired-words.ts";
import { sourcesOf, treeAt, type SourceTree } from "./tidy/source-tree.ts";
import { findTextProblems } from "./tidy/text.ts";

const rules: readonly ((tree: SourceTree) => readonly string[])[] = [
  findLayerProblems,
  findExampleProblems,
  findTextProblems,
  findValueCycles,
  findTypeCycles,
  findForwardingFiles,
  findUnexplainedCasts,
  findRetiredWords,
];

const tree = treeAt(fileURLToPath(new URL("..", import.meta.url)));
const problems = rules.flatMap((find) => find(tree));
for (const problem of problems) console.error(problem);
console.log(`tidy: ${sourcesOf(tree).length} source files, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
