// Code that came with earlier runs of a sandbox: its timers and functions live on, and stacks name them when its run is over.
import type { Artifact } from "../../code/modules/artifact.ts";
import { shippedMark, shippedNameOf } from "../../execution/protocol/shipped-code.ts";
import { Lru } from "../../std/lru.ts";
import type { ScriptTerms } from "./script-terms.ts";

/** What travelled with a run. */
export interface ShippedTerms {
  readonly shipped?: Artifact | undefined;
  readonly script?: ScriptTerms | undefined;
}

/** What places in compiled code are found with. */
export type Mapped = Pick<Artifact, "sourceMaps">;

interface KnownCode {
  /** Functions and scripts by their names in stacks, the latest as far as they have so many letters. */
  readonly maps: Lru<Mapped>;
  /** Finds the scripts of a session, which keeps them itself. */
  find: ScriptTerms["find"];
}

/** How many letters the maps of one sandbox may have. The code that is running is found without them. */
const keptLengthMax = 2 ** 18;
/** What one takes beside its map, in letters. */
const entryLength = 100;

const known = new WeakMap<object, KnownCode>();
const none = (): undefined => undefined;

/** Notes the code of a run that begins in a sandbox. */
export function noteShipped(sandbox: object, { shipped, script }: ShippedTerms): void {
  if (shipped === undefined) return;
  const code = known.get(sandbox) ?? { maps: new Lru<Mapped>(keptLengthMax), find: none };
  known.set(sandbox, code);
  if (script?.isKept === true) {
    code.find = script.find;
    return;
  }
  const { sourceMaps } = shipped;
  const length = sourceMaps.reduce((sum, map) => sum + map.length, entryLength);
  code.maps.set(shippedNameOf(shipped, script), { sourceMaps }, length);
}

/** The code of an earlier run that stacks call so, where it is still known. */
export function shippedBefore(sandbox: object, name: string): Mapped | undefined {
  const code = known.get(sandbox);
  return code?.maps.get(name) ?? code?.find(name.slice(shippedMark.length));
}
