// What the guests of a simulation are written in: JSON that says how a module loads, and exports that all of them have.
import { checksumOf } from "../../src/code/compiler/compiler.ts";
import type { Artifact, CompileRequest, WantedForm } from "../../src/code/modules/artifact.ts";

/** How the top level of a module goes. */
export type Loading =
  | { readonly kind: "quick" }
  /** It waits for a timer. */
  | { readonly kind: "slow"; readonly ms: number }
  /** It computes. */
  | { readonly kind: "spin"; readonly ms: number }
  | { readonly kind: "throw" }
  | { readonly kind: "never" }
  | { readonly kind: "memory" }
  /** It cannot be interrupted, and takes the cell with it. */
  | { readonly kind: "crash" };

export interface Program {
  /** Tells this code from any other. */
  readonly tag: string;
  /** The sandbox it was written for. */
  readonly who: string;
  readonly loading: Loading;
  /** It has a server named `counter`. */
  readonly isServer: boolean;
  /** It sets a timer that fires again and again. */
  readonly ticks: boolean;
  /** Its new code cannot take the state of the old. */
  readonly refusesState: boolean;
}

export const exportNames = [
  "default",
  "echo",
  "count",
  "ask",
  "wait",
  "spin",
  "hang",
  "never",
  "fail",
  "eat",
  "crash",
  "log",
  "score",
  "parts",
] as const;

export type ExportName = (typeof exportNames)[number];

export function sourceOf(program: Program): string {
  return JSON.stringify(program);
}

/** What is no program. */
export const brokenSource = "this is no program";

export function programOf(source: string): Program | undefined {
  try {
    return JSON.parse(source) as Program;
  } catch {
    return undefined;
  }
}

/** A script: what it does as an export would, and how many lines it writes before and after. */
export interface ScriptProgram {
  readonly kind: "script";
  readonly token: string;
  readonly does: ExportName;
  readonly ms: number;
}

export function scriptOf(source: string): ScriptProgram | undefined {
  const program = programOf(source) as Program | ScriptProgram | undefined;
  return program !== undefined && "kind" in program ? program : undefined;
}

/** The module of a sandbox that was made for scripts. */
const emptyProgram: Program = {
  tag: "empty",
  who: "",
  loading: { kind: "quick" },
  isServer: false,
  ticks: false,
  refusesState: false,
};

/** What a source compiles to; undefined where it is no program. A function that travels is one of its own kind. */
export function artifactOf(
  { name, source, isMetered }: Pick<CompileRequest, "name" | "source" | "isMetered">,
  wanted: WantedForm | undefined,
): Artifact | undefined {
  const code = source === "" ? sourceOf(emptyProgram) : source;
  const program = name === "run" ? undefined : programOf(code);
  if (name !== "run" && program === undefined) return undefined;
  const isScript = wanted !== undefined && scriptOf(source) !== undefined;
  if (!isScript && wanted !== undefined && wanted !== "unless-exports") return undefined;
  return {
    ...(isScript ? { script: wanted === "kept" ? ("kept" as const) : ("script" as const) } : {}),
    checksum: checksumOf(source),
    metered: isMetered,
    source,
    code: name === "run" ? "shipped" : code,
    imports: program?.isServer === true ? ["vivarium/guest"] : [],
    dynamicImports: [],
    exports: [...exportNames],
    linkage: { imports: [], locals: exportNames.map((one) => [one]), reexports: [], stars: [], body: "sync" },
    sourceMaps: [],
    findings: [],
    warnings: [],
  };
}
