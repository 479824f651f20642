// `vivarium eval`: evaluates one program by a task of the user's, for engines that start an evaluator per candidate.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createRuntime,
  type BatchEvaluation,
  type EvaluateOptions,
  type Fitness,
  type Limits,
} from "../../index.ts";
import { InvalidOptionsError, LoadError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { readArguments, type OptionRule } from "../arguments.ts";
import type { EvaluationReport } from "./feedback.ts";
import { formats, type FormatName } from "./formats.ts";
import { write } from "./output.ts";

const rules: Readonly<Record<string, OptionRule>> = {
  task: { kind: "text" },
  format: { kind: "word", words: Object.keys(formats) },
  output: { kind: "text" },
};

/** What a task file exports, as its default or under these names. */
export interface Task {
  readonly fitness: Fitness;
  /** The module name of the program. Default: `main`. */
  readonly module?: string;
  /** Other modules of the sandbox. */
  readonly modules?: Readonly<Record<string, string>>;
  readonly limits?: Partial<Limits>;
  readonly options?: EvaluateOptions;
}

const taskNames = ["fitness", "module", "modules", "limits", "options"];

export const evaluateFiles = {
  about: "evaluates one program by a task, for engines written in any language",
  help: `Evaluates one program in a sandbox and prints the result as JSON.

Usage: vivarium eval PROGRAM --task TASK [--format NAME] [--output PATH]

  PROGRAM            a TypeScript or JavaScript file, not trusted: it runs only in a sandbox
  --task FILE        a module of your own that runs here and exports fitness (a function, tests, a scorer or stages)
                     and, if wanted, module, modules, limits and options
  --format NAME      json (default): the whole result
                     openevolve: metrics with combined_score, and artifacts
                     shinka: metrics.json and correct.json
                     alphaevolve: scores, or a score of null, and insights
  --output PATH      write there instead of to stdout: a file, or for shinka a folder

Examples:
  vivarium eval candidate.ts --task task.ts
  vivarium eval candidate.ts --task task.ts --format openevolve
  vivarium eval candidate.ts --task task.ts --format shinka --output results

A program that fails is a result, not an error: it has no score, and the result says why.
Exit codes: 0 evaluated, 1 it could not be, 2 a wrong option.`,
  run: runEval,
} as const;

async function runEval(args: readonly string[]): Promise<number> {
  const { texts, rest } = readArguments(args, rules);
  const [path, ...others] = rest;
  const taskPath = texts.get("task")?.at(-1);
  if (path === undefined || others.length > 0 || taskPath === undefined) {
    const rule = "there must be one program and one --task";
    throw new InvalidOptionsError(`Cannot evaluate as ${rule}: got ${show(args.join(" "))}`, "program");
  }
  const task = await readTask(taskPath);
  const report = await evaluate(readText(path), task);
  const format = (texts.get("format")?.at(-1) ?? "json") as FormatName;
  write(formats[format](report), texts.get("output")?.at(-1));
  return 0;
}

async function evaluate(source: string, task: Task): Promise<EvaluationReport> {
  const { module = "main", modules = {}, limits = {}, fitness, options } = task;
  await using runtime = await createRuntime({ cells: { count: 1, spare: 0, warm: 1 } });
  try {
    await using sandbox = await runtime.create("candidate", {
      modules: { ...modules, [module]: source },
      limits,
    });
    const [result] = await runtime.batch.evaluate([sandbox.id], fitness, options);
    return { result: result as BatchEvaluation, logs: await sandbox.logs() };
  } catch (error) {
    if (error instanceof LoadError) return { loadError: error };
    throw error;
  }
}

async function readTask(path: string): Promise<Task> {
  const loaded = await load(path);
  const task = (loaded["default"] ?? loaded) as Readonly<Record<string, unknown>>;
  if (isTask(task)) return task;
  const rule = `it must export fitness and nothing but ${taskNames.join(", ")}`;
  throw new InvalidOptionsError(
    `Cannot use task ${show(path)} as ${rule}: got ${show(Object.keys(task))}`,
    "task",
  );
}

// Whether the parts have their types is checked by those that use them.
function isTask(value: Readonly<Record<string, unknown>>): value is Task & Record<string, unknown> {
  return value["fitness"] !== undefined && Object.keys(value).every((name) => taskNames.includes(name));
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const message = `Cannot load task ${show(path)} as it must be a module that can be imported: ${String(error)}`;
    throw new InvalidOptionsError(message, "task");
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const message = `Cannot read program ${show(path)} as it must be a file: ${String(error)}`;
    throw new InvalidOptionsError(message, "program");
  }
}
