// Prints the figures of the sources, to see whether a change made them simpler: `npm run -s tree`, or with the path of another
// checkout, `npm run -s tree -- ../before`.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { castKinds, castsIn } from "./tidy/casts.ts";
import { cyclesIn } from "./tidy/cycles.ts";
import { figuresOf, type Figures } from "./tidy/figures.ts";
import { forwardingFiles } from "./tidy/forwarding.ts";
import { sourcesOf, treeAt, type SourceTree } from "./tidy/source-tree.ts";

const [given] = process.argv.slice(2);
const root = given === undefined ? fileURLToPath(new URL("..", import.meta.url)) : resolve(given);
const tree = treeAt(root);
printFolders(figuresOf(tree));
printRules(tree);

function printFolders({ folders, files, lines, median, longest }: Figures): void {
  const width = Math.max(...folders.map(({ folder }) => folder.length));
  const row = (cells: readonly (string | number)[]): string =>
    cells.map((cell, index) => (index === 0 ? `${cell}`.padEnd(width) : `${cell}`.padStart(8))).join("");
  console.log(row(["folder", "files", "lines", "median", "longest"]));
  for (const each of folders)
    console.log(row([each.folder, each.files, each.lines, each.median, each.longest.lines]));
  console.log(row(["all", files, lines, median, longest.lines]));
  console.log(`\nlongest file: ${longest.path}, ${longest.lines} lines`);
}

function printRules(of: SourceTree): void {
  const casts = sourcesOf(of).flatMap((path) => castsIn(of, path));
  for (const [what, areTypesCounted] of [
    ["values only", false],
    ["types too", true],
  ] as const) {
    const groups = cyclesIn(of, areTypesCounted);
    const inThem = groups.flat().length;
    console.log(`import cycles, ${what}: ${groups.length} groups with ${inThem} files`);
  }
  console.log(`files that only forward: ${forwardingFiles(of).length}`);
  for (const kind of castKinds) {
    const these = casts.filter((cast) => cast.kind === kind);
    const explained = these.filter(({ isExplained }) => isExplained).length;
    console.log(`casts, ${kind}: ${these.length}, of which ${explained} have a comment beside them`);
  }
}
