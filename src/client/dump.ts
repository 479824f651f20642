// Takes the document of an evolution from a server: its individuals, each with its code, its runs and what is left of its journal.
import type { CancelOptions, JournalEntry } from "../index.ts";
import type { EvolutionDump, IndividualEntry, IndividualReport } from "../contract/evolution-bodies.ts";
import { byNeed, DumpBuilder, type DumpBounds } from "../contract/dump.ts";
import type { RemoteRuntime } from "./types.ts";

export interface TakeOptions extends DumpBounds {
  readonly signal?: AbortSignal | undefined;
  /** Where it is from, in words. */
  readonly origin: string;
  /** Now, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** Of how many individuals the code is asked for, one by one; of the others it is left out. Default: 20,000. */
  readonly reportsMax?: number;
  /** What is told where the server keeps no journal. */
  readonly events?: readonly JournalEntry[];
  /** Called as it goes on: how many individuals are there in full, of how many. */
  readonly onProgress?: (done: number, total: number) => void;
}

type Asked = Pick<RemoteRuntime, "about" | "individual" | "individuals" | "journal" | "runs">;

const reportsUsual = 20_000;
/** How many individuals are asked for at a time. */
const atOnce = 8;
const pageLimit = 5_000;
const journalLimit = 10_000;
/** How long the server may take for one answer. */
const answerMs = 60_000;
/** How often all is asked for anew, where individuals are forgotten meanwhile. */
const attemptsMax = 5;

/** Rejects with what the server answers, and where its signal is aborted. */
export async function takeDump(runtime: Asked, options: TakeOptions): Promise<EvolutionDump> {
  const { origin, takenAt, reportsMax = reportsUsual, signal, onProgress } = options;
  const { entries, direction, forgotten } = await allEntries(runtime, signal);
  // What is said of a whole runtime is not for a tenant.
  const runs = runtime.about.tenant === null ? await runtime.runs(bounded(signal)) : [];
  const reports = new Map<number, IndividualReport>();
  // Of an id that occurs again the server tells the latest.
  const latest = new Map(entries.map(({ id }, place) => [id, place]));
  const wanted = byNeed(entries, direction)
    .filter((place) => latest.get(entries[place]?.id ?? "") === place)
    .slice(0, reportsMax);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let place = wanted[next++]; place !== undefined; place = wanted[next++]) {
      signal?.throwIfAborted();
      const report = await reportOf(runtime, entries[place]?.id ?? "", signal);
      if (report !== null) reports.set(place, report);
      onProgress?.(reports.size, wanted.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    // Where one fails, the others ask for nothing more.
    next = wanted.length;
  }
  const builder = new DumpBuilder(options);
  for (const [place, entry] of entries.entries()) builder.add(reports.get(place) ?? bare(entry));
  for (const event of await journalOf(runtime, options)) builder.addEvent(event);
  return builder.finish({ origin, takenAt, direction, forgotten, runs });
}

async function allEntries(
  runtime: Asked,
  signal: AbortSignal | undefined,
): Promise<{
  readonly entries: readonly IndividualEntry[];
  readonly direction: EvolutionDump["direction"];
  readonly forgotten: number;
}> {
  let entries: IndividualEntry[] = [];
  for (let [after, before, attempt] = [0, -1, 1]; ;) {
    signal?.throwIfAborted();
    const page = await runtime.individuals({ after, limit: pageLimit, ...bounded(signal) });
    const { direction, forgotten, next } = page;
    // All places are others since then. A server that forgets all the time is not asked for ever.
    if (after > 0 && forgotten !== before && attempt < attemptsMax) {
      [entries, after] = [[], 0];
      attempt++;
      continue;
    }
    for (const entry of page.individuals) entries.push(entry);
    if (next === null) return { entries, direction, forgotten };
    [after, before] = [next, forgotten];
  }
}

// One that was forgotten meanwhile is known by its entry.
async function reportOf(
  runtime: Asked,
  id: string,
  signal: AbortSignal | undefined,
): Promise<IndividualReport | null> {
  try {
    return await runtime.individual(id, bounded(signal));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "SANDBOX_NOT_FOUND") return null;
    throw error;
  }
}

async function journalOf(
  { journal }: Asked,
  { signal, events = [] }: TakeOptions,
): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (let after = 0; ;) {
    const page = await journal.entries({ after, limit: journalLimit }, bounded(signal));
    for (const entry of page) entries.push(entry);
    const last = page.at(-1);
    if (last === undefined || page.length < journalLimit) break;
    after = last.number;
  }
  return entries.length > 0 ? entries : events;
}

function bare(entry: IndividualEntry): IndividualReport {
  const unknown = { mutation: null, tests: [], message: null, adjustments: [] };
  return { ...entry, ...unknown, sources: null, parentSources: null };
}

function bounded(signal: AbortSignal | undefined): CancelOptions {
  return { deadlineMs: answerMs, ...(signal === undefined ? {} : { signal }) };
}
