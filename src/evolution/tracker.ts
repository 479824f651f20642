// The memory of an evolution: lineage, fitness and populations over one table of individuals. It listens, and emits
// nothing but adjustments.
import { InvalidOptionsError } from "../model/errors.ts";
import { either, fields, func, integer, isRecord, requiredMethods, type Shape } from "../model/schema.ts";
import type { Events } from "../observability/bus.ts";
import { systemClock } from "../std/clock.ts";
import { FitnessRecords } from "./fitness-records.ts";
import { Individuals } from "./table/individuals.ts";
import { Lineage } from "./lineage.ts";
import type { Direction } from "./pareto.ts";
import { Populations } from "./populations.ts";

export interface TrackerOptions {
  /** Which scores are better. Default: `maximise`. */
  readonly direction?: Direction;
  /** How many individuals are remembered, living and dead; the oldest dead are forgotten first. Default: 1,000,000. */
  readonly individualsMax?: number;
  /** How long, as JSON, the mutation record of a dead individual may be to be kept. Default: 256. */
  readonly mutationBytesMax?: number;
  /**
   * How much is kept of the details of individuals that are dead, as JSON: components, tests, failures, adjustments. Beyond it
   * those of whoever died first go. Default: 32 MiB.
   */
  readonly detailBytesMax?: number;
  /**
   * How much is kept of the code of individuals, living and dead, each module once. Beyond it goes first the code of the dead
   * without living descendants, the oldest first, then that of dead ancestors, then that of the living. Default: 64 MiB.
   */
  readonly sourceBytesMax?: number;
  /** How many generations of a population are retained, the present one included. Default: 3. */
  readonly retainGenerations?: number;
  /** Milliseconds since the epoch. Default: the machine's clock. */
  readonly now?: () => number;
}

/** What an evaluation says whose caller named no population. */
const unnamed = "default";
const MiB = 2 ** 20;
const countMax = Number.MAX_SAFE_INTEGER;
/** Rows are numbered by integers of 32 bits. */
const rowsMax = 2 ** 31 - 1;

const trackerOptions = fields({
  direction: either(["maximise", "minimise"], "maximise"),
  individualsMax: integer({ min: 10, max: rowsMax, default: 1_000_000 }),
  mutationBytesMax: integer({ min: 0, max: countMax, default: 256 }),
  detailBytesMax: integer({ min: 0, max: countMax, default: 32 * MiB }),
  sourceBytesMax: integer({ min: 0, max: countMax, default: 64 * MiB }),
  retainGenerations: integer({ min: 1, max: countMax, default: 3 }),
  now: func<() => number>(),
} satisfies Shape<TrackerOptions>);

const followed = requiredMethods<Events>("on", "onAny", "publish");

/** Keeps the memory of a tracker beyond its process. */
export interface Persistence {
  /** Resolves when everything so far is persisted. */
  saved(): Promise<void>;
  close(): Promise<void>;
}

/** What a tracker holds. */
export interface TrackerSize {
  readonly individuals: number;
  readonly living: number;
  /** Those that had to make room. */
  readonly forgotten: number;
  /** The table's memory, without the texts of ids. */
  readonly tableBytes: number;
  /** What counts for `detailBytesMax` and `sourceBytesMax`. */
  readonly detailBytes: number;
  readonly sourceBytes: number;
}

export class Tracker implements AsyncDisposable {
  /** @internal */
  readonly table: Individuals;
  /** @internal Undefined for one that is forgotten with its process. */
  persistence: Persistence | undefined;
  readonly #followed = new Set<Events>();
  readonly #ends = new Set<() => void>();
  /** Which scores are better. */
  readonly direction: Direction;
  readonly lineage: Lineage;
  readonly fitness: FitnessRecords;
  readonly populations: Populations;
  /** For `runtime.retention`: of the living, the members of past generations that no population retains. */
  readonly retention = (living: readonly string[]): readonly string[] => this.populations.outdated(living);

