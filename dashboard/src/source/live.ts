// A server as a source: its individuals page by page, then events. Events are listened to before the first page is asked for and
// applied behind the last one, so that none is missed; what both say is said once.
import type { AnyEvent } from "../../../src/index.ts";
import type { IndividualReport, IndividualsPage } from "../../../src/contract/evolution-bodies.ts";
import type { Scope } from "../../../src/contract/operations.ts";
import type { EventConnection, EventGap, RemoteRuntime } from "../../../src/client/types.ts";
import { pause } from "../../../src/std/abort.ts";
import type { Clock } from "../../../src/std/clock.ts";
import { portableClock } from "../../../src/std/portable.ts";
import type { Model } from "../model/model.ts";
import { followedNames } from "./event-names.ts";
import { LateJoins } from "./late-joins.ts";
import { pageSize, Questions } from "./questions.ts";
import type { Source } from "./source.ts";

const refreshMs = 3_000;
/** So many events wait at most while pages are read; of more the individuals are read once more. */
const heldMax = 200_000;
/** Questions about those who may have joined a population, at each look. */
const lateJoinsMax = 8;
/** Where ids are used again, the next reading waits so many times as long as the one before it took. */
const restTimes = 10;
const restMsMax = 600_000;

export interface LiveOptions {
  readonly runtime: RemoteRuntime;
  readonly model: Model;
  readonly origin: string;
  /** Whether somebody can see it: nothing is asked for again and again while nobody does. Default: always. */
  readonly isSeen?: () => boolean;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

export class LiveSource implements Source {
  readonly runtime: RemoteRuntime;
  readonly origin: string;
  readonly scope: Scope;
  readonly slider = null;
  readonly #model: Model;
  readonly #clock: Clock;
  readonly #isSeen: () => boolean;
  readonly #end = new AbortController();
  readonly #questions: Questions;
  /** Events that wait until the pages are read; null when they are. */
  #held: AnyEvent[] | null = [];
  /** Where the next page begins that was not read. */
  #next = 0;
  /** How often all was read. */
  #readings = 0;
  #isReading = false;
  /** What was read so far may lack what an event would have said. */
  #isStale = false;
  /** An id was used again, so that an event may have been taken for one of another individual. */
  #isDoubtful = false;
  /** No reading because of a doubt before this. */
  #restUntilMs = -Infinity;
  /** Whether the stream of events was open ever, and whether pages were read before it was. */
  #hasOpened = false;
  #hasReadUnheard = false;
  /** A page has told of each row before this one; and how many rows there were at the latest look. */
  #paged = 0;
  #sizeBefore = 0;
  readonly #lateJoins = new LateJoins();
  /** Who died, by events, since all was read. */
  readonly #died = new Set<string>();

  constructor({ runtime, model, origin, isSeen = () => true, clock = portableClock }: LiveOptions) {
    this.runtime = runtime;
    this.origin = origin;
    this.scope = runtime.about.scope;
    this.#model = model;
    this.#clock = clock;
    this.#isSeen = isSeen;
    this.#questions = new Questions({
      runtime,
      signal: this.#end.signal,
      onPage: () => (this.#hasReadUnheard ||= !this.#hasOpened),
    });
  }

