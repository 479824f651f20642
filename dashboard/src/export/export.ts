// What is shown as a file to keep: the document of the evolution, or the page and the document in one file.
import { takeDump } from "../../../src/client/dump.ts";
import type { EvolutionDump } from "../../../src/contract/evolution-bodies.ts";
import { filesOf, staticPage } from "../../../src/contract/static-page.ts";
import type { JournalEntry } from "../../../src/index.ts";
import type { EventLog } from "../model/event-log.ts";
import { RecordedSource } from "../source/recorded.ts";
import type { Source } from "../source/source.ts";

export interface ExportOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
  /** What the page heard, where the server keeps no journal. */
  readonly log: EventLog;
}

/** The document: of a recorded one that itself, of a server all that it tells now. */
export async function dumpOf(
  source: Source,
  { signal, onProgress, log }: ExportOptions,
): Promise<EvolutionDump> {
  if (source instanceof RecordedSource) return source.dump;
  const { runtime, origin } = source;
  if (runtime === null)
    throw new Error("Cannot export as there must be a server or a document: there is none");
  const takenAt = Date.now();
  return takeDump(runtime, {
    origin: `server ${origin}`,
    takenAt,
    signal,
    onProgress,
    events: eventsOf(log),
  });
}

/** The page in one file. Rejects where its own files cannot be had, as where it is such a file already. */
export async function pageOf(
  dump: EvolutionDump,
  signal: AbortSignal,
  read: (address: string, signal: AbortSignal) => Promise<string> = readOwn,
): Promise<string> {
  const index = await read("./", signal);
  const texts = new Map<string, string>();
  for (const address of filesOf(index)) texts.set(address, await read(address, signal));
  return staticPage({ index, fileOf: (address) => texts.get(address), dump });
}

/** A name for the file, of letters that every system takes. */
export function fileNameOf(
  { origin, takenAt }: Pick<EvolutionDump, "origin" | "takenAt">,
  end: string,
): string {
  const name = origin
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  const day = new Date(takenAt).toISOString().slice(0, 10);
  return `vivarium-${name === "" ? "evolution" : name}-${day}.${end}`;
}

function eventsOf(log: EventLog): readonly JournalEntry[] {
  return log
    .latest(log.size)
    .toReversed()
    .map(({ any, number }) => ({ ...any, number }));
}

async function readOwn(address: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { signal });
  if (!response.ok)
    throw new Error(`Cannot export the page as its file ${address} must be there: got ${response.status}`);
  return response.text();
}
