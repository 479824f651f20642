// `vivarium top`: a live table on a terminal, or samples as documents.
import { systemClock } from "../../std/clock.ts";
import { addOption, integer } from "../command/options.ts";
import type { CommandContext, CommandFile, OpenedRuntime } from "../command-file.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { Screen } from "../display/screen.ts";
import { ownStreams } from "../display/streams.ts";
import { exitCodes } from "../exit-codes.ts";
import { showTop } from "./live.ts";
import { samples } from "./samples.ts";

const usual = { intervalMs: 1_000, limit: 1_000, samples: 1 } as const;
const limitMax = 10_000;
const intervalMsMin = 100;
const intervalMsMax = 3_600_000;
const samplesMax = 1_000_000;

export const command: CommandFile = {
  description:
    "Shows sandboxes, cells, evaluations per second, memory and outcomes of a runtime as they change.",
  place: "living",
  declare: (parser) => {
    addOption(
      parser,
      ["--interval <MS>", `the time between two looks (default: ${usual.intervalMs})`],
      integer(intervalMsMin, intervalMsMax),
    );
    addOption(
      parser,
      ["--limit <N>", `how many sandboxes are listed, the oldest first (default: ${usual.limit})`],
      integer(1, limitMax),
    );
    addOption(
      parser,
      ["--samples <N>", `with --json: how many samples, each on a line (default: ${usual.samples})`],
      integer(1, samplesMax),
    );
    addOption(parser, ["--json", "one sample as JSON, taken over one interval; several as lines"]);
  },
  examples: [
    "top",
    "top --url http://127.0.0.1:7420",
    "top --json",
    "top --json --samples 60 --interval 1000",
  ],
  notes: `Keys: q quits, s sorts, f filters by status, k destroys the chosen sandbox after a question, p pauses, ? shows help;
arrows, page up and page down choose.`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { given, json, signal } = context;
  const intervalMs = given.number("interval") ?? usual.intervalMs;
  const limit = given.number("limit") ?? usual.limit;
  if (!json && given.number("samples") !== undefined)
    throw new InvalidOptionsError("Cannot use --samples as it must come with --json: got none", "samples");
  if (!json && !Screen.fits(ownStreams.stdin, ownStreams.stdout))
    throw new InvalidOptionsError(
      "Cannot show the table as stdin and stdout must be a terminal, or --json be given: got none",
      "json",
    );
  await using opened = await context.open();
  const options = { runtime: opened.runtime, clock: systemClock, signal, intervalMs, limit };
  if (!json) await showTop({ ...options, name: opened.name, streams: ownStreams });
  else await writeSamples(context, opened, { intervalMs, limit, count: given.number("samples") });
  return exitCodes.done;
}

async function writeSamples(
  { output, signal }: CommandContext,
  { runtime }: OpenedRuntime,
  {
    intervalMs,
    limit,
    count,
  }: { readonly intervalMs: number; readonly limit: number; readonly count: number | undefined },
): Promise<void> {
  const options = { runtime, clock: systemClock, signal, intervalMs, limit, count: count ?? usual.samples };
  for await (const sample of samples(options))
    if (count === undefined) output.json(sample);
    else await output.line(sample);
}
