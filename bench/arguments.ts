// What `npm run bench` is asked for on its command line.
import { parseArgs } from "node:util";
import type { Row } from "./row.ts";

export const help = `Usage: npm run bench -- [WORD…] [--large] [--scale] [--rounds N] [--repeat N] [--json FILE] [--list]
       npm run bench -- [WORD…] --compare COMMIT [--rounds N] [--repeat N] [--json FILE]
       npm run bench -- [WORD…] --plot FOLDER
       npm run bench -- fairness [--help]
       npm run bench -- http [--help]
       npm run bench -- dashboard [--help]

Words choose the rows whose name has one of them. Progress goes to stderr, results to stdout.
  --large           also the rows that take much memory and time
  --scale           the rows of how things grow, in the place of the others
  --plot FOLDER     the same, drawn there as SVG
  --rounds N        at most so many rounds of each row
  --repeat N        everything so often; with --compare, so many measurements of each build (3)
  --compare COMMIT  the build of another commit, measured in turn with this one by the same rows
  --json FILE       write the results there as well
  --list            name the rows and end`;

const options = {
  large: { type: "boolean", default: false },
  scale: { type: "boolean", default: false },
  plot: { type: "string" },
  rounds: { type: "string" },
  repeat: { type: "string" },
  compare: { type: "string" },
  json: { type: "string" },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const countMax = 1_000;

export interface Arguments {
  readonly words: readonly string[];
  readonly large: boolean;
  readonly scale: boolean;
  readonly plot: string | undefined;
  readonly rounds: number | undefined;
  readonly repeat: number | undefined;
  readonly compare: string | undefined;
  readonly json: string | undefined;
  readonly list: boolean;
  readonly help: boolean;
}

/** What was asked for, or why it cannot be read. */
export function readArguments(args: readonly string[]): Arguments | string {
  try {
    const { values, positionals: words } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { large, scale, plot, compare, json, list } = values;
    if (compare !== undefined && plot !== undefined)
      return `Cannot draw figures as --compare measures something else: got --plot ${plot}`;
    const rounds = readCount("rounds", values.rounds);
    const repeat = readCount("repeat", values.repeat);
    return {
      words,
      large,
      scale: scale || plot !== undefined,
      plot,
      rounds,
      repeat,
      compare,
      json,
      list,
      help: values.help,
    };
  } catch (error) {
    return `Cannot read the options: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The rows that were asked for. Those of how things grow are measured alone, as they take much memory and time. */
export function choose(rows: readonly Row[], { words, large, scale }: Arguments): readonly Row[] {
  return rows.filter(
    (row) =>
      scale === (row.scale !== undefined) &&
      (large || row.isLarge !== true) &&
      (words.length === 0 || words.some((word) => row.name.includes(word))),
  );
}

function readCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= countMax) return count;
  throw new RangeError(`--${name} must be a whole number from 1 to ${countMax}: got ${text}`);
}
