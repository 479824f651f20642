// Isolates that another sandbox may have: those that one has left, and dense ones with room. A new context in an isolate that is
// there takes less than half of the time and of the memory of a new isolate. All sandboxes of a cell have the same owner.
import type { SharedIsolate } from "./shared-isolate.ts";

/** So many sandboxes are in a dense isolate: with more, little memory is saved, and all of them have to be loaded anew at once. */
export const denseMax = 32;
/** After so many contexts an isolate is ended: something of each is left until all garbage is collected. */
const contextsMax = 64;
/** So many isolates without a sandbox are kept: those of many sandboxes that are gone at about the same time. */
const idleMax = 32;
/** An isolate that holds more than this part of its limit, garbage included, gets no other sandbox. */
const heldPartMax = 0.5;
const MiB = 2 ** 20;
/** One that nobody is in has nothing but garbage: what is kept of that is memory that others could use. */
const garbageBytesMax = 8 * MiB;
/** All of those together. */
const idleBytesMax = 32 * MiB;

interface Idle {
  readonly shared: SharedIsolate;
  readonly heldBytes: number;
}

export class ReusableIsolates {
  /** The latest last. */
  readonly #idle: Idle[] = [];
  #idleBytes = 0;
  readonly #withRoom = new Set<SharedIsolate>();

  /** An isolate of this size that nobody is in. */
  takeIdle(memoryMiB: number): SharedIsolate | undefined {
    const shared = this.#takeOut(this.#idle.findLastIndex(({ shared }) => shared.memoryMiB === memoryMiB));
    return shared?.checkGone() === false ? shared : undefined;
  }

  /** A dense isolate of this size with room for one more; it may be entered at once. */
  findDense(memoryMiB: number): SharedIsolate | undefined {
    for (const shared of this.#withRoom) {
      if (shared.isHeld || shared.memoryMiB !== memoryMiB) continue;
      if (shared.size < denseMax && mayHaveAnother(shared, bytesOf(shared))) return shared;
      this.#withRoom.delete(shared);
    }
    return undefined;
  }

  /** From now on an isolate has several sandboxes at once. */
  makeDense(shared: SharedIsolate): void {
    shared.isDense = true;
    this.#withRoom.add(shared);
  }

  /** Whether an isolate is worth keeping when its sandbox leaves it. */
  wants({ isSpent, contexts }: SharedIsolate): boolean {
    const hasRoom = this.#idle.length < idleMax && this.#idleBytes < idleBytesMax;
    return hasRoom && !isSpent && contexts < contextsMax;
  }

  /** A sandbox has left an isolate. */
  noteLeft(shared: SharedIsolate): void {
    if (shared.isGone) return;
    if (shared.size > 0 && !shared.isSpent) this.#withRoom.add(shared);
    // One that is held gets another sandbox just now.
    if (shared.size > 0 || shared.isHeld) return;
    this.#withRoom.delete(shared);
    shared.isDense = false;
    const heldBytes = bytesOf(shared);
    if (!mayHaveAnother(shared, heldBytes) || heldBytes > garbageBytesMax) return void shared.dispose();
    this.#idle.push({ shared, heldBytes });
    this.#idleBytes += heldBytes;
    while (this.#idle.length > idleMax || this.#idleBytes > idleBytesMax) this.#takeOut(0)?.dispose();
  }

  #takeOut(at: number): SharedIsolate | undefined {
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    this.#idleBytes -= idle?.heldBytes ?? 0;
    return idle?.shared;
  }
}

function mayHaveAnother(shared: SharedIsolate, heldBytes: number): boolean {
  if (shared.checkGone() || shared.isSpent || shared.contexts >= contextsMax) return false;
  return heldBytes <= shared.memoryMiB * MiB * heldPartMax;
}

// Infinite where it is gone.
function bytesOf(shared: SharedIsolate): number {
  const { heapBytes, externalBytes } = shared.held() ?? { heapBytes: Infinity, externalBytes: 0 };
  return heapBytes + externalBytes;
}
