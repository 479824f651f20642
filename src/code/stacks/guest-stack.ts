// Maps a guest's stack trace to the lines of the guest's own source.
import type { Artifact } from "../modules/artifact.ts";
import { PositionMap } from "./position-map.ts";
import type { Position } from "./source-map.ts";

const place = /vivarium:([^\s():]+):(\d+):(\d+)/g;
// Frames of the guest runtime, of the engine where the runtime resumes a module, and of the line above a module's code.
const ownFrame =
  /^\s*at .*\(?<isolated-vm|^\s*at .*<anonymous>:\d+:\d+\)?$|^\s*at (?:Async)?Generator\.(?:next|throw) \(<anonymous>\)$|^\s*at .*vivarium:[^\s():]+:0:\d+\)?$/;
// The mark before a script's name, which says that it is no module, and what tells code of one name apart.
const scriptMark = /^#(?=script)/;
const checksumEnd = /^(#.*)\.[0-9a-f]{16}$/;
/** A guest may set a stack to any text: positions beyond this number are not mapped, in one stack and in all of one value. */
const placesMax = { inOne: 100, inAll: 1_000 } as const;

/** Maps every position in a stack; frames of the guest runtime itself are removed. */
export function mapStack(stack: string, artifactOf: ArtifactOf): string {
  return new StackMapper(artifactOf).map(stack);
}

/** Gives the compiled module of a name. */
type ArtifactOf = (module: string) => Pick<Artifact, "sourceMaps"> | undefined;

/** Maps the stacks that come together, as those of an error and its causes. */
export class StackMapper {
  readonly #artifactOf: ArtifactOf;
  readonly #maps = new Map<string, PositionMap[]>();
  #left: number = placesMax.inAll;

  constructor(artifactOf: ArtifactOf) {
    this.#artifactOf = artifactOf;
  }

  map(stack: string): string {
    return this.mapPlaces(stack)
      .split("\n")
      .filter((line) => !ownFrame.test(line))
      .join("\n");
  }

  /** Maps the positions alone, in a text that may have lines of any form. */
  mapPlaces(text: string): string {
    let places = 0;
    return text.replaceAll(place, (...match: string[]) => {
      const [whole = "", name = "", line, column] = match;
      const isBeyond = ++places > placesMax.inOne || --this.#left < 0;
      const artifact = isBeyond ? undefined : this.#artifactOf(name);
      if (artifact === undefined) return whole;
      const maps = this.#maps.get(name) ?? artifact.sourceMaps.map((map) => new PositionMap(map));
      this.#maps.set(name, maps);
      const at = originalPlace(maps, { line: Number(line), column: Number(column) });
      return at === undefined ? whole : `${shownName(name)}:${at.line}:${at.column}`;
    });
  }
}

const shownName = (name: string): string => name.replace(checksumEnd, "$1").replace(scriptMark, "");

/** The original position, after all source maps were applied one after the other. */
function originalPlace(maps: readonly PositionMap[], generated: Position): Position | undefined {
  let at: Position | undefined = generated;
  for (const map of maps) at = at === undefined ? undefined : map.find(at);
  return at;
}
