// A session: scripts that follow each other in one sandbox and see what the earlier ones declared.
import type { LogLine } from "../../model/runs/log-line.ts";
import type { Outcome } from "../../model/runs/outcome.ts";
import type { CancelOptions } from "./cancel.ts";
import type { CallOptions, Sandbox } from "./sandbox.ts";
import type { SandboxSpec } from "./spec.ts";

/** The sandbox of a session. It needs no modules. */
export interface SessionSpec extends SandboxSpec {
  /** The id of its sandbox. Default: one that is made up. */
  readonly id?: string;
  /** Called with each console line as it comes. */
  readonly onOutput?: (line: LogLine) => void;
}

/** How a script of a session ended. */
export type ScriptOutcome<T = unknown> = Outcome<T> & {
  /** How stacks and diagnostics name it: `script-1` and so on. */
  readonly script: string;
  /** Its console lines in order, as many as `logBytes` allows. */
  readonly output: readonly LogLine[];
  /** The declarations of earlier scripts are lost, as the isolate had to be made anew since the last one. */
  readonly fresh: boolean;
};

export interface Session extends AsyncDisposable {
  /** The id of its sandbox. */
  readonly id: string;
  /** Its sandbox, as any other. It is not stored. */
  readonly sandbox: Sandbox;
  /**
   * Runs a script when those before it have ended. What it declares at its top level is there for the scripts after it; `args`
   * is a variable in it.
   */
  run<T = unknown>(source: string, options?: CallOptions): Promise<ScriptOutcome<T>>;
  /** Destroys its sandbox. Given up, that goes on. */
  close(options?: CancelOptions): Promise<void>;
}
