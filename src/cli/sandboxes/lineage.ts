// `vivarium lineage`: where a sandbox comes from, as a tree.
import type { LineageReport } from "../../evolution/reports.ts";
import type { CommandFile } from "../command-file.ts";
import { addOption, integer } from "../command/options.ts";
import { bold, dim, type Line } from "../display/lines.ts";
import { counted } from "../display/texts.ts";
import { countText } from "../display/units.ts";
import { diffLines } from "./diff-lines.ts";
import { commandOfOne } from "./one.ts";

const listedMax = 20;

export const command: CommandFile = commandOfOne(
  {
    declare: (parser) => {
      addOption(parser, ["--diff", "with what differs from the parent's code at each step"]);
      addOption(
        parser,
        ["--limit <N>", "at most so many ancestors and descendants (default: 100)"],
        integer(1, 10_000),
      );
    },
    examples: ["lineage variant-1", "lineage variant-1 --diff", "lineage variant-1 --json | jq .ancestors"],
    notes: "The first line is the sandbox itself, each below it its first parent, down to a seed.",
  },
  async ({ context: { given, json, output }, opened, id }) => {
    const report = await opened.lineage(id, given.number("limit"));
    if (json) output.json(report);
    else output.lines(lineageLines(report, given.flag("diff")));
  },
);

export function lineageLines(
  { path, ancestors, descendants, more }: LineageReport,
  withDiff: boolean,
): readonly Line[] {
  return [
    ...path.flatMap((entry, depth): readonly Line[] => {
      const { id, generation, score, mutation, living, parentIds, diff } = entry;
      const indent = depth === 0 ? "" : `${"   ".repeat(depth - 1)}└─ `;
      const others = parentIds.slice(1);
      return [
        [
          dim(indent),
          bold(id),
          `  generation ${generation}`,
          score === null ? "" : `, score ${score}`,
          living ? "" : dim(", gone"),
          others.length === 0 ? "" : `, also from ${others.join(", ")}`,
          mutation === null || mutation === undefined ? "" : dim(`  ${JSON.stringify(mutation)}`),
        ],
        ...(withDiff && diff !== null
          ? diffLines(diff).map((line): Line => ["   ".repeat(depth + 1), ...line])
          : []),
      ];
    }),
    ...listLine("ancestor", ancestors),
    ...listLine("descendant", descendants),
    ...(more ? [[dim("There are more: give --limit.")]] : []),
  ];
}

function listLine(what: string, ids: readonly string[]): readonly Line[] {
  if (ids.length === 0) return [];
  const rest = ids.length > listedMax ? `, and ${countText(ids.length - listedMax)} more` : "";
  return [[`${counted(ids.length, what)}: ${ids.slice(0, listedMax).join(", ")}${rest}`]];
}
