// What the guests of a simulation are written in: JSON that says how a module loads, and exports that all of them have.
import { checksumOf } from "../../src/code/compiler/compiler.ts";
import type { Artifact } from "../../src/code/modules/artifact.ts";

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

/** What a source compiles to; undefined where it is no program. A function that travels is one of its own kind. */
export function artifactOf(name: string, source: string, isMetered: boolean): Artifact | undefined {
  const program = name === "run" ? undefined : programOf(source);
  if (name !== "run" && program === undefined) return undefined;
  return {
    checksum: checksumOf(source),
    metered: isMetered,
    source,
    code: name === "run" ? "shipped" : source,
    imports: program?.isServer === true ? ["vivarium/guest"] : [],
    dynamicImports: [],
    exports: [...exportNames],
    linkage: { imports: [], locals: exportNames.map((one) => [one]), reexports: [], stars: [], body: "sync" },
    sourceMaps: [],
    findings: [],
    warnings: [],
  };
}
