// The task of `vivarium eval`: a module of the user's, which runs here, outside of every sandbox.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { EvaluateOptions, Fitness, Limits } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { requireFile } from "../places.ts";
import { reasonOf } from "../reasons.ts";

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

export async function readTask(path: string): Promise<Task> {
  const loaded = await load(path);
  const task = (loaded["default"] ?? loaded) as Readonly<Record<string, unknown>>;
  if (isTask(task)) return task;
  const rule = `it must export fitness and nothing but ${taskNames.join(", ")}`;
  const got = Object.keys(task).join(", ") || "nothing";
  throw new InvalidOptionsError(`Cannot use task ${show(path)} as ${rule}: got ${got}`, "task");
}

// Whether the parts have their types is checked by those that use them.
function isTask(value: Readonly<Record<string, unknown>>): value is Task & Record<string, unknown> {
  return value["fitness"] !== undefined && Object.keys(value).every((name) => taskNames.includes(name));
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  requireFile("task", path);
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const message = `Cannot load task ${show(path)} as it must be a module that can be imported: ${reasonOf(error)}`;
    throw new InvalidOptionsError(message, "task");
  }
}
