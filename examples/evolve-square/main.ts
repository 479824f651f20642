// Breeds a program that squares a number, over a few hundred sandboxes at a time, hostile mutants included. Needs a build.
import { createRuntime, InvalidOptionsError } from "vivarium";
import { quoted } from "../demo/saved-run.ts";
import { help, readGiven, type Given } from "./options.ts";
import { run } from "./run.ts";
import { toSummary } from "./summary.ts";

const interruptedCode = 130;
const mistakeCode = 2;

const given = readGiven(process.argv.slice(2));
if (given === "help") console.log(help);
else if ("mistake" in given) process.exitCode = complain(given.mistake);
else process.exitCode = await main(given);

async function main(given: Given): Promise<number> {
  const interruption = new AbortController();
  // The first Ctrl-C ends the run cleanly; a second one ends the process at once.
  process.once("SIGINT", () => interruption.abort());
  const { signal } = interruption;
  const { data } = given;
  try {
    await using runtime = await createRuntime(data === undefined ? {} : { data });
    const { totals, settings } = await run(runtime, given, signal);
    console.log(toSummary(totals, settings));
  } catch (error) {
    if (error instanceof InvalidOptionsError) return complain(error.message);
    throw error;
  }
  if (!signal.aborted) return 0;
  console.log("\nEnded by Ctrl-C.");
  if (data !== undefined)
    console.log(`Continue with: node examples/evolve-square/main.ts --data ${quoted(data)}`);
  return interruptedCode;
}

function complain(text: string): number {
  console.error(`${text}\nTry --help.`);
  return mistakeCode;
}
