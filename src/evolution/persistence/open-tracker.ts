// A tracker that continues where an earlier one ended: what that wrote is read, compared with the sandboxes that there are, and
// followed from there, so that nothing is missed that happened while no tracker listened.
import type { Runtime } from "../../api/types/runtime.ts";
import { InvalidOptionsError, VivariumError } from "../../model/errors.ts";
import type { LatestFitness } from "../../model/fitness.ts";
import type { SandboxInfo } from "../../model/sandboxes/sandbox-info.ts";
import { requiredMethods } from "../../model/schema.ts";
import type { Events } from "../../observability/bus.ts";
import { nextTurn } from "../../std/clock.ts";
import { inSlices } from "../../std/slicing.ts";
import { readMissingSources } from "./missing-sources.ts";
import { StoredTracker } from "./stored-tracker.ts";
import { Tracker, type TrackerOptions } from "../tracker.ts";

type TrackedRuntime = Pick<Runtime, "documents" | "events" | "info" | "list">;

/** An individual that was believed to be living and is not. */
interface Gone {
  readonly id: string;
  readonly createdAt: number | null;
}

/** How many tombstones are read before other work has a turn. */
const tombstonesAtOnce = 100;
/** There is no tombstone, or there can be none of such an id. */
const unknownCodes: ReadonlySet<string> = new Set(["SANDBOX_NOT_FOUND", "INVALID_ID"]);
const asked = requiredMethods<TrackedRuntime>("list", "info");
const kept = requiredMethods<Runtime["documents"]>("read", "write");
/** Of these a tracker is open. Two would write over each other. */
const open = new WeakSet<object>();

/**
 * A tracker whose memory is in the documents of a runtime. It has what an earlier one wrote, knows every sandbox that there is,
 * with its ancestry, code and latest fitness, also those that were created before, and follows the runtime. Rejects with
 * `STORE_FAILED` when the store cannot be read. A runtime has at most one at a time.
 */
export async function openTracker(
  runtime: Pick<Runtime, "documents" | "events" | "info" | "list"> & Partial<Pick<Runtime, "get">>,
  options?: TrackerOptions,
): Promise<Tracker> {
  asked.read(runtime, "runtime");
  const { documents } = runtime;
  kept.read(documents, "runtime.documents");
  const tracker = new Tracker(options);
  if (open.has(documents))
    throw new InvalidOptionsError(
      "Cannot open a tracker as its runtime must have no other one that is open: it has",
      "runtime",
    );
  open.add(documents);
  const store = new StoredTracker(tracker, documents);
  tracker.persistence = {
    saved: () => store.saved(),
    close: () => store.close().finally(() => open.delete(documents)),
  };
  try {
    await store.load();
    const gone = await follow(tracker, runtime);
    store.begin();
    await readTombstones(tracker, runtime, gone);
    const { get } = runtime;
    if (get !== undefined) await readMissingSources(tracker.table, { get: (id) => get.call(runtime, id) });
    return tracker;
  } catch (error) {
    // The first error is the one to report.
    await tracker.close().catch(() => {});
    throw error;
  }
}

async function follow(tracker: Tracker, runtime: TrackedRuntime): Promise<readonly Gone[]> {
  const held = new HeldEvents(runtime.events);
  tracker.follow(held);
  // What happens from here on is held back until the list is compared.
  const infos = await runtime.list();
  const present = new Map(infos.filter(isBorn).map((info) => [info.id, info]));
  const gone = await inSlices(compare(tracker, present), undefined);
  held.release();
  return gone;
}

async function readTombstones(
  tracker: Tracker,
  runtime: TrackedRuntime,
  gone: readonly Gone[],
): Promise<void> {
  for (const [index, one] of gone.entries()) {
    await readTombstone(tracker, runtime, one);
    if (index % tombstonesAtOnce === 0) await nextTurn();
  }
}

// One that is being created is reported later.
function isBorn({ status, modules }: SandboxInfo): boolean {
  return status !== "creating" || Object.keys(modules).length > 0;
}

