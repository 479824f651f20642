// The result of compiling one module.
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import type { Linkage } from "./linkage.ts";
import type { Finding } from "../../model/code/finding.ts";
import type { CompileOwner } from "../compiler/compile-owner.ts";

/** A source that is run and not loaded. `kept`: its declarations last, for the scripts after it. */
export type ScriptForm = "script" | "kept";

/** As what a source is to be compiled that may be no module. `unless-exports`: as a script where it exports nothing. */
export type WantedForm = ScriptForm | "unless-exports";

/** A compiled module: everything that is needed to load it, locate its errors and recognize it. */
export interface Artifact {
  /** SHA-256 of the source. */
  readonly checksum: string;
  /** Whether it has a fuel counter. */
  readonly metered: boolean;
  readonly source: string;
  /** The module's body as a generator function, in the form that the guest's module table runs. */
  readonly code: string;
  /** Specifiers of static imports, in the order in which they are evaluated. */
  readonly imports: readonly string[];
  readonly dynamicImports: readonly string[];
  readonly exports: readonly string[];
  /** Left out for a module. */
  readonly script?: ScriptForm;
  /** Its imports and exports in detail. */
  readonly linkage: Linkage;
  /**
   * Source maps (JSON) from `code` back to `source`, to be applied one after the other. The compiler makes one, with marks
   * by which a position is found without reading it all; of a map without marks only the beginning is read.
   */
  readonly sourceMaps: readonly string[];
  /** What the scan found in it; a profile decides about these. */
  readonly findings: readonly Finding[];
  /** The gate's warnings when it was admitted. */
  readonly warnings: readonly Diagnostic[];
}

/** The result of compiling a source. */
export type Compilation =
  | { readonly ok: true; readonly artifact: Artifact }
  | {
      readonly ok: false;
      readonly phase: "parse" | "compile";
      readonly message: string;
      readonly diagnostics: readonly Diagnostic[];
    };

export interface CompileRequest {
  /** Names the module in diagnostics; its extension, if any, decides the language. */
  readonly name: string;
  readonly source: string;
  readonly compileMs: number;
  readonly sourceBytes: number;
  /** Whether to insert a fuel counter. */
  readonly isMetered: boolean;
  /** Left out for a module. */
  readonly script?: WantedForm;
  /** For whom it is compiled. */
  readonly owner: CompileOwner;
}
