// `vivarium bench`: a few measurements of this machine, or of a server, as a table.
import { availableParallelism, cpus } from "node:os";
import { systemClock } from "../../std/clock.ts";
import { addOption, integer } from "../command/options.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { dim, type Line } from "../display/lines.ts";
import { Progress } from "../display/progress.ts";
import { ownStreams } from "../display/streams.ts";
import { tableLines } from "../display/table.ts";
import { counted } from "../display/texts.ts";
import { countText, millisecondsText } from "../display/units.ts";
import { exitCodes } from "../exit-codes.ts";
import { measureAll, type BenchRow } from "./measure.ts";

const usualSeconds = 10;
const secondsMax = 600;

/** What `--json` prints. */
export interface BenchReport {
  readonly machine: { readonly node: string; readonly cores: number; readonly processor: string };
  /** Where the runtime was. */
  readonly runtime: string;
  readonly seconds: number;
  readonly rows: readonly BenchRow[];
}

export const command: CommandFile = {
  description: "Measures how long it takes to create, call, reload and evaluate sandboxes here.",
  place: "any",
  declare: (parser) => {
    addOption(
      parser,
      ["--seconds <N>", `for how long is measured in all (default: ${usualSeconds})`],
      integer(1, secondsMax),
    );
  },
  examples: ["bench", "bench --seconds 60", "bench --url http://127.0.0.1:7420 --json"],
  notes:
    "The figures are of this machine and what else it does meanwhile; with --url, of the server and the way to it.",
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { given, json, output, signal } = context;
  const seconds = given.number("seconds") ?? usualSeconds;
  await using opened = await context.open();
  const rows: BenchRow[] = [];
  using progress = new Progress({
    stream: ownStreams.stderr,
    clock: systemClock,
    what: "ms measured",
    total: seconds * 1_000,
  });
  const { runtime, name } = opened;
  const onProgress = (doneMs: number): void => progress.update(Math.round(doneMs));
  for await (const row of measureAll({ runtime, clock: systemClock, seconds, signal, onProgress }))
    rows.push(row);
  progress.close();
  const report: BenchReport = { machine: machine(), runtime: name, seconds, rows };
  if (json) output.json(report);
  else output.lines(benchLines(report, output.width));
  return signal.aborted ? exitCodes.interrupted : exitCodes.done;
}

function machine(): BenchReport["machine"] {
  const processor = cpus()[0]?.model.trim() || "unknown";
  return { node: process.version, cores: availableParallelism(), processor };
}

const columns = [
  { title: "WHAT" },
  { title: "COUNT", side: "right" },
  { title: "PER SECOND", side: "right" },
  { title: "P50", side: "right" },
  { title: "P99", side: "right" },
  { title: "", widthMin: 10 },
] as const;

function benchLines(
  { machine: { node, cores, processor }, runtime, rows }: BenchReport,
  width: number,
): readonly Line[] {
  const cells = rows.map((row) => [
    row.name,
    countText(row.count),
    row.perSecond >= 10 ? countText(Math.round(row.perSecond)) : row.perSecond.toFixed(1),
    millisecondsText(row.p50Ms),
    millisecondsText(row.p99Ms),
    { text: row.about, style: "dim" } as const,
  ]);
  return [
    ...tableLines(columns, cells, width),
    [],
    [dim(`Of this machine: ${processor}, ${counted(cores, "core")}, Node.js ${node}; ${runtime}.`)],
    [dim("P50 and P99 are of one operation; with batches, of one batch.")],
  ];
}
