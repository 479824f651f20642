// How many files and lines the sources have, in all and by folder.
import { dirname } from "node:path";
import { linesOf, sourcesOf, type SourceTree } from "./source-tree.ts";

interface Sized {
  readonly path: string;
  readonly lines: number;
}

export interface FolderFigures {
  readonly folder: string;
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  readonly longest: Sized;
}

export interface Figures extends Omit<FolderFigures, "folder"> {
  readonly folders: readonly FolderFigures[];
}

export function figuresOf(tree: SourceTree): Figures {
  const all = sourcesOf(tree).map((path) => ({ path, lines: linesOf(tree.read(path)) }));
  const byFolder = Map.groupBy(all, ({ path }) => dirname(path));
  return {
    ...summaryOf(all),
    folders: [...byFolder]
      .sort(([one], [other]) => one.localeCompare(other, "en"))
      .map(([folder, files]) => ({ folder, ...summaryOf(files) })),
  };
}

function summaryOf(files: readonly Sized[]): Omit<FolderFigures, "folder"> {
  const sorted = files.toSorted((one, other) => one.lines - other.lines);
  return {
    files: files.length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    median: sorted[Math.floor((sorted.length - 1) / 2)]?.lines ?? 0,
    longest: sorted.at(-1) ?? { path: "none", lines: 0 },
  };
}
