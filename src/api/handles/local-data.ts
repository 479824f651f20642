// The data folder of a runtime for its callers: copies of it, and its size.
import { refuseOption } from "../../model/schema.ts";
import type { BackupReport } from "../../store/folder/maintenance/backup.ts";
import type { CompactReport } from "../../store/folder/compaction.ts";
import type { DataFolder } from "../../store/folder/data-folder.ts";
import { bounded, readCancel } from "../options/cancellation.ts";
import type { CancelOptions } from "../types/cancel.ts";
import type { RuntimeData } from "../types/runtime.ts";
import { awaitMethods } from "../../std/keep-alive.ts";
import type { Engine } from "../wiring/engine.ts";

export class LocalData implements RuntimeData {
  readonly #engine: Engine;
  readonly #folder: DataFolder;

  constructor(engine: Engine, folder: DataFolder) {
    this.#engine = engine;
    this.#folder = folder;
  }

  get path(): string {
    return this.#folder.path;
  }

  async backup(to: string, options?: CancelOptions): Promise<BackupReport> {
    this.#engine.checkOpen("back up its data");
    if (typeof to !== "string" || to === "")
      throw refuseOption({ verb: "use", path: "to", rule: "the path of a folder", got: to });
    return this.#within(options, "the backup", () => this.#folder.backup(to));
  }

  async compact(options?: CancelOptions): Promise<CompactReport> {
    this.#engine.checkOpen("compact its data");
    return this.#within(options, "the compaction", () => this.#folder.compact());
  }

  // What was begun goes on where its caller gives up.
  async #within<T>(options: unknown, what: string, act: () => Promise<T>): Promise<T> {
    return bounded(readCancel(options), { clock: this.#engine.parts.config.clock, what }, act);
  }
}

awaitMethods(LocalData.prototype);
