// The repository's own rules, as a program: `node tools/tidy.ts`. What a rule that is not refused yet has found is only
// counted; `--all` prints it too.
import { fileURLToPath } from "node:url";
import { findUnexplainedCasts } from "./tidy/casts.ts";
import { findTypeCycles, findValueCycles } from "./tidy/cycles.ts";
import { findForwardingFiles } from "./tidy/forwarding.ts";
import { findExampleProblems, findLayerProblems } from "./tidy/layers.ts";
import { findRetiredWords } from "./tidy/retired-words.ts";
import { sourcesOf, treeAt, type SourceTree } from "./tidy/source-tree.ts";
import { findTextProblems } from "./tidy/text.ts";

// Each of these becomes true as soon as the tree has no such place left. Until then its places are counted in the last
// line, so that the number is seen and nobody believes that the rule is kept.
const areTypeCyclesRefused = false;
const areUnexplainedCastsRefused = false;
const areRetiredWordsRefused = false;

interface Rule {
  /** What its findings are called in the last line. */
  readonly finds: string;
  readonly find: (tree: SourceTree) => readonly string[];
  readonly isRefused: boolean;
}

const rules: readonly Rule[] = [
  { finds: "imports against the layers", find: findLayerProblems, isRefused: true },
  { finds: "examples that import sources", find: findExampleProblems, isRefused: true },
  { finds: "texts against the style", find: findTextProblems, isRefused: true },
  { finds: "import cycles", find: findValueCycles, isRefused: true },
  { finds: "import cycles (counted: types too)", find: findTypeCycles, isRefused: areTypeCyclesRefused },
  { finds: "files that only forward", find: findForwardingFiles, isRefused: true },
  { finds: "unexplained casts", find: findUnexplainedCasts, isRefused: areUnexplainedCastsRefused },
  { finds: "retired words", find: findRetiredWords, isRefused: areRetiredWordsRefused },
];

const isAllShown = process.argv.includes("--all");
const tree = treeAt(fileURLToPath(new URL("..", import.meta.url)));
const results = rules.map(({ finds, find, isRefused }) => ({ finds, found: find(tree), isRefused }));
const problems = results.filter(({ isRefused }) => isRefused).flatMap(({ found }) => found);
const counted = results.filter(({ isRefused }) => !isRefused);

for (const problem of isAllShown ? results.flatMap(({ found }) => found) : problems) console.error(problem);
const alsoSeen = counted.map(({ finds, found }) => `${found.length} ${finds}`).join(", ");
console.log(
  `tidy: ${sourcesOf(tree).length} source files, ${problems.length} problems` +
    (alsoSeen === "" ? "" : `; not refused yet: ${alsoSeen}`),
);
process.exitCode = problems.length > 0 ? 1 : 0;
