// Code that came with earlier runs of a sandbox: its timers and functions live on, and stacks name them when its run is over.
import type { Artifact } from "../../code/modules/artifact.ts";
import { scriptMark, shippedName } from "../../execution/protocol/shipped-code.ts";
import type { ScriptTerms } from "./script-terms.ts";

/** What travelled with a run. */
export interface ShippedTerms {
  readonly shipped?: Artifact | undefined;
  readonly script?: ScriptTerms | undefined;
}

interface KnownCode {
  /** Functions and scripts that share a name in stacks; null where there was more than one, as nothing tells them apart. */
  readonly unnumbered: Map<string, Artifact | null>;
  /** Finds the scripts of a session, whose names are their own. */
  find: ScriptTerms["find"];
}

const known = new WeakMap<object, KnownCode>();
const none = (): undefined => undefined;

/** Notes the code of a run that begins in a sandbox. */
export function noteShipped(sandbox: object, { shipped, script }: ShippedTerms): void {
  if (shipped === undefined) return;
  const code = known.get(sandbox) ?? { unnumbered: new Map<string, Artifact | null>(), find: none };
  known.set(sandbox, code);
  if (script?.isKept === true) {
    code.find = script.find;
    return;
  }
  const name = script === undefined ? shippedName : scriptMark + script.name;
  const former = code.unnumbered.get(name);
  code.unnumbered.set(name, former === undefined || former === shipped ? shipped : null);
}

/** The code of an earlier run that stacks call so, where it is known for sure. */
export function shippedBefore(sandbox: object, name: string): Artifact | undefined {
  const code = known.get(sandbox);
  return code?.unnumbered.get(name) ?? code?.find(name.slice(scriptMark.length));
}
