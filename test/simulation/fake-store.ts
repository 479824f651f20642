// A store that is slow, fails and hangs. What it holds outlives the runtime that wrote it. Requests are carried out each in
// its own time, so that whoever needs an order has to wait; or as a data folder does it, in groups that are written as a
// whole, of which a machine that loses its power may lose the last.
import type { StateCapture } from "../../src/model/sandboxes/process.ts";
import type { Clock } from "../../src/std/clock.ts";
import type { Store, StoredRecord, StoredSandbox, Tombstone } from "../../src/store/store.ts";
import type { Dice } from "./dice.ts";
import type { Trouble } from "./trouble.ts";

/** How many groups are remembered, to be lost. */
const groupsMax = 3;

/** What was written, and whether anyone can be sure of it. */
export class Disk {
  readonly kept = new Map<string, string>();
  readonly tombstones = new Map<string, string>();
  /** What there was before each of the last groups. */
  #before: { readonly kept: Map<string, string>; readonly tombstones: Map<string, string> }[] = [];
  /** Ids whose latest request failed, hung or is under way: either of two contents is right. */
  readonly unsure = new Set<string>();

  read(id: string): StoredSandbox | undefined {
    const text = this.kept.get(id);
    return text === undefined ? undefined : (JSON.parse(text) as StoredSandbox);
  }

  /** A group is about to be written. */
  beginGroup(): void {
    const { kept, tombstones } = this;
    this.#before = [...this.#before, { kept: new Map(kept), tombstones: new Map(tombstones) }].slice(
      -groupsMax,
    );
  }

  /** The last groups are gone. */
  loseGroups(count: number): void {
    const before = this.#before.at(-count);
    this.#before = [];
    if (before === undefined) return;
    for (const name of ["kept", "tombstones"] as const) {
      this[name].clear();
      for (const [id, text] of before[name]) this[name].set(id, text);
    }
    this.unsure.clear();
  }

  all(): StoredSandbox[] {
    return [...this.kept.keys()].map((id) => this.read(id) as StoredSandbox);
  }
}

export interface FakeStoreParts {
  readonly disk: Disk;
  readonly clock: Pick<Clock, "after">;
  readonly dice: Dice;
  readonly trouble: Trouble;
}

interface Request {
  readonly id: string;
  isHung?: boolean;
  readonly write: () => void;
}

interface Grouped {
  readonly request: Request;
  readonly done: PromiseWithResolvers<void>;
}

export class FakeStore implements Store {
  /** A request of it has hung. */
  hasHung = false;
  readonly #parts: FakeStoreParts;
  readonly #underway = new Set<Request>();
  #gathering: Grouped[] = [];
  #committing: readonly Grouped[] = [];
  isOver = false;
  isClosed = false;
  /** Calls after the store was closed, which nobody may make. */
  late: string | undefined;

  constructor(parts: FakeStoreParts) {
    this.#parts = parts;
  }

