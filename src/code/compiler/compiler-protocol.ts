// The messages between the orchestrator and its compiler process. The orchestrator checks what arrives, as the compiler has
// parsed a guest's source and may be compromised by it.
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import type { ScriptForm, WantedForm } from "../modules/artifact.ts";
import { isLinkage, type Linkage } from "../modules/linkage.ts";
import { isFindingName, findingsMax, whatLengthMax, type Finding } from "../../model/code/finding.ts";

/** A module to compile. */
export interface CompilerTask {
  readonly t: "module";
  readonly id: number;
  readonly name: string;
  readonly source: string;
  /** Whether a fuel counter is inserted. */
  readonly isMetered: boolean;
  /** Left out for a module. */
  readonly script?: WantedForm;
}

/** A package to bundle, as seen from a folder. */
export interface BundleTask {
  readonly t: "package";
  readonly id: number;
  readonly specifier: string;
  readonly root: string;
}

/** Modules whose types are to be checked. */
export interface TypeTask {
  readonly t: "types";
  readonly id: number;
  readonly modules: Readonly<Record<string, string>>;
}

export type AnyTask = CompilerTask | BundleTask | TypeTask;

/** A task that was sent and is no longer wanted, unless it has begun. It is answered all the same, with a refusal. */
export interface Recall {
  readonly t: "recall";
  readonly id: number;
}

/** A module as the compiler process returns it. */
export interface CompiledModule {
  readonly code: string;
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly exports: readonly string[];
  /** Left out for a module. */
  readonly script?: ScriptForm;
  readonly linkage: Linkage;
  readonly sourceMaps: readonly string[];
  /** What the scan found in it. */
  readonly findings: readonly Finding[];
}

/** A package as the compiler process returns it. */
export interface BundledPackage {
  readonly source: string;
  /** The package and its version. */
  readonly from: string;
  /** The files that say whether it is still the same. */
  readonly files: readonly string[];
}

export type CompilerAnswer =
  | { readonly id: number; readonly ok: true; readonly module: CompiledModule }
  | ({ readonly id: number; readonly ok: true } & BundledPackage)
  | { readonly id: number; readonly ok: true; readonly findings: readonly Diagnostic[] }
  | { readonly id: number; readonly ok: false; readonly diagnostics: readonly Diagnostic[] }
  | { readonly id: number; readonly ok: false; readonly refusal: string };

export function isCompilerAnswer(message: unknown): message is CompilerAnswer {
  if (!isRecord(message) || !Number.isSafeInteger(message["id"])) return false;
  const { ok, module, findings, diagnostics, refusal } = message;
  return ok === true
    ? isModule(module) || isBundle(message) || isList(findings, isDiagnostic)
    : ok === false && (isList(diagnostics, isDiagnostic) || isText(refusal));
}

// The origin becomes a comment in the package's own source: it must be one line.
function isBundle({ source, from, files }: Record<string, unknown>): boolean {
  return isText(source) && typeof from === "string" && /^[ -~]{1,400}$/.test(from) && isList(files, isText);
}

/** All maps of a module are joined into one. */
const sourceMapsMax = 1;

function isModule(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { code, imports, dynamicImports, exports, linkage, sourceMaps, findings } = value;
  if (!isList(sourceMaps, isText) || (sourceMaps as unknown[]).length > sourceMapsMax) return false;
  if (!isScriptForm(value["script"])) return false;
  const areTexts = [imports, dynamicImports, exports].every((list) => isList(list, isText));
  return isText(code) && areTexts && isLinkage(linkage) && isFindings(findings);
}

const isScriptForm = (value: unknown): boolean =>
  value === undefined || value === "script" || value === "kept";

/** Whether a value is a list of findings. */
export function isFindings(value: unknown): value is readonly Finding[] {
  return isList(value, isFinding) && (value as unknown[]).length <= findingsMax;
}

function isFinding(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { rule, what, line, column, count } = value;
  const isShort = typeof what === "string" && what.length <= whatLengthMax;
  return isFindingName(rule) && isShort && [line, column, count].every(Number.isSafeInteger);
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

/** How many times as long as its source the output may be, and what a small one may be in any case. */
const outputFactor = 32;
const outputBytesMin = 2 ** 20;

/** How long the output of a source may be. */
export function outputBytesMaxFor(sourceLength: number): number {
  return Math.max(outputBytesMin, sourceLength * outputFactor);
}

/** How long the answer to a source may be: its output, quoted, and the rest of the message. */
export function frameBytesMaxFor(sourceLength: number): number {
  return 2 * outputBytesMaxFor(sourceLength) + 2 ** 20;
}
