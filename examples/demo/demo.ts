// What `vivarium demo` runs: breeds programs in sandboxes, hostile ones among them, shows the progress and prints the
// result.
import { createRuntime } from "vivarium";
import { evolve, trackerOf, type EvolutionOptions } from "./evolution.ts";
import { servePage, type Page } from "./page.ts";
import { quoted } from "./saved-run.ts";
import { toJson, toText } from "./display/summary.ts";

export { problemNames } from "./evolution.ts";

export interface DemoOptions extends EvolutionOptions {
  /** Prints the result as JSON. */
  readonly isJson: boolean;
  /** How the user starts the demo, to say how it is continued. */
  readonly command: string;
  /** Opens the page of the run in the browser, and returns whether that could be; undefined where no page is wanted. */
  readonly openPage: ((link: string) => Promise<boolean>) | undefined;
  /** Aborted when the user wants the run to end with what it has. */
  readonly signal: AbortSignal;
}

export type DemoEnd = "finished" | "interrupted";

/** Runs to the end of the budget or to Ctrl-C, and prints the result in either case. */
export async function runDemo(options: DemoOptions): Promise<DemoEnd> {
  const { data, signal, isJson, openPage } = options;
  await using runtime = await createRuntime(data === undefined ? {} : { data });
  await using tracker = await trackerOf(runtime, options);
  await using page = openPage === undefined ? null : await servePage(runtime, tracker);
  const notes = page === null ? [] : await opened(page, openPage);
  const hint = page === null ? howToSee(options) : undefined;
  const result = await evolve(runtime, { ...options, tracker, notes, hint }, signal);
  console.log(isJson ? toJson(result) : toText(result, page === null ? howToSee(options) : undefined));
  const wasEnded = signal.aborted;
  if (page !== null && !isJson && !wasEnded) await untilEnded(page, signal);
  if (!wasEnded) return "finished";
  const ended = ["", "Ended by Ctrl-C.", ...howToContinue(options)].join("\n");
  // Of JSON nothing else may be on standard output.
  if (options.isJson) console.error(ended);
  else console.log(ended);
  return "interrupted";
}

function howToSee({ command }: DemoOptions): string {
  return `To see it in the browser: ${command} --open`;
}

async function opened({ link }: Page, open: DemoOptions["openPage"]): Promise<readonly string[]> {
  // On a line of its own, so that it can be copied.
  const told = ["Dashboard:", link];
  return (await open?.(link)) === true ? told : [...told, "No browser was found here: open that address."];
}

async function untilEnded({ link }: Page, signal: AbortSignal): Promise<void> {
  console.error(`\nThe run is done. Its dashboard stays until Ctrl-C: ${link}`);
  const { promise, resolve } = Promise.withResolvers<void>();
  // A timer, as a signal alone keeps no process alive.
  const timer = setInterval(() => undefined, 2 ** 31 - 1);
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  await promise;
  clearInterval(timer);
}

function howToContinue({ data, command }: DemoOptions): readonly string[] {
  return data === undefined ? [] : [`Continue with: ${command} --data ${quoted(data)}`];
}