// Deaths come first, as an id may be used again.
function* compare(
  tracker: Tracker,
  present: ReadonlyMap<string, SandboxInfo>,
): Generator<void, readonly Gone[]> {
  const { table, lineage, populations } = tracker;
  const gone: Gone[] = [];
  for (let row = 0; row < table.size; row++) {
    if (!table.isLiving(row)) continue;
    const id = table.idOf(row);
    const { createdAt = null } = table.detailsOf(row) ?? {};
    const info = present.get(id);
    const isSame = info !== undefined && (createdAt === null || createdAt === info.createdAt);
    if (isSame) continue;
    if (info === undefined) gone.push({ id, createdAt });
    populations.died(id);
    lineage.died(id);
    yield;
  }
  for (const info of present.values()) {
    meet(tracker, info);
    yield;
  }
  return gone;
}

function meet(tracker: Tracker, info: SandboxInfo): void {
  const { id, createdAt, fitness } = info;
  const checksum = checksumOf(info);
  const known = tracker.table.livingOf(id);
  if (known === undefined) bear(tracker, info, checksum);
  // Reloaded while no tracker listened.
  const before = known?.checksum ?? null;
  if (before !== null && checksum !== null && before !== checksum)
    tracker.lineage.mutated({ id, mutation: info.mutation, checksum });
  tracker.table.identify(id, { createdAt, checksum });
  if (fitness !== null) noteFitness(tracker, id, fitness);
}

function bear({ lineage }: Tracker, { id, ancestry, mutation }: SandboxInfo, checksum: string | null): void {
  const { parentIds, generation } = ancestry;
  const birth = { id, generation, mutation, checksum };
  try {
    lineage.born({ ...birth, parentIds });
  } catch (error) {
    // Where ids are used again a parent may be named like a descendant: better without parents than not at all.
    if (!(error instanceof InvalidOptionsError) || error.option !== "parentIds") throw error;
    lineage.born(birth);
  }
}

// The same text as a birth is reported with.
function checksumOf({ modules }: SandboxInfo): string | null {
  const codes = Object.entries(modules).map(([name, { checksum }]) => `${name}=${checksum}`);
  return codes.length === 0 ? null : codes.sort().join("&");
}

function noteFitness({ fitness }: Tracker, id: string, latest: LatestFitness): void {
  const { score, result, revision, evaluatedAt, ...more } = latest;
  const known = fitness.get(id);
  const isNewer =
    known === undefined ||
    evaluatedAt > known.evaluatedAt ||
    (evaluatedAt === known.evaluatedAt && revision > known.revision);
  if (!isNewer) return;
  // A score beside a failure was stored by an earlier version, which had those of `onFailure` there.
  const measured = result === "ok" ? score : null;
  fitness.record({ id, score: measured, result, revision, evaluatedAt, ...more });
}

// What is left of a sandbox that is gone knows its last fitness.
async function readTombstone(
  tracker: Tracker,
  runtime: TrackedRuntime,
  { id, createdAt }: Gone,
): Promise<void> {
  try {
    const info = await runtime.info(id);
    const isSame = tracker.table.isDead(id) && (createdAt === null || createdAt === info.createdAt);
    if (isSame && info.fitness !== null) noteFitness(tracker, id, info.fitness);
  } catch (error) {
    const isUnknown = error instanceof VivariumError && unknownCodes.has(error.code);
    if (!isUnknown) throw error;
  }
}

// Events of a runtime that are passed on only from some moment on, none lost.
class HeldEvents implements Events {
  readonly #events: Events;
  #held: (() => void)[] | undefined = [];

  constructor(events: Events) {
    this.#events = events;
  }

  on: Events["on"] = (name, act, options) =>
    this.#events.on(
      name,
      (event) => {
        if (this.#held === undefined) act(event);
        else this.#held.push(() => act(event));
      },
      options,
    );

  onAny: Events["onAny"] = (act, options) => this.#events.onAny(act, options);

  publish: Events["publish"] = (name, event) => this.#events.publish(name, event);

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const act of held) {
      try {
        act();
      } catch (error) {
        // As the bus does with a listener that throws: one event is lost, the others are not.
        if (!(error instanceof InvalidOptionsError)) throw error;
      }
    }
  }
}
