// What specs, runs, streams and sessions look like on the wire.
import type { Failure, LogLine, OutcomeBase, Replay, SandboxSpec } from "../index.ts";
import type { Problem } from "./problem.ts";
import type { WireValue } from "./values.ts";

/** How long the server tries; what ends it sooner is that the caller closes the connection. */
export interface Deadline {
  readonly deadlineMs?: number;
}

export interface WireBounds {
  readonly timeoutMs?: number;
  readonly cpuMs?: number;
  readonly fuel?: number;
  readonly repeatable?: boolean;
}

/** Arguments: a list, or the codec's text of one where JSON does not say all of it. */
export interface WireArgs {
  readonly args?: readonly unknown[];
  readonly argsEncoded?: string;
}

/** Sources by the names of modules. */
export type WireModules = Readonly<Record<string, string>>;

/** A spec without what is a file or a function of the caller's. */
export interface WireSpec extends Omit<SandboxSpec, "modules" | "path" | "autoReload" | "signal"> {
  readonly modules?: WireModules;
}

export type WireSuccess = OutcomeBase & { readonly ok: true } & WireValue;
export type WireOutcome = WireSuccess | Failure;

/** A script, or the text of a function that is called as `fn(modules, ...args)`. */
export type WireCode = { readonly source: string } | { readonly function: string };

export interface WireOnce
  extends
    WireBounds,
    WireArgs,
    Pick<WireSpec, "limits" | "profile" | "placement" | "deterministic" | "capabilities"> {
  readonly source: string;
}

export type WireReplay = Omit<Replay, "outcome"> & { readonly outcome: WireOutcome };

export type OutputLine = { readonly type: "output"; readonly line: LogLine };
/** What goes wrong once a stream of lines has begun. */
export type ErrorLine = { readonly type: "error"; readonly error: Problem };

export type OnceAnswer = WireOutcome & { readonly output: readonly LogLine[] };
export type OnceLine = OutputLine | { readonly type: "outcome"; readonly outcome: OnceAnswer } | ErrorLine;

export interface WireStreamRequest extends Omit<WireBounds, "repeatable">, WireArgs, Deadline {
  readonly target: string;
  readonly idleMs?: number;
  readonly partsMax?: number;
  readonly bytesMax?: number;
}

/** `done`: the generator returned this value, and the stream is over. */
export interface WireParts {
  readonly parts: readonly WireValue[];
  readonly done: boolean;
  /** With `done`: what it returned. */
  readonly returned?: WireValue;
}

export type PartLine =
  | ({ readonly type: "part" } & WireValue)
  | ({ readonly type: "returned" } & WireValue)
  | ErrorLine;

export interface WireReload extends Deadline {
  /** New sources; null takes a module away. */
  readonly modules: Readonly<Record<string, string | null>>;
  readonly mutation?: unknown;
  readonly dryRun?: boolean;
}

export interface WireMessage extends WireBounds {
  readonly name: string;
  readonly message?: unknown;
  readonly messageEncoded?: string;
}

export interface WireSession extends WireSpec {
  readonly id?: string;
}

export type ScriptAnswer = WireOutcome & {
  readonly script: string;
  readonly output: readonly LogLine[];
  readonly fresh: boolean;
};
export type ScriptLine =
  | OutputLine
  | { readonly type: "outcome"; readonly outcome: ScriptAnswer }
  | ErrorLine;
