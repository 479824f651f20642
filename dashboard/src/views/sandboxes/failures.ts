// Why something could not be done, in words for the page, with what the compiler said of it.
import type { Diagnostic } from "../../../../src/index.ts";
import { oneLine } from "../../text.ts";

interface Coded {
  readonly code?: string;
  readonly diagnostics?: readonly Diagnostic[];
}

function codeOf(error: unknown): string | null {
  return (error as Coded | null)?.code ?? null;
}

export function diagnosticsOf(error: unknown): readonly Diagnostic[] {
  return (error as Coded | null)?.diagnostics ?? [];
}

/** A sentence; what is lost or gone is said in the words of somebody who looks at a page. */
export function failureText(error: unknown): string {
  const message = oneLine(error instanceof Error ? error.message : String(error), 600);
  const code = codeOf(error);
  if (code === "SANDBOX_NOT_FOUND") return `${message}: it is gone by now.`;
  if (code === "CONNECTION_FAILED") return `${message} Whether it was done is not known.`;
  return message;
}

/** Whether the sandbox is not there any more. */
export function isGone(error: unknown): boolean {
  return codeOf(error) === "SANDBOX_NOT_FOUND";
}

/** Whether what failed was given up by whoever asked for it. */
export function isGivenUp(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error as { readonly name?: string } | null)?.name === "AbortError";
}
