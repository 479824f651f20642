// `vivarium eval`: evaluates programs by a task of the user's, for engines that start an evaluator per candidate or per
// generation.
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { readArguments, type OptionRule } from "../arguments.ts";
import { evaluate } from "./evaluate.ts";
import { asLine, formats, type FormatName } from "./formats.ts";
import { write, writeLines } from "./output.ts";
import { readPrograms, type Program } from "./programs.ts";
import { readTask, type Task } from "./task.ts";

const rules: Readonly<Record<string, OptionRule>> = {
  task: { kind: "text" },
  format: { kind: "word", words: Object.keys(formats) },
  lines: { kind: "flag" },
  output: { kind: "text" },
};

export const evaluateFiles = {
  about: "evaluates programs by a task, for engines written in any language",
  help: `Evaluates programs, each in a sandbox of its own, and prints the results as JSON.

Usage: vivarium eval PROGRAM… --task TASK [--format NAME] [--lines] [--output PATH]

  PROGRAM            a TypeScript or JavaScript file, or - for stdin; not trusted: it runs only in a sandbox
  --task FILE        a module of your own that runs here and exports fitness (a function, tests, a scorer or stages)
                     and, if wanted, module, modules, limits and options
  --format NAME      json (default): the whole result
                     openevolve: metrics with combined_score, and artifacts
                     shinka: metrics.json and correct.json
                     alphaevolve: scores, or a score of null, and insights
  --lines            one line of JSON for each program, beginning with its name; always so where there are several
  --output PATH      write there instead of to stdout: a file, or for shinka a folder

Examples:
  vivarium eval candidate.ts --task task.ts
  vivarium eval - --task task.ts --format openevolve < candidate.ts
  vivarium eval generation/*.ts --task task.ts --output scores.jsonl
  vivarium eval candidate.ts --task task.ts --format shinka --output results

Several programs are evaluated side by side; their lines are in the order of the command line.
A program that fails is a result, not an error: it has no score, and the result says why.
Exit codes: 0 all were evaluated, whatever came of it; 1 they could not be; 2 a mistake in the command line or the task.`,
  run: runEval,
} as const;

async function runEval(args: readonly string[]): Promise<number> {
  const { texts, flags, rest } = readArguments(args, rules, { takesOthers: true });
  const taskPath = texts.get("task")?.at(-1);
  if (rest.length === 0 || taskPath === undefined) {
    const rule = "there must be a program and one --task";
    throw new InvalidOptionsError(`Cannot evaluate as ${rule}: got ${show(args.join(" "))}`, "program");
  }
  const format = (texts.get("format")?.at(-1) ?? "json") as FormatName;
  const output = texts.get("output")?.at(-1);
  const isLines = flags.has("lines") || rest.length > 1;
  if (isLines && format === "shinka" && output !== undefined) {
    const rule =
      "its two files are those of one program: leave --output out, or give one program without --lines";
    throw new InvalidOptionsError(`Cannot write shinka's files as ${rule}`, "output");
  }
  const task = await readTask(taskPath);
  const programs = await readPrograms(rest);
  if (isLines) await writeLines(lines(programs, task, format), output);
  else for await (const report of evaluate(programs, task)) write(formats[format](report), output);
  return 0;
}

async function* lines(programs: readonly Program[], task: Task, format: FormatName): AsyncGenerator<object> {
  let index = 0;
  for await (const report of evaluate(programs, task))
    yield asLine(programs[index++]?.name ?? "", formats[format](report));
}
