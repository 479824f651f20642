// Runs the shell blocks of a document in order, in one shell, and compares what each prints with what it shows.
import assert from "node:assert/strict";
import type { ShellBlock } from "../../tools/snippets.ts";
import { runProgram } from "./program.ts";

export interface ShellPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What each block printed. A command that fails ends the shell, and those after it have printed nothing. */
export async function runBlocks(
  blocks: readonly ShellBlock[],
  { cwd, env }: ShellPlace,
): Promise<readonly (readonly string[] | undefined)[]> {
  const mark = "--- the next block ---";
  const script = ["set -eu", ...blocks.map(({ code }) => `${code}\necho; echo '${mark}'`)].join("\n");
  const { stdout, stderr } = await runProgram("bash", ["-s"], {
    cwd,
    env: { ...process.env, ...env },
    stdin: script,
    timeoutMs: 120_000,
  });
  const parts = stdout.split(`${mark}\n`);
  // Behind the last mark is what a block printed that did not come to its end.
  const rest = parts.pop() ?? "";
  return blocks.map((_, index) => {
    const text = parts[index];
    if (text !== undefined) return linesOf(text);
    return index === parts.length ? [...linesOf(rest), `(it ended here) ${stderr.trim()}`] : undefined;
  });
}

/** That the lines are those which are shown, where … stands for anything. */
export function assertShown({ place, prints }: ShellBlock, lines: readonly string[] | undefined): void {
  assert.ok(lines !== undefined, `${place}: one of the blocks before it ended the shell`);
  const isShown =
    lines.length === prints.length && prints.every((form, index) => matches(form, lines[index] ?? ""));
  if (!isShown) assert.deepEqual(lines, prints, place);
}

// An answer of the server ends without a line break, and so do several on one line.
function linesOf(text: string): readonly string[] {
  return text
    .replaceAll("}{", "}\n{")
    .split("\n")
    .filter((line) => line !== "");
}

function matches(form: string, line: string): boolean {
  const parts = form.split("…").map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(line);
}
