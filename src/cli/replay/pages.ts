// An evolution that was read, as a page: served on this machine until it is asked to end, or written as one file.
import type { EvolutionDump } from "../../contract/evolution-bodies.ts";
import { staticPage } from "../../contract/static-page.ts";
import { dashboardFiles } from "../../server/dashboard.ts";
import { closeOnSignals } from "../../server/listening/signals.ts";
import { serveRecorded } from "../../server/recorded.ts";
import type { CommandContext } from "../command-file.ts";
import { exitCodes } from "../exit-codes.ts";
import { listenForCommand } from "../listening.ts";
import { openOrSay } from "../open-page.ts";
import type { Recording } from "./recording.ts";
import { contentsText, toldJson } from "./told.ts";

/** The page and the evolution in one text. */
export async function pageOf(dump: EvolutionDump): Promise<string> {
  const files = await dashboardFiles().all();
  const decoder = new TextDecoder();
  const texts = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const textOf = (path: string): string | undefined => {
    const bytes = texts.get(path);
    return bytes === undefined ? undefined : decoder.decode(bytes);
  };
  return staticPage({
    index: textOf("/") ?? "",
    fileOf: (address) => textOf(address.replace(/^\.?\/?/, "/")),
    dump,
  });
}

/** Resolves with the exit code when it was asked to end. */
export async function showPage(
  { given, json, output, signal }: CommandContext,
  recorded: Recording,
): Promise<number> {
  const here = await listenForCommand(serveRecorded(JSON.stringify(recorded.dump)), {
    port: given.number("port") ?? 0,
    metrics: "off",
    drainMs: 0,
  });
  const stop = closeOnSignals(here);
  try {
    // Ctrl-C may have come while it started.
    if (signal.aborted) await here.close({ drainMs: 0 });
    else {
      const { url, token } = here;
      const dashboard = `${url}/#token=${encodeURIComponent(token ?? "")}`;
      if (json) output.json(toldJson(recorded, { url, token, dashboard, html: null, dump: null }));
      else {
        output.text(`Dashboard: ${dashboard}`);
        output.note(contentsText(recorded));
        output.note("It is there until Ctrl-C.");
      }
      if (given.flag("open")) await openOrSay(dashboard, (text) => output.note(text));
    }
    await here.drained;
  } finally {
    stop();
  }
  return signal.aborted ? exitCodes.interrupted : exitCodes.done;
}
