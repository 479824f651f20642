// `node bench/main.ts http`: the HTTP API under load on loopback, beside a bare hono server and the local API.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { machine, machineLine } from "../report.ts";
import { measureLoad, type Settings } from "./measure.ts";
import { tableOf } from "./table.ts";
import { verdictsOf } from "./verdict.ts";

const help = `Usage: npm run bench -- http [--seconds N] [--concurrency N] [--streams N] [--slow N] [--half-open N] [--json FILE]

  --seconds N      how long the server is under full load (60); all in all it takes about twice as long
  --concurrency N  requests under way at a time, each on a connection of its own (1000)
  --streams N      event streams that are open meanwhile (100)
  --slow N         clients that read nothing, in the part that is about those (50)
  --half-open N    clients that never finish their request, there too (200)
  --json FILE      write the figures there as well

Exit codes: 0 every target was met, 1 one was missed, 2 a mistake in the command line.`;

const options = {
  seconds: { type: "string", default: "60" },
  concurrency: { type: "string", default: "1000" },
  streams: { type: "string", default: "100" },
  slow: { type: "string", default: "50" },
  "half-open": { type: "string", default: "200" },
  json: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

const most = 10_000;

/** Measures and prints the tables. */
export async function http(args: readonly string[]): Promise<number> {
  const read = readSettings(args);
  if (typeof read === "string") {
    (read === help ? console.log : console.error)(read);
    return read === help ? 0 : 2;
  }
  const on = machine();
  console.log(machineLine(on));
  const measured = await measureLoad(read.settings);
  console.log(`\n${tableOf(measured)}`);
  const verdicts = verdictsOf(measured);
  if (read.json !== undefined)
    writeFileSync(read.json, `${JSON.stringify({ machine: on, ...measured, verdicts }, null, 2)}\n`);
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

function readSettings(
  args: readonly string[],
): { readonly settings: Settings; readonly json: string | undefined } | string {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return help;
    const settings = {
      seconds: count("seconds", values.seconds, 1),
      concurrency: count("concurrency", values.concurrency, 1),
      streams: count("streams", values.streams, 0),
      slowReaders: count("slow", values.slow, 0),
      halfOpen: count("half-open", values["half-open"], 0),
      onPhase: (text: string) => console.error(text),
    };
    return { settings, json: values.json };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${help}`;
  }
}

function count(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`Cannot use --${name} as it must be ${least}–${most}: got ${text}`);
}
