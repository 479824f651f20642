// The tracker of a server that was given none: it follows the runtime from the server's start on.
import { openTracker, Tracker } from "../evolution/index.ts";
import type { Runtime } from "../index.ts";
import { InvalidOptionsError } from "../model/errors.ts";

export interface OwnTracker {
  readonly get: () => Promise<Tracker>;
  readonly close: () => Promise<void>;
}

/** With a data folder its memory is there after a restart too. */
export function ownTracker(runtime: Runtime): OwnTracker {
  let opened: Promise<Tracker> | undefined;
  const get = (): Promise<Tracker> => {
    if (opened === undefined) {
      opened = runtime.data === null ? followed(runtime) : stored(runtime);
      // A store that fails may do so for a while only: the next question is another try.
      opened.catch(() => (opened = undefined));
    }
    return opened;
  };
  void get().catch(() => {});
  return {
    get,
    close: async () => {
      const tracker = await opened?.catch(() => undefined);
      await tracker?.close();
    },
  };
}

// Somebody else may keep one for this runtime.
async function stored(runtime: Runtime): Promise<Tracker> {
  try {
    return await openTracker(runtime);
  } catch (error) {
    if (error instanceof InvalidOptionsError) return followed(runtime);
    throw error;
  }
}

async function followed(runtime: Runtime): Promise<Tracker> {
  const tracker = new Tracker();
  tracker.follow(runtime.events);
  for (const { id, ancestry, createdAt } of await runtime.list()) {
    const { parentIds, generation, mutation } = ancestry;
    // It may have been born, or be gone, meanwhile.
    if (tracker.table.livingOf(id) !== undefined || !(await runtime.has(id))) continue;
    tracker.lineage.born({ id, parentIds, generation, mutation });
    tracker.table.identify(id, { createdAt, checksum: null });
  }
  return tracker;
}
