// A runtime as a tracker sees it: sandboxes that a test makes up, real events and documents.
import type { SandboxInfo } from "../../src/index.ts";
import {
  MemoryStore,
  SandboxNotFoundError,
  VivariumError,
  type Documents,
  type Runtime,
} from "../../src/index.ts";
import { Bus } from "../../src/observability/bus.ts";

/** What a tracker asks of a sandbox. */
export type TrackedInfo = Pick<
  SandboxInfo,
  "id" | "createdAt" | "ancestry" | "fitness" | "modules" | "mutation" | "status"
>;

export class TrackedRuntime {
  readonly #store: Documents;
  readonly sandboxes = new Map<string, TrackedInfo>();
  readonly tombstones = new Map<string, TrackedInfo>();
  readonly bus = new Bus(() => 0);
  /** The rows of each write that succeeded. */
  readonly writes: (readonly [collection: string, rows: number])[] = [];
  /** Called before a write; what it throws is the store's failure. */
  beforeWrite: () => void | Promise<void> = () => {};
  readonly documents: Documents = {
    read: (collection, after) => this.#store.read(collection, after),
    write: async (collection, rows) => {
      await this.beforeWrite();
      await this.#store.write(collection, rows);
      this.writes.push([collection, rows.size]);
    },
  };

  constructor(store: Documents = new MemoryStore().documents) {
    this.#store = store;
  }

  /** The same sandboxes and documents in another process. */
  restarted(): TrackedRuntime {
    const next = new TrackedRuntime(this.#store);
    for (const [id, info] of this.sandboxes) next.sandboxes.set(id, info);
    for (const [id, info] of this.tombstones) next.tombstones.set(id, info);
    return next;
  }

  /** A new sandbox, told to all that listen. */
  create(id: string, more: Partial<TrackedInfo> = {}): void {
    const ancestry = { parentIds: [], generation: 0, mutation: null, depth: 0 };
    const modules = { main: { version: 1, checksum: id.slice(0, 1), exports: [], warnings: [] } };
    const { mutation } = more.ancestry ?? ancestry;
    const status = "running" as const;
    const info = { id, createdAt: 1, ancestry, mutation, fitness: null, modules, status, ...more };
    this.sandboxes.set(id, info);
    const checksum = `main=${info.modules["main"]?.checksum}`;
    this.bus.emit("lineage.born", { sandboxId: id, ...info.ancestry, checksum, createdAt: info.createdAt });
  }

  destroy(id: string): void {
    const info = this.sandboxes.get(id);
    if (info === undefined) throw new SandboxNotFoundError(id);
    this.sandboxes.delete(id);
    this.tombstones.set(id, info);
    this.bus.emit("sandbox.destroy.stop", { sandboxId: id, durationMs: 0, result: "ok", reason: "" });
  }

  /** As a tracker takes it. */
  get runtime(): Pick<Runtime, "documents" | "events" | "info" | "list"> {
    return {
      documents: this.documents,
      events: this.bus,
      list: async () => [...this.sandboxes.values()] as SandboxInfo[],
      info: async (id) => {
        const info = this.sandboxes.get(id) ?? this.tombstones.get(id);
        if (info === undefined) throw new SandboxNotFoundError(id);
        return info as SandboxInfo;
      },
    };
  }
}

/** A store's failure, as a runtime reports it. */
export const storeFailed = (): never => {
  throw new VivariumError("STORE_FAILED", "Cannot write documents as the store failed: it is full");
};
