// `vivarium rollback`: makes an earlier version of a module, or an earlier revision of all, the current one.
import type { ReloadReport, Sandbox } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { CommandFile } from "../command-file.ts";
import { addOption, integer } from "../command/options.ts";
import { commandOfOne, countOf, handleOf, type OneSandbox } from "./one.ts";

export const command: CommandFile = commandOfOne(
  {
    usage: "ID MODULE VERSION [options], or: vivarium rollback ID --revision N [options]",
    declare: (parser) => {
      parser
        .argument("[MODULE]", "the name of a module")
        .argument("[VERSION]", "the version of it to go back to");
      const ofRevision = "make all modules what they were in this revision";
      addOption(parser, ["--revision <N>", ofRevision], integer(1, Number.MAX_SAFE_INTEGER));
    },
    examples: ["rollback variant-1 main 2", "rollback variant-1 --revision 3"],
    notes: "All or nothing: where the earlier code does not load, the sandbox stays as it is.",
  },
  async (one) => {
    const wanted = wantedOf(one);
    const { json, output } = one.context;
    const report = await wanted(await handleOf(one));
    if (json) output.json(report);
    else output.text(sentenceOf(one.id, report));
  },
);

// A mistake is told before anything is opened or changed.
function wantedOf({
  context: { given, signal },
  rest,
}: OneSandbox): (sandbox: Sandbox) => Promise<ReloadReport> {
  const revision = given.number("revision");
  const [module, version] = rest;
  if (revision !== undefined && module === undefined)
    return (sandbox) => sandbox.rollbackTo(revision, { signal });
  if (revision !== undefined || module === undefined || version === undefined) {
    const got =
      [...rest.map(show), ...(revision === undefined ? [] : ["--revision"])].join(" and ") || "neither";
    throw new InvalidOptionsError(
      `Cannot roll back as there must be either MODULE and VERSION, or --revision: got ${got}`,
      "revision",
    );
  }
  const number = countOf("VERSION", version);
  return (sandbox) => sandbox.rollback(module, number, { signal });
}

function sentenceOf(id: string, { status, revision, modules }: ReloadReport): string {
  if (status === "unchanged") return `${id} has this code already: nothing was changed.`;
  const parts = Object.entries(modules).map(([name, version]) =>
    version === null ? `${name} taken away` : `${name} version ${version}`,
  );
  return `${id} is at revision ${revision} now: ${parts.join(", ")}.`;
}
