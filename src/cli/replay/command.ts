// `vivarium replay`: a recorded evolution as a page, on this machine or as one file; and, as it was before, a recorded run that is
// run again.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidOptionsError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import { systemClock } from "../../std/clock.ts";
import type { CommandContext, CommandFile } from "../command-file.ts";
import { addOption, integer, text, word } from "../command/options.ts";
import { Progress } from "../display/progress.ts";
import { ownStreams } from "../display/streams.ts";
import { exitCodes } from "../exit-codes.ts";
import { identityOf, isSameFile } from "../../store/folder/file-identity.ts";
import { refuseOwnFile } from "../store/own-files.ts";
import { writeText } from "../written-file.ts";
import type { ReadingOptions, Recording } from "./recording.ts";
import { contentsText, toldJson } from "./told.ts";

const directions = ["maximise", "minimise"] as const;

export const command: CommandFile = {
  usage:
    "FILE|DIR [options]\n       vivarium replay --url URL [options]\n       vivarium replay ID RECORDING [options]",
  description:
    "Shows a recorded evolution in the browser: of a journal, of a data folder, or of a server as it is now. With ID and RECORDING, runs a recorded run again and compares.",
  place: "living",
  declare: (parser) => {
    parser.argument("[FILE|DIR|ID]", "a journal or a dump, a data folder; or the id of a sandbox");
    parser.argument("[RECORDING]", "a file with the recording of a run as JSON, or - for stdin");
    addOption(parser, ["--open", "opens the page in the browser"]);
    addOption(
      parser,
      ["--port <N>", "where the page is, 0 for any that is free (default: 0)"],
      integer(0, 65_535),
    );
    addOption(parser, ["--html <OUT>", "writes one HTML file that opens without a server, instead"], text());
    addOption(parser, ["--dump <OUT>", "writes all of it as one JSON document, instead"], text());
    const ofDirection = `which scores are better: ${directions.join(" or ")} (default: as the run says, or ${directions[0]})`;
    addOption(parser, ["--direction <WAY>", ofDirection], word(directions));
  },
  examples: [
    "replay ./run-1 --open",
    "replay journal.jsonl --direction minimise",
    "replay ./run-1 --html run-1.html",
    "replay --url http://127.0.0.1:7420 --dump evolution.json",
    "replay variant-1 recording.json",
  ],
  notes: `A data folder is only read, also while a runtime has it open. A journal is lines of JSON, a list, or {"entries": […]}, of
events as runtime.journal and GET /v1/journal and /v1/events have them. What --html and --dump write has the code of the
programs in it. The page is for this machine alone, and for whoever has the token of its link.
A recording has its own code, so that the sandbox may have changed since.`,
  exits:
    "0 done, or ended by SIGTERM, 1 it failed, or the run that was run again differs, 2 a mistake in the command line or the file, 5 refused by the server, 130 ended by Ctrl-C",
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { args } = context.given;
  const [place, recording] = args;
  if (place !== undefined && recording !== undefined) {
    const { replayRun } = await import("../sandboxes/replay.ts");
    return replayRun(context, place, recording);
  }
  const outputs = (["html", "dump"] as const).flatMap((name) => {
    const path = context.given.text(name);
    return path === undefined ? [] : [{ name, path }];
  });
  const source = sourceOf(context, place);
  for (const { name, path } of outputs) refuseSame(source, path, name);
  refuseOneOutput(outputs.map(({ path }) => path));
  const recorded = await read(context, source);
  if (context.signal.aborted) return exitCodes.interrupted;
  const { pageOf, showPage } = await import("./pages.ts");
  if (outputs.length === 0) return showPage(context, recorded);
  for (const { name, path } of outputs)
    writeText(path, name === "html" ? await pageOf(recorded.dump) : JSON.stringify(recorded.dump));
  tell(context, recorded);
  return exitCodes.done;
}

type SourceKind =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "server"; readonly url: string };

function sourceOf({ given }: CommandContext, place: string | undefined): SourceKind {
  const [data, url] = [given.text("data"), given.text("url")];
  if (place === undefined) {
    if (data !== undefined && url === undefined) return { kind: "folder", path: data };
    if (url !== undefined && data === undefined) return { kind: "server", url };
    const got = url === undefined ? "nothing" : "--data and --url";
    throw mistake("Cannot replay", `there must be FILE, DIR, or --url, or ID and RECORDING`, got);
  }
  if (data !== undefined || url !== undefined) {
    const name = url === undefined ? "--data" : "--url";
    throw mistake(`Cannot use ${name}`, "it must be alone, or with ID and RECORDING", show(place));
  }
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return { kind: "folder", path: place };
  if (stats?.isFile() === true) return { kind: "file", path: place };
  const got = stats === undefined ? "nothing there" : "something else";
  throw mistake(`Cannot replay ${show(place)}`, "it must be a file or a folder", got);
}

function refuseSame(source: SourceKind, output: string, option: string): void {
  if (source.kind === "folder") refuseOwnFile(source.path, output, option);
  const [from, to] =
    source.kind === "file"
      ? [source.path, output].map((path) => statSync(path, { throwIfNoEntry: false }))
      : [];
  if (from === undefined || to === undefined || from.ino !== to.ino || from.dev !== to.dev) return;
  throw mistake(
    `Cannot write to ${show(output)}`,
    "it must be another file than the one that is read",
    "the same",
  );
}

// What is written last would take the place of the other.
function refuseOneOutput([one, other]: readonly string[]): void {
  if (one === undefined || other === undefined) return;
  if (resolve(one) !== resolve(other) && !isSameFile(identityOf(one), identityOf(other))) return;
  throw mistake(`Cannot write to ${show(other)}`, "--html and --dump must name two files", "the same");
}

async function read(context: CommandContext, source: SourceKind): Promise<Recording> {
  const { given, signal } = context;
  const what = { file: "bytes", folder: "documents", server: "individuals" }[source.kind];
  let progress: Progress | undefined;
  const options: ReadingOptions = {
    signal,
    // One of those that the option takes.
    direction: given.text("direction") as ReadingOptions["direction"],
    onProgress: (done, total) => {
      progress ??= new Progress({ stream: ownStreams.stderr, clock: systemClock, what, total });
      progress.update(done);
    },
  };
  try {
    if (source.kind === "file") return await (await import("./from-file.ts")).readFile(source.path, options);
    if (source.kind === "folder")
      return await (await import("./from-folder.ts")).readFolder(source.path, options);
    return await (await import("./from-server.ts")).readServer(context, source.url, options);
  } finally {
    progress?.close();
  }
}

function tell({ json, given, output }: CommandContext, recorded: Recording): void {
  const [html = null, dump = null] = [given.text("html"), given.text("dump")];
  if (json) return output.json(toldJson(recorded, { url: null, token: null, dashboard: null, html, dump }));
  for (const path of [html, dump]) if (path !== null) output.text(`Written: ${path}`);
  output.note(contentsText(recorded));
  output.note("It has the code of the programs in it: give it to whom you would give that.");
}

function mistake(what: string, rule: string, got: string): InvalidOptionsError {
  return new InvalidOptionsError(`${what} as ${rule}: got ${got}`, "path");
}
