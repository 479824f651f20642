// A unified diff as lines for a person.
import { bold, cyan, green, red, type Line } from "../display/lines.ts";

/** Nothing for no difference. */
export function diffLines(diff: string): readonly Line[] {
  if (diff === "") return [];
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => [paintedBy(line)]);
}

function paintedBy(line: string): Line[number] {
  if (line.startsWith("+++") || line.startsWith("---")) return bold(line);
  if (line.startsWith("@@")) return cyan(line);
  if (line.startsWith("+")) return green(line);
  return line.startsWith("-") ? red(line) : line;
}
