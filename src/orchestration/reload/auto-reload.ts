// Sandboxes that follow their files: when a folder changes, what changed in it is reloaded. Broken files leave the running
// version; mended, they are taken.
import type { SourceTree } from "../../code/source-tree.ts";
import { Watcher } from "../../code/watcher.ts";
import { asVivariumError } from "../../model/errors.ts";
import type { Bus } from "../../observability/bus.ts";
import type { Clock } from "../../std/clock.ts";
import type { ReloadChange } from "./reload-plan.ts";
import type { Resident } from "../sandboxes/resident.ts";

export interface AutoReloadParts {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Reads a sandbox's files anew. */
  readonly readTree: (resident: Resident, path: string) => Promise<SourceTree>;
}

/** One sandbox and the files it follows. */
interface Following {
  readonly watcher: Watcher;
  isReloading: boolean;
  /** Something changed while a reload was under way. */
  isStale: boolean;
}

export class AutoReload {
  readonly #parts: AutoReloadParts;
  readonly #following = new Map<Resident, Following>();

  constructor(parts: AutoReloadParts) {
    this.#parts = parts;
  }

  isOn(resident: Resident): boolean {
    return this.#following.has(resident);
  }

  /** From here on the sandbox follows its files; what changed before is taken at once. */
  start(resident: Resident): void {
    if (this.#following.has(resident) || resident.tree === undefined) return;
    const watcher = new Watcher({
      clock: this.#parts.clock,
      folder: resident.tree.root,
      onChange: () => this.#changed(resident),
      onError: (error) => this.#failed(resident, error),
    });
    this.#following.set(resident, { watcher, isReloading: false, isStale: false });
    this.#changed(resident);
  }

  stop(resident: Resident): void {
    this.#following.get(resident)?.watcher.close();
    this.#following.delete(resident);
  }

  stopById(sandboxId: string): void {
    for (const resident of this.#following.keys()) if (resident.id === sandboxId) this.stop(resident);
  }

  close(): void {
    for (const resident of [...this.#following.keys()]) this.stop(resident);
  }

  #changed(resident: Resident): void {
    const following = this.#following.get(resident);
    if (following === undefined) return;
    following.isStale = true;
    if (!following.isReloading) void this.#follow(resident, following);
  }

  async #follow(resident: Resident, following: Following): Promise<void> {
    following.isReloading = true;
    while (following.isStale && this.#following.has(resident)) {
      following.isStale = false;
      await this.#reload(resident).catch((error: unknown) => this.#failed(resident, error));
    }
    following.isReloading = false;
  }

  async #reload(resident: Resident): Promise<void> {
    const { readTree, bus } = this.#parts;
    const before = resident.tree as SourceTree;
    const tree = await readTree(resident, before.path);
    // It may have been told meanwhile to follow no longer.
    if (!this.#following.has(resident)) return;
    const changes = changesBetween(resident, before, tree);
    const modules = [...changes.keys()];
    if (changes.size > 0) {
      const mutation = { autoReload: modules };
      const { status, revision } = await resident.reload({ changes: () => changes, mutation, verifyMs: 0 });
      if (status === "reloaded") bus.emit("sandbox.followed", { sandboxId: resident.id, revision, modules });
    }
    // Only what runs now counts as taken: a file that went away while a reload failed is still to be let go.
    resident.noteTree(tree);
    resident.noteError(null);
  }

  #failed(resident: Resident, error: unknown): void {
    const { code, message } = asVivariumError(error);
    const diagnostics = (error as { diagnostics?: [] }).diagnostics ?? [];
    resident.noteError({ code, message, diagnostics });
    this.#parts.bus.emit("sandbox.unfollowed", { sandboxId: resident.id, code, message });
  }
}

// Modules that are other than those that run, or new; and those that were read from files which are gone.
function changesBetween(
  resident: Resident,
  before: SourceTree,
  after: SourceTree,
): Map<string, ReloadChange> {
  const changes = new Map<string, ReloadChange>();
  for (const [name, artifact] of after.modules) {
    if (resident.modules.get(name)?.checksum !== artifact.checksum) changes.set(name, artifact);
  }
  for (const name of before.modules.keys()) {
    if (!after.modules.has(name) && resident.modules.has(name)) changes.set(name, null);
  }
  return changes;
}
