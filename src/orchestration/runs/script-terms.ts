// How a script is run, as part of the terms of its run.
import type { Artifact } from "../../code/modules/artifact.ts";
import type { ScriptCall } from "../../execution/protocol/shipped-code.ts";

/** How a script is run, and which scripts stacks may show. */
export interface ScriptTerms extends ScriptCall {
  /** The script of a name, as far as it is still known. */
  readonly find: (name: string) => Artifact | undefined;
  /** It is one of a session, which keeps it under a name of its own. */
  readonly isKept: boolean;
}
