// The tree of processes as rows, each with its depth: what is drawn and read aloud.
import type { ProcessView } from "../../../../src/index.ts";

export interface ProcessRow {
  readonly process: ProcessView;
  readonly depth: number;
}

/** Depth first, at most so many. */
export function processRows(roots: readonly ProcessView[], max = 10_000): readonly ProcessRow[] {
  const rows: ProcessRow[] = [];
  // Last in, first out: children before those that come after their parent.
  const open: ProcessRow[] = roots.map((process) => ({ process, depth: 0 })).toReversed();
  for (let next = open.pop(); next !== undefined && rows.length < max; next = open.pop()) {
    rows.push(next);
    const depth = next.depth + 1;
    for (const child of next.process.children.toReversed()) open.push({ process: child, depth });
  }
  return rows;
}

/** Processes that can be asked or told something, by their names. */
export function namedProcesses(rows: readonly ProcessRow[]): readonly string[] {
  const names = rows.map(({ process }) => process).filter(({ kind }) => kind !== "supervisor");
  return [...new Set(names.flatMap(({ name }) => (name === null ? [] : [name])))].sort();
}
