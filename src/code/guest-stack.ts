// A guest's stack trace, told in the lines of the guest's own source.
import { SourceMap, type SourceMapPayload } from "node:module";
import type { Artifact } from "./artifact.ts";
import type { Position } from "./code-frame.ts";

const place = /vivarium:([^\s():]+):(\d+):(\d+)/g;
const ownFrame = /^\s*at .*\(?<isolated-vm|^\s*at .*<anonymous>:\d+:\d+\)?$/;
/** The wrapper's first line stands above the module's code. */
const wrapperLines = 1;

/** Rewrites every place in a stack; frames of the guest runtime itself are left out. */
export function mapStack(stack: string, artifactOf: (module: string) => Artifact | undefined): string {
  const mapped = stack.replaceAll(place, (...match: string[]) => {
    const [whole = "", name = "", line, column] = match;
    const artifact = artifactOf(name);
    const at =
      artifact === undefined
        ? undefined
        : originalPosition(artifact.sourceMaps, {
            line: Number(line) - wrapperLines,
            column: Number(column),
          });
    return at === undefined ? whole : `${name}:${at.line}:${at.column}`;
  });
  return mapped
    .split("\n")
    .filter((line) => !ownFrame.test(line))
    .join("\n");
}

/** The place that source maps, applied one after the other, lead back to. */
export function originalPosition(maps: readonly string[], place: Position): Position | undefined {
  let at = place;
  for (const map of maps) {
    const entry = findEntry(map, at);
    if (entry === undefined) return undefined;
    at = entry;
  }
  return at;
}

function findEntry(map: string, at: Position): Position | undefined {
  try {
    const entry = new SourceMap(JSON.parse(map) as SourceMapPayload).findEntry(at.line - 1, at.column - 1);
    if (!("originalLine" in entry) || entry.originalLine === undefined) return undefined;
    return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  } catch {
    return undefined;
  }
}
