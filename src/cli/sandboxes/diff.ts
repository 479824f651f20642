// `vivarium diff`: the difference between two versions of a module.
import type { CommandFile } from "../command-file.ts";
import { commandOfOne, countOf, handleOf } from "./one.ts";
import { diffLines } from "./diff-lines.ts";

export const command: CommandFile = commandOfOne(
  {
    declare: (parser) => {
      parser.argument("<MODULE>", "the name of a module");
      parser.argument("<A>", "a version of it").argument("<B>", "another one");
    },
    examples: ["diff variant-1 main 1 2"],
    notes: "vivarium versions shows which versions there are.",
  },
  async (one) => {
    const [module = "", a = "", b = ""] = one.rest;
    const [from, to] = [countOf("A", a), countOf("B", b)];
    const { json, output } = one.context;
    const diff = await (await handleOf(one)).diff(module, from, to);
    if (json) output.json({ diff });
    else output.lines(diffLines(diff));
  },
);
