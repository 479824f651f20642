// `vivarium eval`: evaluates programs by a task of the user's, for engines that start an evaluator per candidate or per
// generation.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { systemClock } from "../../std/clock.ts";
import { addOption, text, word } from "../command/options.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { Progress } from "../display/progress.ts";
import { ownStreams } from "../display/streams.ts";
import { exitCodes } from "../exit-codes.ts";
import { evaluate } from "./evaluate.ts";
import type { EvaluationReport } from "./feedback.ts";
import { asLine, formats, type FormatName } from "./formats.ts";
import { write, writeLines } from "./output.ts";
import { readPrograms, type Program } from "./programs.ts";
import { readTask } from "./task.ts";

const formatWord = word(Object.keys(formats));

export const command: CommandFile = {
  usage: "PROGRAM… --task TASK [options]",
  description: "Evaluates programs, each in a sandbox of its own, and prints the results as JSON.",
  place: "none",
  declare: (parser) => {
    parser.argument(
      "[PROGRAM...]",
      "a TypeScript or JavaScript file, or - for stdin; not trusted: it runs only in a sandbox",
    );
    addOption(
      parser,
      [
        "--task <FILE>",
        "a module of your own that runs here and exports fitness (a function, tests, a scorer or stages) and, if wanted, module, modules, limits and options",
      ],
      text(),
    );
    // The formats are told apart below the options, one on each line.
    addOption(parser, ["--format <NAME>", "the form of the results, see below (default: json)"], formatWord);
    addOption(parser, [
      "--lines",
      "one line of JSON for each program, beginning with its name; always so where there are several",
    ]);
    addOption(
      parser,
      ["--output <PATH>", "write there instead of to stdout: a file, or for shinka a folder"],
      text(),
    );
    addOption(parser, ["--json", "errors as JSON too: results are JSON anyway"]);
  },
  examples: [
    "eval candidate.ts --task task.ts",
    "eval - --task task.ts --format openevolve < candidate.ts",
    "eval generation/*.ts --task task.ts --output scores.jsonl",
    "eval candidate.ts --task task.ts --format shinka --output results",
  ],
  notes: `Formats:
  json          the whole result
  openevolve    metrics with combined_score, and artifacts
  shinka        metrics.json and correct.json
  alphaevolve   scores, or a score of null, and insights

Several programs are evaluated side by side; their lines are in the order of the command line.
A program that fails is a result, not an error: it has no score, and the result says why.`,
  exits:
    "0 all were evaluated, whatever came of it; 1 they could not be; 2 a mistake in the command line or the task; 130 ended by Ctrl-C",
  run: runEval,
};

async function runEval({ given, signal }: CommandContext): Promise<number> {
  const { args } = given;
  const taskPath = given.text("task");
  if (args.length === 0 || taskPath === undefined) {
    const rule = "there must be a program and one --task";
    throw new InvalidOptionsError(`Cannot evaluate as ${rule}: got ${show(args.join(" "))}`, "program");
  }
  // The rule of the option gives no other word.
  const format = (given.text("format") ?? "json") as FormatName;
  const output = given.text("output");
  const isLines = given.flag("lines") || args.length > 1;
  if (isLines && format === "shinka" && output !== undefined) {
    const rule =
      "its two files are those of one program: leave --output out, or give one program without --lines";
    throw new InvalidOptionsError(`Cannot write shinka's files as ${rule}`, "output");
  }
  const task = await readTask(taskPath);
  const programs = await readPrograms(args);
  const total = programs.length;
  using progress = new Progress({ stream: ownStreams.stderr, clock: systemClock, what: "programs", total });
  const reports = watched(evaluate(programs, task, signal), progress);
  if (isLines) await writeLines(lines(programs, reports, format), output);
  else for await (const report of reports) write(formats[format](report), output);
  return exitCodes.done;
}

/** The same reports, told to the progress; what is written to the same terminal stands in no line of it. */
async function* watched(
  reports: AsyncIterable<EvaluationReport>,
  progress: Progress,
): AsyncGenerator<EvaluationReport> {
  let done = 0;
  progress.update(done);
  for await (const report of reports) {
    progress.hide();
    yield report;
    progress.update(++done);
  }
}

async function* lines(
  programs: readonly Program[],
  reports: AsyncIterable<EvaluationReport>,
  format: FormatName,
): AsyncGenerator<object> {
  let index = 0;
  for await (const report of reports) yield asLine(programs[index++]?.name ?? "", formats[format](report));
}
