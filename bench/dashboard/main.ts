// `npm run bench -- dashboard`: the page in a real browser: what it loads, when it shows something, how it stands ten thousand
// sandboxes and a million events, and how fluently ten thousand individuals are panned.
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { chromiumAdvice, chromiumArguments, findChromium } from "../../tools/test/chromium.ts";
import { machine, machineLine } from "../report.ts";
import { measureEvents } from "./events.ts";
import { measureFrames } from "./frames.ts";
import { measurePaint } from "./paint.ts";
import { servePage } from "./serving.ts";
import { sizes } from "./sizes.ts";

const help = `Usage: npm run bench -- dashboard [--sandboxes N] [--events N] [--individuals N] [--rounds N]

  --sandboxes N    how many live while events come (10000)
  --events N       how many events come (1000000)
  --individuals N  how many the lineage has that is panned (10000)
  --rounds N       how often the page is opened for its first paint, and panned (5)

Needs a Chromium. Exit codes: 0 done, 1 it could not be measured, 2 a mistake in the command line.`;

const options = {
  sandboxes: { type: "string", default: "10000" },
  events: { type: "string", default: "1000000" },
  individuals: { type: "string", default: "10000" },
  rounds: { type: "string", default: "5" },
  help: { type: "boolean", default: false },
} as const;

/** Measures and prints. */
export async function dashboard(args: readonly string[]): Promise<number> {
  const read = readSettings(args);
  if (typeof read === "string") {
    (read === help ? console.log : console.error)(read);
    return read === help ? 0 : 2;
  }
  const executablePath = findChromium();
  if (executablePath === null) {
    console.error(`Cannot measure the page as there must be a Chromium: ${chromiumAdvice}`);
    return 1;
  }
  console.log(machineLine(machine()));
  for (const line of sizes()) console.log(line);
  const browser = await chromium.launch({ executablePath, args: [...chromiumArguments] });
  try {
    console.log(`Chromium ${browser.version()}, drawing without a graphics processor`);
    const { sandboxes, events, individuals, rounds } = read;
    {
      await using served = await servePage({ individuals, sandboxes: 0 });
      for (const line of await measurePaint(browser, served.link, rounds)) console.log(line);
      for (const line of await measureFrames(browser, served.link, rounds)) console.log(line);
    }
    await using served = await servePage({ individuals: 0, sandboxes });
    for (const line of await measureEvents(browser, served, events)) console.log(line);
    return 0;
  } finally {
    await browser.close();
  }
}

type Settings = Readonly<Record<"sandboxes" | "events" | "individuals" | "rounds", number>>;

function readSettings(args: readonly string[]): Settings | string {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return help;
    return {
      sandboxes: count("sandboxes", values.sandboxes, 100_000),
      events: count("events", values.events, 10_000_000),
      individuals: count("individuals", values.individuals, 100_000),
      rounds: count("rounds", values.rounds, 100),
    };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${help}`;
  }
}

function count(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new RangeError(`Cannot use --${name} as it must be 1–${most}: got ${text}`);
}
