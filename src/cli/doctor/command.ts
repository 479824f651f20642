// `vivarium doctor`: says what this machine, or a server, gives sandboxes.
import { systemClock } from "../../std/clock.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import type { Health } from "../../index.ts";
import { exitCodes } from "../exit-codes.ts";
import { lookForServers, type FoundServer } from "../place/server-file.ts";
import type { Check } from "./checks.ts";
import { serverChecks } from "./server-check.ts";
import { doctorLines, examine } from "./doctor.ts";
import { lookAtMachine } from "./machine.ts";

export const command: CommandFile = {
  description:
    "Says what isolation this machine gives to sandboxes, what is missing, and what to do for more.",
  place: "any",
  declare: () => undefined,
  examples: ["doctor", "doctor --data ./sandboxes", "doctor --url http://127.0.0.1:7420", "doctor --json"],
  notes: `Each line is ok, warn (it works, with less of something) or bad (sandboxes do not run, or only the engine holds them).
With --data it also sees whether that folder can be written; what is in it is not touched.
It also says which server of this machine other commands find. With --url it asks that one, which may be elsewhere.`,
  exits: "0 nothing is bad, 1 something is, 2 a mistake in the command line, 130 ended by Ctrl-C",
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { given, json, output } = context;
  const server = given.text("url") ?? process.env["VIVARIUM_URL"];
  const isElsewhere = server !== undefined && server !== "";
  await using opened = new AsyncDisposableStack();
  const report = await examine({
    facts: isElsewhere ? null : lookAtMachine(),
    clock: systemClock,
    data: given.text("data"),
    server: isElsewhere ? server : undefined,
    servers: async () => (isElsewhere ? [] : localServers()),
    open: async () => {
      if (isElsewhere) return opened.use(await context.open()).runtime;
      const { createRuntime } = await import("../../index.ts");
      return opened.use(await createRuntime());
    },
  });
  if (json) output.json(report);
  else output.lines(doctorLines(report, output.width));
  return report.verdict === "bad" ? exitCodes.failed : exitCodes.done;
}

const answerMs = 5_000;

function localServers(): Promise<readonly Check[]> {
  const ask = async ({ url, token }: FoundServer): Promise<Health> => {
    const { openThere } = await import("../place/there.ts");
    const signal = AbortSignal.timeout(answerMs);
    await using server = await openThere(url, token ?? undefined, signal);
    return await server.runtime.health();
  };
  return serverChecks({ here: lookForServers(), clock: systemClock, ask });
}
