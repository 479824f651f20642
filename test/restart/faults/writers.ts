// Runtimes on a data folder whose writer thread a test can slow down and end: all but the program of that thread is as it is in
// createRuntime().
import { once } from "node:events";
import { completeConfig } from "../../../src/api/options/config.ts";
import { assemble, launcherFor, openJail } from "../../../src/api/wiring/create-runtime.ts";
import { Watchdog } from "../../../src/execution/enforcement/watchdog.ts";
import type { DataFolder } from "../../../src/store/folder/data-folder.ts";
import { dataFolder } from "../../support/data-folders.ts";
import { until } from "../../support/waiting.ts";
import { listenTo, type Opened } from "./folders.ts";

/**
 * What the thread does: `throw` at once, or end at the next commit of something about a
 * sandbox, `before` or `after` it; or each commit takes 500 ms or,
 * again, as long as it takes.
 */
export type Fault = "throw" | "before" | "after" | "slow" | "quick";

export interface Controlled extends Opened {
  readonly folder: DataFolder;
  /** Resolves when all that was sent before is done, and the thread knows it. */
  order(fault: Fault): Promise<void>;
}

export async function openControlled(path: string): Promise<Controlled> {
  const writerUrl = new URL("controlled-writer.ts", import.meta.url);
  const config = completeConfig({ cells: { count: 1, spare: 0, warm: 2 } });
  const folder = dataFolder(path, { writerUrl });
  const stored = { ...config, store: folder, records: folder.documents };
  const guards = { jail: openJail(config), watchdog: new Watchdog() };
  const runtime = await assemble(stored, { ...guards, launch: launcherFor(config, guards) });
  await until("all is loaded", async () => (await runtime.health()).store.recovered !== null);
  return {
    ...listenTo(runtime),
    folder,
    order: async (fault) => {
      await folder.flush();
      const channel = new BroadcastChannel(folder.path);
      try {
        const heard = once(channel, "message");
        channel.postMessage(fault);
        await heard;
      } finally {
        channel.close();
      }
    },
  };
}
