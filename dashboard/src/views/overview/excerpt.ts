// The first lines of a program, cut where it is long, with nothing hidden in them.
import { tellingModules } from "../../controls/code/modules.ts";
import { visible } from "../../text.ts";

export interface Excerpt {
  readonly module: string;
  readonly text: string;
  /** How many lines were left out. */
  readonly left: number;
}

const lineLengthMax = 160;
/** So much of a source is looked at: one of a megabyte costs no more than another. */
const lookedAtMax = 20_000;

/** Of the module that says most of it; null where there is none. */
export function excerptOf(
  sources: Readonly<Record<string, string>>,
  parentSources: Readonly<Record<string, string>> | null = null,
  linesMax = 14,
): Excerpt | null {
  const [first] = tellingModules(sources, parentSources);
  if (first === undefined) return null;
  const [module, source] = first;
  const lines = source.slice(0, lookedAtMax).trimEnd().split("\n");
  const shown = lines.slice(0, linesMax).map((line) => {
    const clean = visible(line.slice(0, lineLengthMax).replace(/\r$/, ""));
    return line.length > lineLengthMax ? `${clean}…` : clean;
  });
  const isCut = source.length > lookedAtMax;
  const total = isCut ? countLines(source) : lines.length;
  return { module, text: shown.join("\n"), left: Math.max(0, total - shown.length) };
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  // A line feed at the end begins no further line.
  return text.endsWith("\n") ? count - 1 : count;
}
