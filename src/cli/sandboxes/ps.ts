// `vivarium ps`: the living sandboxes as a table.
import type { ListFilter, SandboxInfo } from "../../index.ts";
import { statuses } from "../../model/sandboxes/status.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { addOption, integer, repeated, ruled, word } from "../command/options.ts";
import { dim, type Span } from "../display/lines.ts";
import { tableLines, type Cell, type Column } from "../display/table.ts";
import { countText, durationText, memoryText } from "../display/units.ts";
import { exitCodes } from "../exit-codes.ts";
import { statusSpan } from "./info-lines.ts";

const shownUsually = 1_000;
const limitMax = 1_000_000;

const label = ruled("NAME=VALUE", (given): readonly [string, string] | undefined => {
  const at = given.indexOf("=");
  return at < 1 ? undefined : [given.slice(0, at), given.slice(at + 1)];
});

export const command: CommandFile = {
  place: "living",
  declare: (parser) => {
    addOption(
      parser,
      ["--status <STATUS>", `only those: ${statuses.join(", ")}; may be repeated`],
      repeated(word(statuses)),
    );
    addOption(
      parser,
      ["--label <NAME=VALUE>", "only those with this label; may be repeated"],
      repeated(label),
    );
    addOption(
      parser,
      ["--limit <N>", `at most so many (default: ${countText(shownUsually)})`],
      integer(1, limitMax),
    );
  },
  examples: ["ps", "ps --status failed --json", "ps --data ./run-1 --label island=3"],
  notes: "They are in the order of their creation.",
  run: list,
};

async function list({ given, json, output, open }: CommandContext): Promise<number> {
  await using opened = await open();
  const limit = given.number("limit") ?? shownUsually;
  const status = given.texts("status") as ListFilter["status"] & readonly string[];
  const labels = Object.fromEntries((given.value("label") ?? []) as readonly (readonly [string, string])[]);
  const filter: ListFilter = {
    ...(status.length === 0 ? {} : { status }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    limit: limit + 1,
  };
  const found = await opened.runtime.list(filter);
  const sandboxes = found.slice(0, limit);
  if (json) output.json({ sandboxes });
  else if (found.length === 0) output.note(`No sandboxes in ${opened.name}.`);
  else output.lines(tableLines(columns, sandboxes.map(rowOf), output.width));
  if (found.length > limit) output.note(`There are more than ${countText(limit)}: give --limit.`);
  return exitCodes.done;
}

const columns: readonly Column[] = [
  { title: "ID", widthMin: 12 },
  { title: "STATUS" },
  { title: "AGE", side: "right" },
  { title: "RUNS", side: "right" },
  { title: "HEAP", side: "right" },
  { title: "CELL", side: "right" },
  { title: "REV", side: "right" },
  { title: "GEN", side: "right" },
  { title: "SCORE", side: "right", widthMax: 12 },
  { title: "MODULES", widthMin: 8, widthMax: 40 },
];

function rowOf(info: SandboxInfo): readonly Cell[] {
  const { usage, fitness } = info;
  return [
    info.id,
    statusSpan(info.status),
    durationText(info.uptimeMs),
    countText(usage.runs),
    usage.heapBytes === 0 ? none : memoryText(usage.heapBytes),
    info.cell === null ? none : String(info.cell),
    String(info.revision),
    String(info.ancestry.generation),
    scoreText(fitness),
    Object.keys(info.modules).join(" "),
  ];
}

const none: Span = dim("–");

function scoreText(fitness: SandboxInfo["fitness"]): Cell {
  return fitness === null || fitness.score === null ? none : String(fitness.score);
}
