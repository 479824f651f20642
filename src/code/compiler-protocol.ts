// What the orchestrator and its compiler process say to each other; checked on arrival at the orchestrator, since the
// compiler has read a guest's source and may be under its spell.
import type { Diagnostic } from "../model/diagnostic.ts";

export interface CompilerTask {
  readonly id: number;
  readonly name: string;
  readonly source: string;
  /** Whether a fuel counter is woven in. */
  readonly isMetered: boolean;
}

/** A module as the compiler makes it; the orchestrator adds what it knows itself. */
export interface CompiledModule {
  readonly code: string;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly exports: readonly string[];
  readonly sourceMaps: readonly string[];
}

export type CompilerAnswer =
  | { readonly id: number; readonly ok: true; readonly module: CompiledModule }
  | { readonly id: number; readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export function asCompilerAnswer(message: unknown): CompilerAnswer | undefined {
  if (!isRecord(message) || !Number.isSafeInteger(message["id"])) return undefined;
  const isGood =
    message["ok"] === true
      ? isModule(message["module"])
      : message["ok"] === false && isList(message["diagnostics"], isDiagnostic);
  return isGood ? (message as unknown as CompilerAnswer) : undefined;
}

function isModule(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { code, imports, dynamicImports, exports, sourceMaps } = value;
  return isText(code) && [imports, dynamicImports, exports, sourceMaps].every((list) => isList(list, isText));
}

function isDiagnostic(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { severity, message, module, line, column, frame } = value;
  return (
    (severity === "error" || severity === "warning") &&
    [message, module, frame].every(isText) &&
    [line, column].every(Number.isSafeInteger)
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const isText = (value: unknown): boolean => typeof value === "string";
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);