  /** Reads what there is and follows what happens, until it is closed. */
  begin(): void {
    const stop = this.runtime.events.onAny((any) => this.#take(any), { names: followedNames });
    this.#end.signal.addEventListener("abort", stop, { once: true });
    this.#read();
    void this.#follow();
  }

  individual(id: string): Promise<IndividualReport | null> {
    return this.#questions.individual(id);
  }

  /** Events did not arrive: what they said is in the pages. */
  onMissed({ missed, error }: EventGap): void {
    if (this.#end.signal.aborted) return;
    const model = this.#model;
    model.missed = missed === null || model.missed === null ? null : model.missed + missed;
    if (error !== null) model.setConnection({ state: "ended", message: error.message });
    else this.#read();
  }

  onConnection({ open, error }: EventConnection): void {
    const model = this.#model;
    if (model.connection.state === "ended" || this.#end.signal.aborted) return;
    if (open) this.#onOpen();
    else if (model.connection.state !== "lost")
      model.setConnection({
        state: "lost",
        since: this.#clock.now(),
        message: error?.message ?? "The server ended the connection.",
      });
  }

  close(): void {
    this.#end.abort();
    void this.runtime.close();
  }

  // Nobody tells what happened between pages that were read while no stream was open, and its beginning.
  #onOpen(): void {
    this.#model.setConnection({ state: "open" });
    const isUnheard = !this.#hasOpened && this.#hasReadUnheard;
    this.#hasOpened = true;
    if (isUnheard) this.#read();
  }

  #take(any: AnyEvent): void {
    if (this.#end.signal.aborted) return;
    this.#model.clock.observe(any.at, this.#clock.now());
    if (this.#held === null) return this.#apply(any);
    if (this.#held.length < heldMax) return void this.#held.push(any);
    // It is told, but the pages that are read now take the place of what it says of individuals.
    this.#model.apply(any);
    this.#isDoubtful = true;
  }

  // A birth of one that is dead is told already by a page, or its id is used again: then a page will tell it as another.
  #apply(any: AnyEvent): void {
    const { individuals } = this.#model;
    if (any.name === "sandbox.destroy.stop") this.#died.add(any.event.sandboxId);
    if (any.name === "lineage.born") {
      const { sandboxId } = any.event;
      const row = individuals.find(sandboxId);
      if (row !== undefined && individuals.state(row) === "dead") {
        // That death may have been another's, who had the id before.
        if (this.#died.has(sandboxId)) this.#isDoubtful = true;
        return this.#log(any);
      }
    }
    // Nobody that is known, or remembered: a page tells it with its evaluation.
    if (any.name === "fitness.computed" && individuals.find(any.event.sandboxId) === undefined)
      return this.#log(any);
    this.#model.apply(any);
  }

  #log(any: AnyEvent): void {
    this.#model.events.push(any);
    this.#model.changes.mark();
  }

  // Reads everything anew; one reading at a time, until one succeeds.
  #read(): void {
    if (this.#end.signal.aborted) return;
    this.#held ??= [];
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    void this.#readAll();
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#end;
    const model = this.#model;
    const beganMs = this.#clock.monotonic();
    for (let isRead = false; !isRead && !signal.aborted;) {
      this.#isStale = false;
      this.#isDoubtful = false;
      try {
        await this.#readPages();
        isRead = !this.#isStale;
      } catch (error) {
        if (signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        const { code } = error as { readonly code?: string };
        if (code === "FORBIDDEN" || code === "UNAUTHENTICATED")
          return model.setConnection({ state: "ended", message });
        await pause(this.#clock, refreshMs, signal);
      }
    }
    if (signal.aborted) return;
    const held = this.#held ?? [];
    this.#held = null;
    this.#died.clear();
    // In the same turn: who asks for another reading must not find one that is over.
    this.#isReading = false;
    const nowMs = this.#clock.monotonic();
    this.#restUntilMs = nowMs + Math.min((nowMs - beganMs) * restTimes, restMsMax);
    for (const any of held) this.#apply(any);
  }

  // What was known is replaced only when all of it is there.
  async #readPages(): Promise<void> {
    const model = this.#model;
    // What came until now is in the pages that are asked for from now on.
    for (const any of this.#held?.splice(0) ?? []) model.apply(any);
    // Those that cannot be read now are read with what no event says.
    const runs = this.#questions.runs().catch(() => model.runs);
    const { pages, next } = await this.#questions.whole((done, total) => {
      model.loading = { done, total };
      model.changes.mark();
    });
    model.runs = await runs;
    this.#end.signal.throwIfAborted();
    this.#readings++;
    this.#next = next;
    this.#paged = this.#sizeBefore = 0;
    this.#lateJoins.clear();
    model.clearIndividuals();
    model.individuals.direction = pages[0]?.direction ?? "maximise";
    model.forgotten = pages[0]?.forgotten ?? 0;
    model.loading = null;
    let at = 0;
    for (const { individuals } of pages) {
      model.addEntries(individuals);
      at += individuals.length;
      // Who was born long ago has joined if at all.
      if (at > next - pageSize)
        this.#lateJoins.add(at - individuals.length, individuals, this.#clock.monotonic());
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#end;
    for (
      await pause(this.#clock, refreshMs, signal);
      !signal.aborted;
      await pause(this.#clock, refreshMs, signal)
    )
      if (this.#isSeen()) await this.#refresh();
  }

  // What no event says: individuals without a sandbox, their populations, and what the evolution says of itself.
  async #refresh(): Promise<void> {
    const model = this.#model;
    if (this.#held !== null || model.connection.state === "ended") return;
    if (this.#isDoubtful && this.#clock.monotonic() >= this.#restUntilMs) return this.#read();
    try {
      const readings = this.#readings;
      const runs = await this.#questions.runs();
      for (let after: number | null = this.#next; after !== null;) {
        const page = await this.#questions.page(after);
        if (!this.#isOfShown(page, readings)) return;
        this.#lateJoins.add(this.#next, page.individuals, this.#clock.monotonic());
        this.#next += page.individuals.length;
        if (model.addEntries(page.individuals)) this.#isDoubtful = true;
        after = page.next;
      }
      await this.#readLateJoins(readings);
      if (!this.#isShown(readings)) return;
      this.#checkRows();
      model.runs = runs;
      model.changes.mark();
    } catch {
      // The stream of events says that the connection is lost.
    }
  }

  /** Whether a page is of what is shown. Where all has to be read anew, that begins. */
  #isOfShown(page: IndividualsPage, readings: number): boolean {
    if (!this.#isShown(readings)) return false;
    const isSame = page.forgotten === this.#model.forgotten;
    if (!isSame) this.#read();
    return isSame;
  }

  /** Whether what was read then is shown still, and is not being read anew. */
  #isShown(readings: number): boolean {
    return this.#held === null && this.#readings === readings && !this.#end.signal.aborted;
  }

  async #readLateJoins(readings: number): Promise<void> {
    for (let left = lateJoinsMax; left > 0; left--) {
      const range = this.#lateJoins.due(this.#clock.monotonic());
      if (range === null) return;
      const page = await this.#questions.page(range.from, range.count);
      if (!this.#isOfShown(page, readings)) return;
      const joined = this.#lateJoins.again(range, page.individuals, this.#clock.monotonic());
      if (this.#model.addJoins(joined)) this.#isDoubtful = true;
    }
  }

  // What no page tells, though it was known at the look before, is not remembered any more.
  #checkRows(): void {
    const { individuals } = this.#model;
    while (individuals.isPaged(this.#paged)) this.#paged++;
    if (this.#paged < this.#sizeBefore) this.#isDoubtful = true;
    this.#sizeBefore = individuals.size;
  }
}
