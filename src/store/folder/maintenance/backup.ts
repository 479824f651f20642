// Copies a data folder while a runtime may be writing to it: the copy is what was committed at one moment.
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { backup } from "node:sqlite";
import { InvalidOptionsError, VivariumError } from "../../../model/errors.ts";
import { show } from "../../../model/show.ts";
import { randomName } from "../../../std/random.ts";
import { fileNames } from "../schema.ts";
import { openUndamaged } from "./open-reading.ts";
import { makeFolder } from "../../../std/make-folder.ts";

/** How many pages are copied at a time, on another thread than the caller's. */
const pagesPerStep = 512;

export interface BackupReport {
  /** The folder of the copy. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Makes the folder `to`, which must not exist or be empty: until the copy is complete it has another name. The copy is a
 * data folder. Rejects with `INVALID_OPTIONS` for a place that is taken, and with `STORE_FAILED` where copying fails or is
 * ended by `signal`, with its reason.
 */
export async function backupFolder(path: string, to: string, signal?: AbortSignal): Promise<BackupReport> {
  const target = resolve(to);
  checkTarget(target);
  using database = openUndamaged(path);
  // No other copy has it, not even one to the same place.
  const draft = `${randomName(target)}.part`;
  const file = join(draft, fileNames.database);
  try {
    makeFolder(draft);
    // A transaction sees one moment: without it every write in between would make the copy begin anew.
    database.exec("BEGIN");
    database.prepare("SELECT 1 FROM sqlite_schema").get();
    await backup(database, file, { rate: pagesPerStep, progress: () => signal?.throwIfAborted() });
    await synced(file);
    await synced(draft);
    signal?.throwIfAborted();
    checkTarget(target);
    renameSync(draft, target);
    await synced(dirname(target));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (error instanceof InvalidOptionsError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new VivariumError(
      "STORE_FAILED",
      `Cannot copy data folder ${show(path)} to ${show(to)}: ${why}`,
      error,
    );
  }
  return { path: target, bytes: statSync(join(target, fileNames.database)).size };
}

function checkTarget(target: string): void {
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  const got = stats.isDirectory() ? `a folder with ${readdirSync(target).length} files` : "a file";
  if (stats.isDirectory() && readdirSync(target).length === 0) return;
  throw new InvalidOptionsError(
    `Cannot copy to ${show(target)} as it must be new or an empty folder: got ${got}`,
    "to",
  );
}

// Not on the caller's thread: of a large copy it takes long.
async function synced(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
