// What compilation makes of one module's source.
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Finding } from "../../model/finding.ts";

/** A compiled module: everything that is needed to load it, find its errors and know it again. */
export interface Artifact {
  /** SHA-256 of the source: what makes it this code and no other. */
  readonly checksum: string;
  /** A fuel counter is woven into it. */
  readonly isMetered: boolean;
  readonly source: string;
  /** The module as a function expression, in the form that the guest's module table calls. */
  readonly code: string;
  /** Specifiers of static imports, in the order in which they are evaluated. */
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly exports: readonly string[];
  /** Source maps (JSON) from `code` back to `source`, to be applied one after the other. */
  readonly sourceMaps: readonly string[];
  /** What the scan saw in it; a profile decides what becomes of that. */
  readonly findings: readonly Finding[];
  /** What the gate had to say when it was admitted. */
  readonly warnings: readonly Diagnostic[];
}

/** What the compiler says of a source. */
export type Compilation =
  | { readonly ok: true; readonly artifact: Artifact }
  | {
      readonly ok: false;
      readonly phase: "parse" | "compile";
      readonly message: string;
      readonly diagnostics: readonly Diagnostic[];
    };

export interface CompileRequest {
  /** Names the module in diagnostics; its extension, when it has one, tells the language. */
  readonly name: string;
  readonly source: string;
  readonly compileMs: number;
  readonly sourceBytes: number;
  /** Whether to weave in a fuel counter. */
  readonly isMetered: boolean;
}
