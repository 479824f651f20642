// Whether there is room for another child: threads of its user, descriptors of this process, addresses of any process. A
// process that runs out of them while it starts hangs or aborts, which would look like a guest's fault.
import type { User } from "./child.ts";
import { lookAtRoom, threadsOf, type RoomFacts } from "./headroom-facts.ts";

/** What a start needs. */
export interface Need {
  /** The most threads that the child will ever have. */
  readonly threads: number;
  /** Threads of our own that must be started first. */
  readonly workers: number;
}

/** What children that were started have not allocated yet, and will. */
export interface Owed {
  readonly threads: number;
  readonly descriptors: number;
}

/** Pipes, tether, slate and /proc entries, with what is open only while it is started. */
const descriptorsPerChild = 11;
/** How many of them are still to be opened when its pipes are made and it is not started yet. */
const descriptorsOwed = 6;
const descriptorsPerWorker = 6;
/** The engine reserves about one gibibyte of addresses for each isolate, of which there are thousands. */
const addressBytesMin = 2 ** 40;
const gibibyte = 2 ** 30;

/** Why a start would fail, as the end of a sentence “Cannot start a cell as …”; undefined when there is room. Pure. */
export function objectionIn(facts: RoomFacts, need: Need, owed: Owed): string | undefined {
  const { threads, descriptors, addressBytesMax } = facts;
  if (addressBytesMax !== undefined && addressBytesMax < addressBytesMin) {
    const [has, min] = [addressBytesMax, addressBytesMin].map((bytes) => Math.floor(bytes / gibibyte));
    return `the limit on addresses (ulimit -v) must be at least ${min} GiB or none, as the engine reserves much more than it uses: it is ${has} GiB`;
  }
  const needed = {
    threads: need.threads + need.workers + owed.threads,
    descriptors: descriptorsPerChild + need.workers * descriptorsPerWorker + owed.descriptors,
  };
  if (threads !== undefined && threads.max - threads.inUse < needed.threads)
    return `the limit on processes and threads of its user (ulimit -u), ${threads.max}, must leave room for ${needed.threads}: ${threads.inUse} are in use`;
  if (descriptors !== undefined && descriptors.max - descriptors.inUse < needed.descriptors)
    return `the limit on open descriptors (ulimit -n), ${descriptors.max}, must leave room for ${needed.descriptors}: ${descriptors.inUse} are in use`;
  return undefined;
}

interface StartedChild {
  readonly threads: number;
  readonly pid: () => number | undefined;
}

/** Accounts for the children of one runtime. */
export class Headroom {
  readonly #children = new Set<StartedChild>();

  objectionTo(need: Need, user: User | undefined): string | undefined {
    const owed = this.#owed();
    const threadsWanted = need.threads + need.workers + owed.threads;
    return objectionIn(lookAtRoom(user?.uid, threadsWanted), need, owed);
  }

  /** A child was started; the returned function is to be called when it is gone. */
  enter(threads: number, pid: () => number | undefined): () => void {
    const child = { threads, pid };
    this.#children.add(child);
    return () => void this.#children.delete(child);
  }

  #owed(): Owed {
    let threads = 0;
    let descriptors = 0;
    for (const child of this.#children) {
      const pid = child.pid();
      threads += Math.max(0, child.threads - (pid === undefined ? 0 : threadsOf(pid)));
      if (pid === undefined) descriptors += descriptorsOwed;
    }
    return { threads, descriptors };
  }
}
