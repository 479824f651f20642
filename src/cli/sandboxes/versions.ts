// `vivarium versions`: the versions of a module that are kept, or those of all modules.
import type { VersionInfo } from "../../index.ts";
import type { CommandFile } from "../command-file.ts";
import { green } from "../display/lines.ts";
import { tableLines, type Column } from "../display/table.ts";
import { countText } from "../display/units.ts";
import { commandOfOne, handleOf } from "./one.ts";

/** A version with the name of its module. */
export type ModuleVersion = VersionInfo & { readonly module: string };

export const command: CommandFile = commandOfOne(
  {
    declare: (parser) => void parser.argument("[MODULE]", "the name of a module (default: all)"),
    examples: ["versions variant-1", "versions variant-1 main --json"],
  },
  async (one) => {
    const { json, output } = one.context;
    const sandbox = await handleOf(one);
    const [only] = one.rest;
    const modules = only === undefined ? Object.keys((await sandbox.info()).modules) : [only];
    const versions: ModuleVersion[] = [];
    for (const module of modules)
      for (const version of await sandbox.history(module)) versions.push({ module, ...version });
    if (json) output.json({ versions });
    else output.lines(tableLines(columns, versions.map(rowOf), output.width));
  },
);

const columns: readonly Column[] = [
  { title: "MODULE" },
  { title: "VERSION", side: "right" },
  { title: "" },
  { title: "CREATED" },
  { title: "BYTES", side: "right" },
  { title: "EXPORTS", widthMin: 8, widthMax: 40 },
  { title: "MUTATION", widthMin: 8, widthMax: 60 },
];

function rowOf({ module, version, current, createdAt, bytes, exports, mutation }: ModuleVersion) {
  return [
    module,
    String(version),
    current ? green("current") : "",
    new Date(createdAt).toISOString(),
    countText(bytes),
    exports.join(" "),
    mutation === null || mutation === undefined ? "" : JSON.stringify(mutation),
  ];
}
