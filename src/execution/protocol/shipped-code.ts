// Code that travels with a run: how it is named in stacks, and how a script is run.

/** How a script is run. */
export interface ScriptCall {
  /** Names it in stacks. */
  readonly name: string;
  /** It ends only when no timer and no request of the sandbox's is left. */
  readonly waits: boolean;
}

/** How a shipped function is named in stacks; no module can have this name. */
export const shippedName = "#run";
/** What stands before a script's name, as no module's name can begin so. */
export const scriptMark = "#";
