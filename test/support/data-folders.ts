// Data folders for tests: opened with a writer thread that a test can end, and filled with sandboxes.
import { createHash } from "node:crypto";
import type { IndividualVersion } from "../../src/model/sandboxes/individual.ts";
import type { StateCapture } from "../../src/model/sandboxes/process.ts";
import { defaultLimits } from "../../src/model/limits.ts";
import { seedAncestry } from "../../src/model/sandboxes/ancestry.ts";
import { systemClock } from "../../src/std/clock.ts";
import {
  openDataFolder,
  type DataFolder,
  type DataFolderOptions,
} from "../../src/store/folder/data-folder.ts";
import type { StoredRecord, StoredSandbox } from "../../src/store/store.ts";
import { until } from "./waiting.ts";

/** The writer thread, straight from the sources; `endWriter` ends it. */
const writerUrl = new URL("mortal-writer.ts", import.meta.url);

export function dataFolder(path: string, options: Partial<DataFolderOptions> = {}): DataFolder {
  const usual = { durability: "process", clock: systemClock, tombstonesMax: 10_000 } as const;
  return openDataFolder({ path, writerUrl, ...usual, ...options });
}

/** Ends the writer thread of a folder as a failure would; resolves when the folder has noticed. */
export async function endWriter(folder: DataFolder): Promise<void> {
  using channel = new DisposableChannel(folder.path);
  let hasEnded = false;
  folder.watch(({ state }) => (hasEnded ||= state === "degraded"));
  await until("the writer thread has ended", () => {
    // A thread that has only just been started does not listen yet.
    if (!hasEnded) channel.postMessage("end");
    return hasEnded;
  });
}

class DisposableChannel extends BroadcastChannel implements Disposable {
  [Symbol.dispose](): void {
    this.close();
  }
}

const checksumOf = (source: string): string => createHash("sha256").update(source).digest("hex");

export function version(
  number: number,
  source: string,
  more: Partial<IndividualVersion> = {},
): IndividualVersion {
  const origin = { parent: number > 1 ? number - 1 : null, mutation: null, createdAt: number };
  return { version: number, source, checksum: checksumOf(source), ...origin, ...more };
}

export function stored(id: string, more: Partial<StoredSandbox> = {}): StoredSandbox {
  return {
    format: "vivarium.individual/2",
    id,
    createdAt: 1,
    modules: { main: [version(1, `export const id = "${id}";`)] },
    revisions: [{ revision: 1, heads: { main: 1 } }],
    limits: defaultLimits,
    deterministic: null,
    ancestry: seedAncestry,
    labels: {},
    record: record(),
    ...more,
  };
}

export function record(more: Partial<StoredRecord> = {}): StoredRecord {
  const well = { status: "running", reason: null, blameless: false, restarts: 0 } as const;
  return { ...well, lastError: null, fitness: null, ...more };
}

export function capture(state: string): StateCapture {
  return { servers: [{ path: "root", key: "k", version: 1, state }], children: [] };
}

/** Runs with an open folder, and closes it. */
export async function withFolder<T>(
  path: string,
  act: (folder: DataFolder, sandboxes: readonly StoredSandbox[]) => T | Promise<T>,
): Promise<T> {
  const folder = dataFolder(path);
  try {
    return await act(folder, await folder.open());
  } finally {
    await folder.close();
  }
}
