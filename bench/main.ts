// `npm run bench`: measures this machine's figures beside those of its peers, in one run.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareWith } from "./compare/main.ts";
import { dashboard } from "./dashboard/main.ts";
import { fairness } from "./fairness/main.ts";
import { http } from "./http/main.ts";
import { choose, help, readArguments, type Arguments } from "./arguments.ts";
import type { Result } from "./measure.ts";
import { figureFiles } from "./plot/figures.ts";
import { closing, machine, machineLine, rowText } from "./report.ts";
import type { Row } from "./row.ts";
import { measureApart } from "./row-process.ts";
import { rows } from "./rows.ts";

const interruptedCode = 130;
/** How often each of two builds is measured. */
const defaultPairs = 3;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "fairness") return fairness(args.slice(1));
  if (args[0] === "dashboard") return dashboard(args.slice(1));
  if (args[0] === "http") return http(args.slice(1));
  const read = readArguments(args);
  if (typeof read === "string") return refuse(read);
  const chosen = choose(rows, read);
  if (read.help) console.log(help);
  else if (read.list) for (const { name, about } of chosen) console.log(`${name}: ${about}`);
  else if (chosen.length > 0) return interruptible((signal) => run(chosen, read, signal));
  else
    return refuse(
      `Cannot choose rows as one must have a given word in its name: got ${read.words.join(", ")}`,
    );
  return 0;
}

/** On Ctrl-C what is under way ends, and leaves nothing behind. */
async function interruptible(act: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interruption = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => interruption.abort());
  try {
    return await act(interruption.signal);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    return interruptedCode;
  }
}

async function run(chosen: readonly Row[], options: Arguments, signal: AbortSignal): Promise<number> {
  const on = machine();
  console.log(machineLine(on));
  const { compare, repeat, rounds: roundsMax, json } = options;
  if (compare !== undefined) {
    const pairs = repeat ?? defaultPairs;
    const compared = await compareWith({ commit: compare, rows: chosen, pairs, roundsMax, signal, progress });
    if (json !== undefined) write(json, { machine: on, compared });
    return compared.every(({ comparisons }) => comparisons.length > 0) ? 0 : 1;
  }
  const results: Result[] = [];
  for (let time = 0; time < (repeat ?? 1); time++) {
    if (repeat !== undefined) console.log(`\n=== run ${time + 1} of ${repeat}`);
    results.push(...(await measureAll(chosen, { roundsMax, signal })));
  }
  if (options.plot !== undefined) plot(results, options.plot);
  if (json !== undefined) write(json, { machine: on, results });
  return results.length === chosen.length * (repeat ?? 1) ? 0 : 1;
}

interface Terms {
  readonly roundsMax: number | undefined;
  readonly signal: AbortSignal;
}

/** A missed target is no error; a row that could not be measured is one. */
async function measureAll(chosen: readonly Row[], { roundsMax, signal }: Terms): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, row] of chosen.entries()) {
    const place = `[${index + 1}/${chosen.length}] ${row.name}`;
    const rounds = Math.min(row.rounds, roundsMax ?? row.rounds);
    progress(`${place}: setting up`);
    try {
      const onRound = (round: number): void => progress(`${place}: round ${round}/${rounds}`);
      const result = await measureApart(row, { onRound, roundsMax: rounds, signal });
      progress("");
      results.push(result);
      console.log(`\n${rowText(result)}`);
    } catch (error) {
      progress("");
      signal.throwIfAborted();
      console.log(`\n${row.name}: FAILED: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(`\n${closing(results)}`);
  return results;
}

function plot(results: readonly Result[], folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of figureFiles(results)) {
    writeFileSync(join(folder, name), text);
    console.log(`wrote ${join(folder, name)}`);
  }
}

function write(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
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
