// Stacks of guests, line by line, with the places in the guest's own source that they name.
import type { Thrown } from "../../../../src/index.ts";

/** A line of a stack; `place` where it names a module of the sandbox. */
export interface StackLine {
  readonly text: string;
  readonly place: Place | null;
}

export interface Place {
  readonly module: string;
  readonly line: number;
  readonly column: number;
}

/** So many lines are shown of one stack. */
const linesMax = 200;
const lineMax = 1_000;
// `at name (module:line:column)`, or `at module:line:column`.
const frame = /^\s*at (?:.*\(|async )?([^\s():]+(?:[^\s()]*[^\s():])?):(\d{1,9}):(\d{1,9})\)?$/;

export function stackLines(stack: string, isModule: (name: string) => boolean): readonly StackLine[] {
  const lines = stack.split("\n", linesMax + 1);
  const shown = lines.slice(0, linesMax).map((text) => ({ text, place: placeOf(text, isModule) }));
  return lines.length > linesMax ? [...shown, { text: "…", place: null }] : shown;
}

function placeOf(text: string, isModule: (name: string) => boolean): Place | null {
  // A line that long is no frame of an engine, and would be slow to match.
  const found = text.length > lineMax ? null : frame.exec(text);
  const module = found?.[1];
  if (module === undefined || !isModule(module)) return null;
  return { module, line: Number(found?.[2]), column: Number(found?.[3]) };
}

/** What was thrown and what it names as causes, outermost first; a bound, as guests make them. */
export function thrownChain(
  thrown: Thrown,
  max = 8,
): readonly { readonly how: string; readonly thrown: Thrown }[] {
  const chain: { how: string; thrown: Thrown }[] = [];
  const queue: { how: string; thrown: Thrown }[] = [{ how: "", thrown }];
  for (let next = queue.shift(); next !== undefined && chain.length < max; next = queue.shift()) {
    chain.push(next);
    const { cause, errors, error, suppressed } = next.thrown;
    if (cause !== undefined) queue.push({ how: "Caused by", thrown: cause });
    for (const one of errors ?? []) queue.push({ how: "One of its errors", thrown: one });
    if (error !== undefined) queue.push({ how: "The later error", thrown: error });
    if (suppressed !== undefined) queue.push({ how: "The earlier error", thrown: suppressed });
  }
  return chain;
}
