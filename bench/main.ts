// `npm run bench`: measures this machine's figures beside those of its peers, in one run.
import { writeFileSync } from "node:fs";
import { fairness } from "./fairness/main.ts";
import { parseArgs } from "node:util";
import type { Result } from "./measure.ts";
import { closing, machine, machineLine, rowText } from "./report.ts";
import type { Row } from "./row.ts";
import { measureApart } from "./row-process.ts";
import { rows } from "./rows.ts";

const help = `Usage: npm run bench -- [WORD…] [--large] [--json FILE] [--list]
       npm run bench -- fairness [--help]

Words choose the rows whose name has one of them. Progress goes to stderr, results to stdout.
  --large       also the rows that take much memory and time
  --json FILE   write the results there as well
  --list        name the rows and end`;

const options = {
  large: { type: "boolean", default: false },
  json: { type: "string" },
  list: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "fairness") return fairness(args.slice(1));
  const read = readArguments(args);
  if (read === undefined) return 2;
  const { values, positionals: words } = read;
  const chosen = rows.filter(
    ({ name, isLarge = false }) =>
      (values.large || !isLarge) && (words.length === 0 || words.some((word) => name.includes(word))),
  );
  if (values.help) console.log(help);
  else if (values.list) for (const { name, about } of chosen) console.log(`${name}: ${about}`);
  else if (chosen.length > 0) return run(chosen, values.json);
  else return refuse(`Cannot choose rows as one must have a given word in its name: got ${words.join(", ")}`);
  return 0;
}

/** A missed target is no error; a row that could not be measured is one. */
async function run(chosen: readonly Row[], file: string | undefined): Promise<number> {
  const on = machine();
  console.log(machineLine(on));
  const results: Result[] = [];
  for (const [index, row] of chosen.entries()) {
    const place = `[${index + 1}/${chosen.length}] ${row.name}`;
    progress(`${place}: setting up`);
    try {
      const result = await measureApart(row, (round) => progress(`${place}: round ${round}/${row.rounds}`));
      progress("");
      results.push(result);
      console.log(`\n${rowText(result)}`);
    } catch (error) {
      progress("");
      console.log(`\n${row.name}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(`\n${closing(results)}`);
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ machine: on, results }, null, 2)}\n`);
  return results.length === chosen.length ? 0 : 1;
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    refuse(`Cannot read the options: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function refuse(message: string): number {
  console.error(`${message}\n\n${help}`);
  return 2;
}

// On a terminal one line that is rewritten; elsewhere nothing but the beginning of each row.
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${text}`);
  else if (text.endsWith("setting up")) process.stderr.write(`${text}\n`);
}
