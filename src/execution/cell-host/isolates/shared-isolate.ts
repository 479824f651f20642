// One isolate of isolated-vm and the sandboxes that have a context in it: one after the other, or in a dense one several at once.
// One of them is inside at a time. Processor time is that of the one that entered last, and so is the loss of the isolate.
import type ivm from "isolated-vm";

/** A sandbox in an isolate, as the isolate sees it. */
export interface Member {
  /** It used so much processor time. */
  charge(cpuMs: number): void;
  /** The isolate is gone, by what this one did or another. */
  lose(isByThis: boolean): void;
  /** It may enter again, where it has work. */
  admit(): void;
}

/** The memory of an isolate, inside its heap and beside it, garbage included. */
export interface Held {
  readonly heapBytes: number;
  readonly externalBytes: number;
}

/** An unhandled error of the guest is thrown once at the next access. */
const attemptsMax = 2;

let made = 0;

export class SharedIsolate {
  /** Among all isolates of the cell. */
  readonly number: number = ++made;
  readonly engine: ivm.Isolate;
  readonly memoryMiB: number;
  /** The guest runtime, compiled, for the next context. */
  runtime: ivm.Script | undefined;
  /** Several sandboxes may be in it at once. */
  isDense = false;
  /** An entry was cut, or a guest left something behind: no other sandbox gets into it. */
  isSpent = false;
  /** Nothing is left of the latest entry that would run in the next one. */
  isQuiet = true;
  /** How many contexts it has had. */
  contexts = 0;
  /** Called when a sandbox has left it. */
  onLeft: () => void = () => {};
  readonly #members = new Set<Member>();
  #latest: Member | undefined;
  /** Who has it for longer than one entry of the main thread. */
  #holder: object | undefined;
  #isGone = false;
  #isAdmitting = false;
  #cpuMs = 0;

  constructor(engine: ivm.Isolate, memoryMiB: number) {
    this.engine = engine;
    this.memoryMiB = memoryMiB;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** How many sandboxes are in it. */
  get size(): number {
    return this.#members.size;
  }

  /** Asks the engine whether it is gone. */
  checkGone(): boolean {
    if (!this.#isGone && this.engine.isDisposed) this.#lose(this.#latest);
    return this.#isGone;
  }

  /** The memory that it holds; undefined when it is gone. It must be idle: a busy one would block this thread. */
  held(): Held | undefined {
    for (let attempts = 0; attempts < attemptsMax && !this.#isGone; attempts++) {
      try {
        const statistics = this.engine.getHeapStatisticsSync();
        return {
          heapBytes: statistics.used_heap_size,
          externalBytes: statistics.externally_allocated_size,
        };
      } catch {
        this.checkGone();
      }
    }
    return undefined;
  }

  /** A sandbox has a context in it; what making that took is nobody's processor time. */
  add(member: Member): void {
    this.#members.add(member);
    this.contexts++;
    this.#readCpuMs();
    this.#latest = member;
  }

  /** A sandbox has left it. */
  remove(member: Member): void {
    this.chargeCpu();
    this.#members.delete(member);
    this.release(member);
    this.onLeft();
  }

  /** What is used from now on is used by this one. */
  enter(member: Member): void {
    if (this.#latest === member) return;
    this.chargeCpu();
    this.#latest = member;
  }

  /** Charges what was used since the last time to the one that entered last. */
  chargeCpu(): void {
    const usedMs = this.#readCpuMs();
    if (usedMs > 0) this.#latest?.charge(usedMs);
  }

  /** Another one has it: an entry now would wait for that one's. */
  isHeldFrom(member: object): boolean {
    return this.#holder !== undefined && this.#holder !== member;
  }

  get isHeld(): boolean {
    return this.#holder !== undefined;
  }

  hold(holder: object): void {
    this.#holder = holder;
  }

  release(holder: object): void {
    if (this.#holder === holder) this.#holder = undefined;
  }

  /** Lets those enter that wait, in their order from the one behind this one, but for this one. */
  admitOthers(after: object): void {
    if (this.#isAdmitting) return;
    const members = [...this.#members];
    const at = members.findIndex((member) => member === after) + 1;
    if (members.length === at && at === 1) return;
    this.#isAdmitting = true;
    for (const member of [...members.slice(at), ...members.slice(0, at)]) {
      if (this.#holder !== undefined) break;
      if (member !== after) member.admit();
    }
    this.#isAdmitting = false;
  }

  /** Ends it; false where the engine was faster. */
  dispose(by?: Member): boolean {
    if (this.checkGone()) return false;
    try {
      this.engine.dispose();
    } catch (error) {
      if (!this.engine.isDisposed) throw error;
      this.#lose(this.#latest);
      return false;
    }
    this.#lose(by);
    return true;
  }

  #lose(by: Member | undefined): void {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const member of this.#members) member.lose(member === by);
    this.#members.clear();
  }

  #readCpuMs(): number {
    if (this.#isGone) return 0;
    const beforeMs = this.#cpuMs;
    try {
      this.#cpuMs = Number(this.engine.cpuTime) / 1e6;
    } catch (error) {
      if (!this.checkGone()) throw error;
    }
    return this.#cpuMs - beforeMs;
  }
}
