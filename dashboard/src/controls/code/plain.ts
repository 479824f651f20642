// Code and differences as plain lines, where there is no editor for them: bounded, so that a text of any size can be shown.
import { unifiedDiff } from "../../../../src/std/unified-diff.ts";
import { visible } from "../../text.ts";

/** Above this an editor would be slow: plain text is shown instead. */
const editorLengthMax = 200_000;
const editorLineMax = 10_000;
/** What is shown of a text before somebody asks for all of it. */
const cutLines = 2_000;
const cutLine = 1_000;
const sliceMs = 8;

export function fitsEditor(text: string): boolean {
  if (text.length > editorLengthMax) return false;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    if (end - start > editorLineMax) return false;
    start = end + 1;
  }
  return true;
}

export interface PlainText {
  readonly lines: readonly string[];
  /** Whether anything was left out. */
  readonly isCut: boolean;
}

/** The lines of a text with nothing hidden in them. */
export function plainText(text: string, isWhole: boolean): PlainText {
  const all = text.split("\n");
  if (all.length > 1 && all.at(-1) === "") all.pop();
  const kept = isWhole ? all : all.slice(0, cutLines);
  let isCut = kept.length < all.length;
  const lines = kept.map((line) => {
    if (isWhole || line.length <= cutLine) return visible(line);
    isCut = true;
    return `${visible(line.slice(0, cutLine))}…`;
  });
  return { lines, isCut };
}

export type DiffLine =
  | {
      readonly kind: "same" | "added" | "removed";
      readonly before: number | null;
      readonly after: number | null;
      readonly text: string;
    }
  | { readonly kind: "gap"; readonly text: string };

export interface TextDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

/** The difference of two texts, made in slices between which the page can do other things. Null where it is not wanted any more. */
export async function diffTexts(
  before: string,
  after: string,
  signal: AbortSignal,
): Promise<TextDiff | null> {
  const work = unifiedDiff(before, after, { name: "code", old: "", new: "" });
  for (;;) {
    const startedMs = performance.now();
    let step = work.next();
    while (step.done !== true && performance.now() - startedMs < sliceMs) step = work.next();
    if (step.done === true) return linesOf(step.value);
    await new Promise((go) => setTimeout(go));
    if (signal.aborted) return null;
  }
}

function linesOf(diff: string): TextDiff {
  const lines: DiffLine[] = [];
  let [before, after, added, removed] = [0, 0, 0, 0];
  const [, , , , ...body] = diff.split("\n");
  body.pop();
  for (const line of body) {
    const text = line.slice(1);
    if (line.startsWith("@@")) {
      const [, old = "0", now = "0"] = /^@@ -(\d+),\d+ \+(\d+),/.exec(line) ?? [];
      const isFirst = lines.length === 0;
      [before, after] = [Math.max(1, Number(old)), Math.max(1, Number(now))];
      if (!isFirst || after > 1)
        lines.push({ kind: "gap", text: isFirst ? `From line ${after}` : `Then from line ${after}` });
    } else if (line.startsWith("+")) {
      added++;
      lines.push({ kind: "added", before: null, after: after++, text });
    } else if (line.startsWith("-")) {
      removed++;
      lines.push({ kind: "removed", before: before++, after: null, text });
    } else if (line.startsWith("\\")) lines.push({ kind: "gap", text: "No line feed at the end" });
    else lines.push({ kind: "same", before: before++, after: after++, text });
  }
  return { lines, added, removed };
}

const linesText = (count: number): string => `${count} ${count === 1 ? "line" : "lines"}`;

export function summaryOf({ added, removed }: Pick<TextDiff, "added" | "removed">): string {
  return `${linesText(added)} added, ${removed} removed`;
}

export type Modules = Readonly<Record<string, string>>;

export interface ModuleChange {
  readonly name: string;
  /** Null where there is no module of that name. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Modules that differ, and the names of those that do not. */
export function changesOf(
  before: Modules,
  after: Modules,
): { readonly changed: readonly ModuleChange[]; readonly same: readonly string[] } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const at = (modules: Modules, name: string): string | null =>
    Object.hasOwn(modules, name) ? (modules[name] ?? "") : null;
  const all = names.map((name) => ({ name, before: at(before, name), after: at(after, name) }));
  return {
    changed: all.filter((module) => module.before !== module.after),
    same: all.filter((module) => module.before === module.after).map(({ name }) => name),
  };
}
