// What `vivarium demo` runs: breeds programs in sandboxes, hostile ones among them, shows the progress and prints the
// result.
import { createRuntime } from "vivarium";
import { evolve, type EvolutionOptions } from "./evolution.ts";
import { quoted } from "./saved-run.ts";
import { toJson, toText } from "./display/summary.ts";

export { problemNames } from "./evolution.ts";

export interface DemoOptions extends EvolutionOptions {
  /** Prints the result as JSON. */
  readonly isJson: boolean;
  /** How the user starts the demo, to say how it is continued. */
  readonly command: string;
  /** Aborted when the user wants the run to end with what it has. */
  readonly signal: AbortSignal;
}

export type DemoEnd = "finished" | "interrupted";

/** Runs to the end of the budget or to Ctrl-C, and prints the result in either case. */
export async function runDemo(options: DemoOptions): Promise<DemoEnd> {
  const { data, signal } = options;
  await using runtime = await createRuntime(data === undefined ? {} : { data });
  const result = await evolve(runtime, options, signal);
  console.log(options.isJson ? toJson(result) : toText(result));
  if (!signal.aborted) return "finished";
  const ended = ["", "Ended by Ctrl-C.", ...howToContinue(options)].join("\n");
  // Of JSON nothing else may be on standard output.
  if (options.isJson) console.error(ended);
  else console.log(ended);
  return "interrupted";
}

function howToContinue({ data, command }: DemoOptions): readonly string[] {
  return data === undefined ? [] : [`Continue with: ${command} --data ${quoted(data)}`];
}