  constructor(options: TrackerOptions = {}) {
    if (isRuntime(options)) throw mistake("options", "a tracker's, which is then given");
    const complete = trackerOptions.read(options, "options");
    const { direction, individualsMax, retainGenerations } = complete;
    const { now = () => systemClock.now() } = complete;
    this.direction = direction;
    this.table = new Individuals(complete);
    this.lineage = new Lineage(this.table);
    this.fitness = new FitnessRecords(this.table, direction, ({ id: sandboxId, ...adjustment }) => {
      for (const events of this.#followed) events.publish("fitness.adjusted", { sandboxId, ...adjustment });
    });
    this.populations = new Populations({
      table: this.table,
      fitness: this.fitness,
      now,
      retainGenerations,
      outdatedMax: individualsMax,
    });
  }

  /** Follows a runtime: births, deaths and fitness; emits adjustments there. Returns a function that ends it. */
  follow(events: Events): () => void {
    if (isRuntime(events)) throw mistake("events", "those of a runtime, as in");
    followed.read(events, "events");
    this.#followed.add(events);
    // Nobody waits for what a tracker records.
    const on: Events["on"] = (name, act) => events.on(name, act, { background: true });
    const ends = [
      on("lineage.born", (event) => {
        const { sandboxId: id, parentIds, generation, mutation, checksum, sources, createdAt } = event;
        // A birth may be known from the runtime's list before it is reported.
        if (this.table.livingOf(id)?.createdAt === createdAt) return;
        this.lineage.born({ id, parentIds, generation, mutation, checksum, ...(sources && { sources }) });
        this.table.identify(id, { createdAt, checksum });
      }),
      on("lineage.mutated", ({ sandboxId: id, mutation, checksum, sources, createdAt }) => {
        if (this.table.livingOf(id)?.createdAt === createdAt)
          this.lineage.mutated({ id, mutation, checksum, ...(sources && { sources }) });
      }),
      on("sandbox.destroy.stop", ({ sandboxId }) => {
        this.populations.died(sandboxId);
        this.lineage.died(sandboxId);
      }),
      on("fitness.computed", (event) => {
        const { sandboxId: id, score, result, components, revision, evaluatedAt } = event;
        const { durationMs: evaluationMs, tests = [], message, createdAt, population } = event;
        if (this.#isAnother(id, createdAt)) return;
        const more = { components, tests, message, revision, evaluatedAt, evaluationMs };
        this.fitness.record({ id, score, result, ...more });
        if (population !== unnamed) this.table.joined(population, [id]);
      }),
    ];
    const unfollow = (): void => {
      this.#followed.delete(events);
      this.#ends.delete(unfollow);
      for (const end of ends) end();
    };
    this.#ends.add(unfollow);
    return unfollow;
  }

  /**
   * Of a tracker that `openTracker` made: resolves when everything so far is persisted, and rejects with `STORE_FAILED` when
   * that failed; it is then tried again later. Any other has nothing to persist.
   */
  async saved(): Promise<void> {
    await this.persistence?.saved();
  }

  /**
   * Follows nothing any more, and persists what is left; rejects with `STORE_FAILED` when that failed. Close it before its
   * runtime. What is recorded later is not persisted.
   */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    await this.persistence?.close();
  }

  // A sandbox may be destroyed while it is evaluated, and its id used again.
  #isAnother(id: string, createdAt: number): boolean {
    const row = this.table.find(id);
    const known = row === undefined ? undefined : this.table.detailsOf(row)?.createdAt;
    return typeof known === "number" && known !== createdAt;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  size(): TrackerSize {
    const { size, living, forgotten, bytes, detailBytes, code } = this.table;
    const sourceBytes = code.codes.bytes;
    return { individuals: size, living, forgotten, tableBytes: bytes, detailBytes, sourceBytes };
  }
}

function isRuntime(given: unknown): boolean {
  return isRecord(given) && isRecord(given["events"]);
}

function mistake(path: string, rule: string): InvalidOptionsError {
  const message = `Cannot use ${path} as they must be ${rule} follow(runtime.events): got a runtime`;
  return new InvalidOptionsError(message, path);
}
