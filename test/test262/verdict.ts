// How one test ended, and whether that is what its header asks for.
import type { Case } from "./case.ts";
import type { Phase } from "./frontmatter.ts";

/** How the evaluation of a test's module ended. */
export type Ending =
  | { readonly kind: "done"; /** What an async test reported. */ readonly report?: string | undefined }
  | {
      readonly kind: "failed";
      readonly phase: Phase;
      /** The name of the error. */
      readonly type: string;
      readonly message: string;
    };

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** What an async test prints when it passed. */
const complete = "Test262:AsyncTestComplete";

export function judge({ negative, isAsync }: Pick<Case, "negative" | "isAsync">, ending: Ending): Verdict {
  if (ending.kind === "failed") {
    const found = `${ending.phase}: ${ending.type}: ${ending.message}`;
    if (negative === undefined) return { ok: false, why: found };
    // An error of an imported file is found while that is parsed; either is before anything was evaluated.
    const isInTime = (negative.phase === "runtime") === (ending.phase === "runtime");
    return isInTime && ending.type === negative.type
      ? { ok: true }
      : { ok: false, why: `expected ${negative.phase}: ${negative.type}, got ${found}` };
  }
  if (negative !== undefined)
    return { ok: false, why: `expected ${negative.phase}: ${negative.type}, got no error` };
  if (!isAsync || ending.report === complete) return { ok: true };
  return { ok: false, why: ending.report ?? "the async test did not end" };
}
