// Code that travels with a run: how it is named in stacks, and how a script is run.

/** How a script is run. */
export interface ScriptCall {
  /** Names it in stacks. */
  readonly name: string;
  /** It ends only when no timer and no request of the sandbox's is left. */
  readonly waits: boolean;
}

/** What stands before the name of code that travels, as no module's name can begin so. */
export const shippedMark = "#";
/** How functions are called in stacks. */
const functionName = "run";
const checksumLength = 16;

/** How code that travels is named in stacks: by its source too, unless it has a name of its own, as scripts of a session have. */
export function shippedNameOf(
  { checksum }: { readonly checksum: string },
  script?: { readonly name: string; readonly isKept: boolean },
): string {
  if (script?.isKept === true) return shippedMark + script.name;
  return `${shippedMark}${script?.name ?? functionName}.${checksum.slice(0, checksumLength)}`;
}
