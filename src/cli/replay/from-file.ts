// An evolution from a file: a journal, as lines of JSON or as one document, or a document that has all of an evolution already.
import { statSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { DumpBuilder } from "../../contract/dump.ts";
import { individualReports } from "../../evolution/individual-reports.ts";
import { RecordedEvents } from "../../evolution/recorded-events.ts";
import { Tracker } from "../../evolution/index.ts";
import type { EvolutionDump } from "../../contract/evolution-bodies.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { isRecord } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { nextTurn, systemClock } from "../../std/clock.ts";
import { linesOf } from "./lines.ts";
import { entryOf, type ReadingOptions, type Recording } from "./recording.ts";

/** An event with its code is far shorter. */
const lineLengthMax = 16 * 2 ** 20;
/** A file that is one document is read as a whole. */
const documentBytesMax = 400 * 2 ** 20;
/** How many events are told before other work has a turn. */
const atOnce = 5_000;
/** As many as a page can show. */
const individualsMax = 1_000_000;

const format = "vivarium-dump";

export async function readFile(path: string, options: ReadingOptions): Promise<Recording> {
  const { size } = statSync(path);
  const first = await firstLine(path, options);
  const isEvent = typeof first === "string" && entryOf(parsed(first), 1) !== undefined;
  // What is no event by itself may be the beginning of a document.
  if (first !== undefined && !isEvent) return readDocument(path, size, options);
  return readLines(path, size, options);
}

// A stream of events that was saved as it came has fields: those that are no data, and data of the stream itself, are left out.
async function* recordsOf(lines: AsyncIterable<string | null>): AsyncGenerator<string | null> {
  for await (const line of lines) {
    const [, data] = (line === null ? null : /^data: ?(.*)$/s.exec(line)) ?? [];
    if (data !== undefined) {
      const value = parsed(data);
      if (!isRecord(value) || "name" in value) yield data;
    } else if (line === null || !/^(?:id|event|retry)?:/.test(line)) yield line;
  }
}

async function firstLine(path: string, { signal }: ReadingOptions): Promise<string | null | undefined> {
  const options = { lengthMax: lineLengthMax, signal, onRead: () => undefined };
  for await (const line of recordsOf(linesOf(path, options))) return line;
  return undefined;
}

function lineOptions({ signal, onProgress }: ReadingOptions, size: number): Parameters<typeof linesOf>[1] {
  return { lengthMax: lineLengthMax, signal, onRead: (bytes) => onProgress(bytes, size) };
}

async function readLines(path: string, size: number, options: ReadingOptions): Promise<Recording> {
  const values = async function* (): AsyncGenerator<unknown> {
    for await (const line of recordsOf(linesOf(path, lineOptions(options, size))))
      yield line === null ? undefined : parsed(line);
  };
  return recordingOf(path, values(), options);
}

async function readDocument(path: string, size: number, options: ReadingOptions): Promise<Recording> {
  if (size > documentBytesMax) {
    const rule = `one document may have ${documentBytesMax} bytes; a journal of any size is read as lines of JSON`;
    throw notOne(path, rule, `${size} bytes`);
  }
  // The decoder leaves out the mark of its encoding that a file may begin with.
  const value = parsed(new TextDecoder().decode(readFileSync(path)));
  if (isRecord(value) && value["format"] === format) return { dump: asDump(path, value), damaged: 0 };
  const entries = isRecord(value) ? value["entries"] : value;
  if (Array.isArray(entries)) return recordingOf(path, entries, options);
  // Lines of which the first is damaged, or something else.
  return readLines(path, size, options);
}

async function recordingOf(
  path: string,
  values: AsyncIterable<unknown> | Iterable<unknown>,
  { direction = "maximise", bounds, signal }: ReadingOptions,
): Promise<Recording> {
  const tracker = new Tracker({ direction, individualsMax });
  const events = new RecordedEvents(tracker);
  const builder = new DumpBuilder(bounds);
  let [count, damaged] = [0, 0];
  for await (const value of values) {
    const entry = entryOf(value, count + 1);
    if (entry === undefined) damaged++;
    else {
      if (!events.tell(entry)) damaged++;
      builder.addEvent(entry);
      if (++count % atOnce === 0) await nextTurn();
    }
    signal.throwIfAborted();
  }
  if (count === 0) {
    const got = damaged === 0 ? "an empty file" : `${damaged} of something else, and no event`;
    throw notOne(path, "it must be a journal, as lines of JSON or one document, or what --dump wrote", got);
  }
  for (const report of individualReports(tracker)) builder.add(report);
  const dump = builder.finish({
    origin: `journal ${basename(path)}`,
    takenAt: systemClock.now(),
    direction,
    forgotten: tracker.size().forgotten,
    runs: [],
  });
  return { dump, damaged };
}

function asDump(path: string, value: Readonly<Record<string, unknown>>): EvolutionDump {
  const { formatVersion } = value;
  if (formatVersion !== 1)
    throw notOne(
      path,
      "its format must be version 1",
      `${show(formatVersion)}; another version of vivarium wrote it`,
    );
  for (const name of ["individuals", "events", "runs", "texts"]) {
    const list = value[name];
    if (!Array.isArray(list)) throw notOne(path, `its ${name} must be a list`, show(list));
    const isRight = name === "texts" ? (one: unknown) => typeof one === "string" : isRecord;
    const wrong = list.findIndex((one) => !isRight(one));
    const kind = name === "texts" ? "a text" : "a record";
    if (wrong >= 0) throw notOne(path, `its ${name}[${wrong}] must be ${kind}`, show(list[wrong]));
  }
  // Its lists are there; each entry is taken as what the same package wrote, which the page checks before it shows it.
  return value as unknown as EvolutionDump;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function notOne(path: string, rule: string, got: string): InvalidOptionsError {
  return new InvalidOptionsError(`Cannot replay ${show(path)} as ${rule}: got ${got}`, "path");
}
