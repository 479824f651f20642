// Whether there is room for another child: by how many threads its user, how many descriptors this process and how many
// addresses any process may have. A process that runs out of them halfway hangs or aborts, and looks like a guest's fault.
import type { User } from "./child.ts";
import { lookAtRoom, threadsOf, type RoomFacts } from "./headroom-facts.ts";

/** What a start takes. */
export interface Need {
  /** The most threads that the child will ever have. */
  readonly threads: number;
  /** Threads of our own that must be started first. */
  readonly workers: number;
}

/** What children that were started have not taken yet, and will. */
export interface Owed {
  readonly threads: number;
  readonly descriptors: number;
}

/** Pipes, tether, slate and what the kernel tells of it, with what is open only while it is started. */
const descriptorsPerChild = 10;
/** What of them is still to come when its pipes are made and it is not started yet. */
const descriptorsOwed = 5;
const descriptorsPerWorker = 6;
/** The engine reserves about one gibibyte of addresses for each isolate, of which there are thousands. */
const addressBytesMin = 2 ** 40;
const gibibyte = 2 ** 30;

/** Why a start would fail, in words that go on from “Cannot start a cell as”; undefined when there is room. Pure. */
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

interface Place {
  readonly threads: number;
  readonly pid: () => number | undefined;
}

/** Keeps account of the children of one runtime. */
export class Headroom {
  readonly #places = new Set<Place>();

  objectionTo(need: Need, user: User | undefined): string | undefined {
    const owed = this.#owed();
    const threadsWanted = need.threads + need.workers + owed.threads;
    return objectionIn(lookAtRoom(user?.uid, threadsWanted), need, owed);
  }

  /** A child was started; the answer is to be called when it is gone. */
  enter(threads: number, pid: () => number | undefined): () => void {
    const place = { threads, pid };
    this.#places.add(place);
    return () => void this.#places.delete(place);
  }

  #owed(): Owed {
    let threads = 0;
    let descriptors = 0;
    for (const place of this.#places) {
      const pid = place.pid();
      threads += Math.max(0, place.threads - (pid === undefined ? 0 : threadsOf(pid)));
      if (pid === undefined) descriptors += descriptorsOwed;
    }
    return { threads, descriptors };
  }
}
