// Breeds a program that squares a number, over a few hundred sandboxes at a time, hostile mutants included. Needs a build.
import { createRuntime } from "vivarium";
import { evolve } from "./evolution.ts";
import { help, readSettings, type Settings } from "./options.ts";
import { seededRandom } from "./random.ts";
import { Screen } from "./screen.ts";
import { toSummary } from "./summary.ts";
import { Tally } from "./tally.ts";

const interruptedCode = 130;
const mistakeCode = 2;

const settings = readSettings(process.argv.slice(2));
if (settings === "help") console.log(help);
else if ("mistake" in settings) {
  console.error(`${settings.mistake}\nTry --help.`);
  process.exitCode = mistakeCode;
} else process.exitCode = await run(settings);

async function run(settings: Settings): Promise<number> {
  const interruption = new AbortController();
  // The first Ctrl-C ends the run cleanly; a second one ends the process at once.
  process.once("SIGINT", () => interruption.abort());
  const { signal } = interruption;
  await using runtime = await createRuntime();
  const tally = new Tally();
  const screen = new Screen(settings, tally);
  const generations = evolve(runtime, {
    ...settings,
    random: seededRandom(settings.seed),
    signal,
    onProgress: (generation, phase, done) => screen.progress(generation, phase, done),
  });
  for await (const generation of generations) {
    // A generation that was interrupted is not shown.
    if (signal.aborted) break;
    tally.add(generation);
    screen.generation(generation);
  }
  screen.clear();
  console.log(toSummary(await tally.totals(runtime), settings));
  if (signal.aborted) console.log("\nEnded by Ctrl-C.");
  return signal.aborted ? interruptedCode : 0;
}
