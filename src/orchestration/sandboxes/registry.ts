// The table of all sandboxes by id and by key, and of stopped ones as tombstones, up to a bound.
import { SandboxExistsError, SandboxNotFoundError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Status } from "../../model/sandboxes/status.ts";
import type { Tombstone } from "../../store/store.ts";
import type { ManagedSandbox } from "./managed-sandbox.ts";
import type { SandboxRecord } from "./sandbox-record.ts";

/** Which sandboxes to list. Every condition given must hold. */
export interface ListFilter {
  /** Those with one of these statuses. Default: any. */
  readonly status?: Status | readonly Status[];
  /** Those that have all of these labels. Default: any. */
  readonly labels?: Readonly<Record<string, string>>;
  /** At most so many, in the order of creation. */
  readonly limit?: number;
}

/** About how many bytes all tombstones together may take. */
export const tombstonesBytesMax: number = 64 * 2 ** 20;

export class Registry {
  readonly #byId = new Map<SandboxId, ManagedSandbox>();
  readonly #byKey = new Map<number, ManagedSandbox>();
  readonly #tombstones = new Map<SandboxId, Tombstone & { readonly bytes: number }>();
  #tombstonesBytes = 0;
  readonly #tombstonesMax: number;
  #lastKey = 0;

  constructor(tombstonesMax: number) {
    this.#tombstonesMax = tombstonesMax;
  }

  /** How many there are, helpers included. */
  get size(): number {
    return this.#byKey.size;
  }

  get tombstones(): number {
    return this.#tombstones.size;
  }

  nextKey(): number {
    return ++this.#lastKey;
  }

  has(id: SandboxId): boolean {
    return this.#byId.has(id);
  }

  add(sandbox: ManagedSandbox): void {
    if (sandbox.kind === "individual") {
      if (this.#byId.has(sandbox.id)) throw new SandboxExistsError(sandbox.id);
      this.#removeTombstone(sandbox.id);
      this.#byId.set(sandbox.id, sandbox);
    }
    this.#byKey.set(sandbox.key, sandbox);
  }

  find(id: SandboxId): ManagedSandbox | undefined {
    return this.#byId.get(id);
  }

  /** The sandbox of this id; throws `SANDBOX_NOT_FOUND`. */
  require(id: SandboxId): ManagedSandbox {
    const sandbox = this.#byId.get(id);
    if (sandbox === undefined) throw new SandboxNotFoundError(id);
    return sandbox;
  }

  /** The tombstone of the latest sandbox of this id. */
  tombstone(id: SandboxId): Tombstone | undefined {
    return this.#tombstones.get(id);
  }

  /** Turns a stopped sandbox into a tombstone; the oldest ones make room. Returns how many were removed. */
  archive(sandbox: SandboxRecord, tombstone: Tombstone): number {
    this.#byKey.delete(sandbox.key);
    if (sandbox.kind === "helper") return 0;
    this.#byId.delete(sandbox.id);
    return this.remember(tombstone);
  }

  /** Adds a tombstone; the oldest ones make room. Returns how many were removed. */
  remember(tombstone: Tombstone): number {
    const id = tombstone.info.id as SandboxId;
    this.#removeTombstone(id);
    const bytes = JSON.stringify(tombstone).length;
    this.#tombstones.set(id, { ...tombstone, bytes });
    this.#tombstonesBytes += bytes;
    let removed = 0;
    for (const id of this.#tombstones.keys()) {
      if (this.#tombstones.size <= this.#tombstonesMax && this.#tombstonesBytes <= tombstonesBytesMax) break;
      this.#removeTombstone(id);
      removed++;
    }
    return removed;
  }

  #removeTombstone(id: SandboxId): void {
    this.#tombstonesBytes -= this.#tombstones.get(id)?.bytes ?? 0;
    this.#tombstones.delete(id);
  }

  /** All sandboxes, helpers included. */
  everyone(): ManagedSandbox[] {
    return [...this.#byKey.values()];
  }

  all(): Iterable<ManagedSandbox> {
    return this.#byId.values();
  }

  /** Those that match, in the order of creation. */
  list(filter: ListFilter): ManagedSandbox[] {
    const statuses = filter.status === undefined ? undefined : new Set([filter.status].flat());
    const labels = Object.entries(filter.labels ?? {});
    const found: ManagedSandbox[] = [];
    for (const sandbox of this.#byId.values()) {
      if (found.length >= (filter.limit ?? Infinity)) break;
      const isMatch =
        (statuses?.has(sandbox.status) ?? true) &&
        labels.every(([name, value]) => sandbox.labels[name] === value);
      if (isMatch) found.push(sandbox);
    }
    return found;
  }

  countByStatus(): Partial<Record<Status, number>> {
    const counts: Partial<Record<Status, number>> = {};
    for (const { status } of this.#byId.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
}
