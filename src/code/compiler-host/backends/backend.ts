// The interface of a compiler backend, which turns TypeScript or JSX into JavaScript.
import type { Diagnostic } from "../../../model/code/diagnostic.ts";
import { codeFrame, positionAt } from "../code-frame.ts";
import type { Position } from "../../stacks/source-map.ts";

export type BackendName = "rolldown" | "esbuild";

export const backendNames: readonly BackendName[] = ["rolldown", "esbuild"];

/** How many errors of a source are reported: each takes a pass through it. */
export const diagnosticsMax = 20;

/** What a backend supports; the conformance suite checks exactly that. */
export interface Supports {
  readonly typescript: boolean;
  /** Syntax that is more than types: enums, namespaces, parameter properties. */
  readonly typescriptRuntime: boolean;
  readonly jsx: boolean;
  readonly sourceMaps: boolean;
  /** More than one error per source. */
  readonly severalErrors: boolean;
}

/** With `x` angle brackets may be JSX; in `ts` they are types. */
export type Language = "ts" | "tsx" | "jsx";

export interface StripTask {
  /** Names the module in diagnostics. */
  readonly name: string;
  readonly source: string;
  readonly language: Language;
}

export type Stripped =
  | { readonly ok: true; readonly code: string; readonly map: string }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Runs in the compiler process only. */
export interface Backend {
  readonly name: BackendName;
  readonly supports: Supports;
  strip(task: StripTask): Promise<Stripped>;
}

type Named = Pick<StripTask, "name" | "source">;

/** An error at an offset into a source. */
export function errorAt(task: Named, offset: number, message: string): Diagnostic {
  return errorAtPosition(task, positionAt(task.source, offset), message);
}

/** An error at a line and column of a source. */
export function errorAtPosition({ name, source }: Named, at: Position, message: string): Diagnostic {
  const { line, column } = at;
  return { severity: "error", message, module: name, line, column, frame: codeFrame(source, at) };
}
