// The data folder of a runtime for its callers: copies of it, and its size.
import { refuseOption } from "../../model/schema.ts";
import type { BackupReport } from "../../store/folder/maintenance/backup.ts";
import type { CompactReport } from "../../store/folder/compaction.ts";
import type { DataFolder } from "../../store/folder/data-folder.ts";
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

  async backup(to: string): Promise<BackupReport> {
    this.#engine.checkOpen("back up its data");
    if (typeof to !== "string" || to === "")
      throw refuseOption({ verb: "use", path: "to", rule: "the path of a folder", got: to });
    return this.#folder.backup(to);
  }

  async compact(): Promise<CompactReport> {
    this.#engine.checkOpen("compact its data");
    return this.#folder.compact();
  }
}

awaitMethods(LocalData.prototype);
