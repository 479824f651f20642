// All that the page knows, but for what it asks for when somebody looks at it. Changed by pages of individuals, by events and by
// figures; read by views.
import type { AnyEvent } from "../../../src/index.ts";
import type { IndividualEntry, RunEntry } from "../../../src/contract/evolution-bodies.ts";
import { Changes } from "./changes.ts";
import { EventLog } from "./event-log.ts";
import { Individuals } from "./individuals.ts";
import { ServerClock } from "./server-clock.ts";
import { Samples } from "./samples.ts";
import { Timeline } from "./timeline.ts";

/** How the page is connected to what it shows. `ended`: there will be nothing more. */
export type Connection =
  | { readonly state: "connecting" | "open" | "recorded" }
  | { readonly state: "lost"; readonly since: number; readonly message: string }
  | { readonly state: "ended"; readonly message: string };

export class Model {
  readonly changes: Changes;
  readonly individuals: Individuals = new Individuals();
  /** Evaluations by how they ended. */
  readonly evaluations: Timeline = new Timeline();
  /** Enforcement: what was killed, by reason. */
  readonly kills: Timeline = new Timeline();
  readonly events: EventLog = new EventLog();
  readonly samples: Samples = new Samples();
  /** Of what happens just now: a source tells it. */
  readonly clock: ServerClock = new ServerClock();
  runs: readonly RunEntry[] = [];
  connection: Connection = { state: "connecting" };
  /** How many individuals there are to be read before what is shown is whole; null when it is. */
  loading: { readonly done: number; readonly total: number } | null = null;
  /** How many events did not reach the page; null where that is not known. */
  missed: number | null = 0;
  /** How many individuals the tracker does not remember any more. */
  forgotten = 0;

  constructor(changes: Changes = new Changes()) {
    this.changes = changes;
  }

  /** How many evaluations are known, of those whose events were heard and of those that are told of later. */
  get evaluated(): number {
    return Math.max(this.evaluations.total, this.individuals.counts.evaluated);
  }

  /** What a page of the tracker's table says. True where an id is another individual's than the one that had it. */
  addEntries(entries: readonly IndividualEntry[]): boolean {
    const { individuals } = this;
    let isUsedAgain = false;
    for (const entry of entries) {
      const known = individuals.find(entry.id);
      isUsedAgain ||= known !== undefined && individuals.isPaged(known);
      if (this.individuals.put(entry) && entry.evaluatedAt !== null)
        this.evaluations.add(entry.result, entry.evaluatedAt);
    }
    this.changes.mark();
    return isUsedAgain;
  }

  /**
   * They were in no population when a page told of them, and are in one now. True where the id of one of them is that of several
   * individuals, or of nobody here: then everything has to be read anew.
   */
  addJoins(entries: readonly IndividualEntry[]): boolean {
    const { individuals } = this;
    let isDoubtful = false;
    for (const { id, population } of entries) {
      const row = individuals.find(id);
      if (row === undefined || individuals.isUsedAgain(id)) isDoubtful = true;
      else individuals.joined(row, population);
    }
    this.changes.mark();
    return isDoubtful;
  }

  /** Something happened. */
  apply(any: AnyEvent): void {
    this.events.push(any);
    this.#fold(any);
    this.changes.mark();
  }

  setConnection(connection: Connection): void {
    this.connection = connection;
    this.changes.mark();
  }

  /** Forgets individuals and their evaluations, to be told of them anew. */
  clearIndividuals(): void {
    this.individuals.clear();
    this.evaluations.clear();
    this.changes.mark();
  }

  /** Forgets everything. */
  clear(): void {
    this.clearIndividuals();
    this.kills.clear();
    this.events.clear();
    this.samples.clear();
    this.changes.mark();
  }

  #fold({ name, event, at }: AnyEvent): void {
    const { individuals } = this;
    if (name === "lineage.born")
      individuals.born({
        id: event.sandboxId,
        parentIds: event.parentIds,
        generation: event.generation,
        at,
      });
    else if (name === "sandbox.destroy.stop") individuals.died(event.sandboxId);
    else if (name === "fitness.computed") {
      const { sandboxId, score, result, components, evaluatedAt, durationMs, population } = event;
      const row =
        individuals.find(sandboxId) ??
        individuals.born({ id: sandboxId, parentIds: [], generation: event.generation, at });
      const more = { components, durationMs, population };
      if (individuals.evaluated(row, { score, result, at: evaluatedAt, ...more }))
        this.evaluations.add(result, at);
    } else if (name === "fitness.adjusted") {
      const row = individuals.find(event.sandboxId);
      if (row !== undefined) individuals.setScore(row, event.score);
    } else if (name === "sandbox.killed") this.kills.add(event.reason, at);
    else if (name === "resource.sampled") this.samples.push({ at, ...event });
  }
}
