// A guest's stack trace, told in the lines of the guest's own source.
import type { Artifact } from "../modules/artifact.ts";
import { SourceMapIndex, type Place } from "./source-map.ts";

const place = /vivarium:([^\s():]+):(\d+):(\d+)/g;
const ownFrame = /^\s*at .*\(?<isolated-vm|^\s*at .*<anonymous>:\d+:\d+\)?$/;
/** The wrapper's first line stands above the module's code. */
const wrapperLines = 1;
/** A guest may write its stack itself: what goes on for longer stays as it is. */
const placesMax = 100;

/** Rewrites every place in a stack; frames of the guest runtime itself are left out. */
export function mapStack(stack: string, artifactOf: (module: string) => Artifact | undefined): string {
  const indexes = new Map<string, SourceMapIndex[]>();
  let places = 0;
  const mapped = stack.replaceAll(place, (...match: string[]) => {
    const [whole = "", name = "", line, column] = match;
    const artifact = ++places > placesMax ? undefined : artifactOf(name);
    if (artifact === undefined) return whole;
    const maps = indexes.get(name) ?? artifact.sourceMaps.map((map) => new SourceMapIndex(map));
    indexes.set(name, maps);
    const at = originalPlace(maps, { line: Number(line) - wrapperLines, column: Number(column) });
    return at === undefined ? whole : `${name}:${at.line}:${at.column}`;
  });
  return mapped
    .split("\n")
    .filter((line) => !ownFrame.test(line))
    .join("\n");
}

/** The place that source maps, applied one after the other, lead back to. */
export function originalPosition(maps: readonly string[], place: Place): Place | undefined {
  return originalPlace(
    maps.map((map) => new SourceMapIndex(map)),
    place,
  );
}

function originalPlace(maps: readonly SourceMapIndex[], generated: Place): Place | undefined {
  let at: Place | undefined = generated;
  for (const map of maps) at = at === undefined ? undefined : map.find(at);
  return at;
}
