// Maps a guest's stack trace to the lines of the guest's own source.
import type { Artifact } from "../modules/artifact.ts";
import { SourceMapIndex, type Position } from "./source-map.ts";

const place = /vivarium:([^\s():]+):(\d+):(\d+)/g;
// Frames of the guest runtime, of the engine where the runtime resumes a module, and of the line above a module's code.
const ownFrame =
  /^\s*at .*\(?<isolated-vm|^\s*at .*<anonymous>:\d+:\d+\)?$|^\s*at (?:Async)?Generator\.(?:next|throw) \(<anonymous>\)$|^\s*at .*vivarium:[^\s():]+:0:\d+\)?$/;
/** A guest may set its stack to any text: positions beyond this number are not mapped. */
const placesMax = 100;

/** Maps every position in a stack; frames of the guest runtime itself are removed. */
export function mapStack(stack: string, artifactOf: (module: string) => Artifact | undefined): string {
  const indexes = new Map<string, SourceMapIndex[]>();
  let places = 0;
  const mapped = stack.replaceAll(place, (...match: string[]) => {
    const [whole = "", name = "", line, column] = match;
    const artifact = ++places > placesMax ? undefined : artifactOf(name);
    if (artifact === undefined) return whole;
    const maps = indexes.get(name) ?? artifact.sourceMaps.map((map) => new SourceMapIndex(map));
    indexes.set(name, maps);
    const at = originalPlace(maps, { line: Number(line), column: Number(column) });
    return at === undefined ? whole : `${name}:${at.line}:${at.column}`;
  });
  return mapped
    .split("\n")
    .filter((line) => !ownFrame.test(line))
    .join("\n");
}

/** The original position, after all source maps were applied one after the other. */
export function originalPosition(maps: readonly string[], place: Position): Position | undefined {
  return originalPlace(
    maps.map((map) => new SourceMapIndex(map)),
    place,
  );
}

function originalPlace(maps: readonly SourceMapIndex[], generated: Position): Position | undefined {
  let at: Position | undefined = generated;
  for (const map of maps) at = at === undefined ? undefined : map.find(at);
  return at;
}
