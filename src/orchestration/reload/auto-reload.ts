// Sandboxes that follow their files: when a folder changes, the changed modules are reloaded. While files are broken, the
// running version stays.
import type { SourceTree } from "../../code/files/source-tree.ts";
import { Watcher } from "../../code/files/watcher.ts";
import { asVivariumError, LoadError } from "../../model/errors.ts";
import type { Bus } from "../../observability/bus.ts";
import type { Clock } from "../../std/clock.ts";
import type { ReloadChange } from "./reload-plan.ts";
import type { ManagedSandbox } from "../sandboxes/managed-sandbox.ts";

export interface AutoReloadParts {
  readonly clock: Clock;
  readonly bus: Bus;
  /** Reads a sandbox's files anew. */
  readonly readTree: (sandbox: ManagedSandbox, path: string) => Promise<SourceTree>;
}

/** One sandbox and the files it follows. */
interface Following {
  readonly watcher: Watcher;
  isReloading: boolean;
  /** Something changed while a reload was under way. */
  isStale: boolean;
  /** It waits for a file to be written: goes on at once. */
  endPause?: () => void;
}

/** How long a file that was emptied is waited for. */
const writtenMs = 100;

export class AutoReload {
  readonly #parts: AutoReloadParts;
  readonly #following = new Map<ManagedSandbox, Following>();

  constructor(parts: AutoReloadParts) {
    this.#parts = parts;
  }

  /** From here on the sandbox follows its files; earlier changes are loaded at once. */
  start(sandbox: ManagedSandbox): void {
    if (this.#following.has(sandbox) || sandbox.tree === undefined) return;
    const watcher = new Watcher({
      clock: this.#parts.clock,
      folder: sandbox.tree.root,
      onChange: () => this.#changed(sandbox),
      onError: (error) => this.#failed(sandbox, error),
    });
    this.#following.set(sandbox, { watcher, isReloading: false, isStale: false });
    this.#changed(sandbox);
  }

  stop(sandbox: ManagedSandbox): void {
    const following = this.#following.get(sandbox);
    following?.watcher.close();
    following?.endPause?.();
    this.#following.delete(sandbox);
  }

  stopById(sandboxId: string): void {
    for (const sandbox of this.#following.keys()) if (sandbox.id === sandboxId) this.stop(sandbox);
  }

  close(): void {
    for (const sandbox of [...this.#following.keys()]) this.stop(sandbox);
  }

  #changed(sandbox: ManagedSandbox): void {
    const following = this.#following.get(sandbox);
    if (following === undefined) return;
    following.isStale = true;
    if (!following.isReloading) void this.#follow(sandbox, following);
  }

  async #follow(sandbox: ManagedSandbox, following: Following): Promise<void> {
    following.isReloading = true;
    while (following.isStale && this.#following.has(sandbox)) {
      following.isStale = false;
      await this.#reload(sandbox).catch((error: unknown) => this.#failed(sandbox, error));
    }
    following.isReloading = false;
  }

  async #reload(sandbox: ManagedSandbox): Promise<void> {
    const { readTree, bus } = this.#parts;
    const before = sandbox.tree;
    if (before === undefined) return;
    let tree = await readTree(sandbox, before.path);
    if (isBeingWritten(sandbox, tree)) {
      await this.#pause(sandbox);
      if (this.#following.has(sandbox)) tree = await readTree(sandbox, before.path);
    }
    // It may have been stopped meanwhile.
    if (!this.#following.has(sandbox)) return;
    const changes = changesBetween(sandbox, before, tree);
    const modules = [...changes.keys()];
    if (changes.size > 0) {
      const mutation = { autoReload: modules };
      const { status, revision } = await sandbox.reload({ changes: () => changes, mutation, verifyMs: 0 });
      if (status === "reloaded") bus.emit("sandbox.followed", { sandboxId: sandbox.id, revision, modules });
    }
    // Only after a successful reload: a file that was removed while a reload failed is still to be removed.
    sandbox.noteTree(tree);
    sandbox.noteError(null);
  }

  // Ends at once where following is stopped.
  async #pause(sandbox: ManagedSandbox): Promise<void> {
    const following = this.#following.get(sandbox);
    if (following === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#parts.clock.after(writtenMs, resolve);
    following.endPause = () => {
      timer.cancel();
      resolve();
    };
    await promise;
  }

  #failed(sandbox: ManagedSandbox, error: unknown): void {
    const { code, message } = asVivariumError(error);
    const diagnostics = error instanceof LoadError ? error.diagnostics : [];
    sandbox.noteError({ code, message, diagnostics });
    this.#parts.bus.emit("sandbox.unfollowed", { sandboxId: sandbox.id, code, message });
  }
}

// Most programs empty a file before they write it: what was just emptied is probably about to be written.
function isBeingWritten(sandbox: ManagedSandbox, tree: SourceTree): boolean {
  return [...tree.modules].some(
    ([name, { source }]) => source === "" && (sandbox.modules.get(name)?.source ?? "") !== "",
  );
}

// Modules that are new or differ from those that run, and those whose files are gone.
function changesBetween(
  sandbox: ManagedSandbox,
  before: SourceTree,
  after: SourceTree,
): Map<string, ReloadChange> {
  const changes = new Map<string, ReloadChange>();
  for (const [name, artifact] of after.modules) {
    if (sandbox.modules.get(name)?.checksum !== artifact.checksum) changes.set(name, artifact);
  }
  for (const name of before.modules.keys()) {
    if (!after.modules.has(name) && sandbox.modules.has(name)) changes.set(name, null);
  }
  return changes;
}