  /** Whether any request is under way that takes longer than it may. */
  get isHung(): boolean {
    return [...this.#underway].some((request) => request.isHung === true);
  }

  open(): Promise<readonly StoredSandbox[]> {
    const { clock, dice, trouble, disk } = this.#parts;
    const isFailing = trouble.strikes("store-fail", dice, 0.1);
    const delayMs = trouble.strikes("store-slow", dice, 0.3) ? dice.between(0, 5_000) : dice.between(0, 10);
    return new Promise((resolve, reject) => {
      clock.after(delayMs, () => {
        if (this.isOver) return;
        if (isFailing) reject(new Error("the disk is away"));
        else resolve(disk.all());
      });
    });
  }

  save(sandbox: StoredSandbox): Promise<void> {
    // As it is at this moment: what its owner changes later is another matter.
    const text = JSON.stringify(sandbox);
    const { kept } = this.#parts.disk;
    return this.#request("save", { id: sandbox.id, write: () => void kept.set(sandbox.id, text) });
  }

  saveState(id: string, state: StateCapture): Promise<void> {
    return this.#request("saveState", { id, write: this.#changing(id, { state }) });
  }

  saveRecord(id: string, record: StoredRecord): Promise<void> {
    return this.#request("saveRecord", { id, write: this.#changing(id, { record }) });
  }

  remove(id: string, tombstone?: Tombstone): Promise<void> {
    const { kept, tombstones } = this.#parts.disk;
    const text = JSON.stringify(tombstone);
    const write = (): void => {
      kept.delete(id);
      tombstones.set(id, text);
    };
    return this.#request("remove", { id, write });
  }

  tombstones(): Promise<readonly Tombstone[]> {
    return Promise.resolve(
      [...this.#parts.disk.tombstones.values()].map((text) => JSON.parse(text) as Tombstone),
    );
  }

  #changing(id: string, change: Partial<StoredSandbox>): () => void {
    const { kept } = this.#parts.disk;
    const text = JSON.stringify(change);
    return () => {
      const stored = kept.get(id);
      if (stored === undefined) return;
      kept.set(id, JSON.stringify({ ...(JSON.parse(stored) as object), ...(JSON.parse(text) as object) }));
    };
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  /**
   * The machine stops: each request that is under way was carried out, or was not; a group as a whole. Where it loses its
   * power as well, the last groups are gone, though their callers were told.
   */
  crash(): void {
    this.isOver = true;
    const { dice, disk, trouble } = this.#parts;
    if (dice.chance(0.5)) for (const { request } of this.#committing) request.write();
    const lost = dice.between(1, groupsMax);
    if (trouble.strikes("power-cut", dice, 0.5)) disk.loseGroups(lost);
    for (const { write } of this.#underway) if (dice.chance(0.5)) write();
    this.#underway.clear();
  }

  #request(what: string, request: Request): Promise<void> {
    const { clock, dice, trouble, disk } = this.#parts;
    if (this.isClosed) this.late = `${what} ${request.id}`;
    if (trouble.names.has("store-group")) return this.#group(request);
    const isHung = trouble.strikes("store-hang", dice, 0.01);
    this.hasHung ||= isHung;
    const isFailing = trouble.strikes("store-fail", dice, 0.03);
    const isWritten = dice.chance(isFailing ? 0.5 : 1);
    const hungMs = dice.between(31_000, 45_000);
    const slowMs = trouble.strikes("store-slow", dice, 0.3) ? dice.between(20, 3_000) : dice.between(0, 8);
    this.#underway.add(request);
    request.isHung = isHung;
    if (isHung) disk.unsure.add(request.id);
    return new Promise((resolve, reject) => {
      clock.after(isHung ? hungMs : slowMs, () => {
        if (this.isOver || !this.#underway.delete(request)) return;
        if (isWritten) request.write();
        // What comes so late, nobody waited for.
        if (isFailing || isHung) disk.unsure.add(request.id);
        else if (what !== "saveState" && what !== "saveRecord") disk.unsure.delete(request.id);
        if (isFailing) reject(new Error("the disk is full"));
        else resolve();
      });
    });
  }

  #group(request: Request): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#gathering.push({ request, done });
    if (this.#committing.length === 0) this.#commit();
    return done.promise;
  }

  // All that gathered meanwhile is the next group.
  #commit(): void {
    const { clock, dice, trouble, disk } = this.#parts;
    const group = this.#gathering.splice(0);
    this.#committing = group;
    const isFailing = trouble.strikes("store-fail", dice, 0.03);
    const slowMs = trouble.strikes("store-slow", dice, 0.3) ? dice.between(20, 3_000) : dice.between(0, 8);
    clock.after(slowMs, () => {
      if (this.isOver) return;
      this.#committing = [];
      if (!isFailing) disk.beginGroup();
      for (const { request, done } of group) {
        if (isFailing) done.reject(new Error("the disk is full"));
        else {
          request.write();
          done.resolve();
        }
      }
      if (this.#gathering.length > 0) this.#commit();
    });
  }
}
