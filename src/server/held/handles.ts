// Streams and sessions between the requests that use them: each belongs to one token, and to nobody that can guess its name.
import { RuntimeClosedError, VivariumError } from "../../model/errors.ts";
import { show } from "../../model/show.ts";
import type { Clock, Timer } from "../../std/clock.ts";
import { randomName } from "../../std/random.ts";
import { QuotaExceededError } from "../access/refusals.ts";
import type { Caller, Gate } from "../gate.ts";

/** Something that is open. */
export interface Held {
  readonly sandboxId: string;
  /** How long nobody may use it. */
  readonly idleMs: number;
  /** Ends it; it is not used any more. */
  end(): Promise<void>;
}

interface Entry<H> {
  readonly tokenId: string;
  readonly held: H;
  readonly release: () => void;
  uses: number;
  timer: Timer | undefined;
}

/** Room for one, which is filled or given back. */
export interface Slot<H> {
  /** Where all was closed meanwhile, this is ended too, and `RUNTIME_CLOSED` thrown. */
  hold(held: H): string;
  release(): void;
}

export interface HandleBounds {
  readonly all: number;
  readonly perToken: number;
}

export class Handles<H extends Held> {
  readonly #what: string;
  readonly #bounds: HandleBounds;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<H>>();
  readonly #perToken = new Map<string, number>();
  #taken = 0;
  #isClosed = false;

  constructor(what: string, bounds: HandleBounds, clock: Clock) {
    this.#what = what;
    this.#bounds = bounds;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Takes room; throws `QUOTA_EXCEEDED` where there is none. */
  take(caller: Caller, gate: Gate): Slot<H> {
    const { tokenId } = caller;
    const own = this.#perToken.get(tokenId) ?? 0;
    const { all, perToken } = this.#bounds;
    if (own >= perToken) throw this.#tooMany(perToken, "of one token");
    if (this.#taken >= all) throw this.#tooMany(all, "in all");
    const close = gate.openStream(caller);
    this.#count(tokenId, 1);
    const release = (): void => {
      this.#count(tokenId, -1);
      close();
    };
    return {
      hold: (held) => {
        if (this.#isClosed) {
          void held.end().catch(() => {});
          throw new RuntimeClosedError("answer");
        }
        const id = randomName(this.#what);
        const entry: Entry<H> = { tokenId, held, release, uses: 0, timer: undefined };
        this.#entries.set(id, entry);
        this.#watch(id, entry);
        return id;
      },
      release,
    };
  }

  /** Does something with one, which does not become idle meanwhile. Throws `HANDLE_NOT_FOUND`. */
  async use<T>(caller: Caller, id: string, act: (held: H) => Promise<T>): Promise<T> {
    const entry = this.#find(caller, id);
    entry.uses++;
    entry.timer?.cancel();
    try {
      return await act(entry.held);
    } finally {
      entry.uses--;
      if (this.#entries.get(id) === entry) this.#watch(id, entry);
    }
  }

  /** Throws `HANDLE_NOT_FOUND`. */
  require(caller: Caller, id: string): void {
    this.#find(caller, id);
  }

  /** It is over already. */
  drop(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#drop(id, entry);
  }

  /** Takes one out of the table; whoever took it ends it. Throws `HANDLE_NOT_FOUND`. */
  remove(caller: Caller, id: string): H {
    const entry = this.#find(caller, id);
    this.#drop(id, entry);
    return entry.held;
  }

  /** A sandbox is gone, and with it all that was open there. */
  endOf(sandboxId: string): void {
    for (const [id, entry] of this.#entries)
      if (entry.held.sandboxId === sandboxId) void this.#end(id, entry);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#entries, ([id, entry]) => this.#end(id, entry)));
  }

  #find(caller: Caller, id: string): Entry<H> {
    const entry = this.#entries.get(id);
    if (entry?.tokenId === caller.tokenId) return entry;
    const message = `Cannot find the ${this.#what} ${show(id)}: it ended, or belongs to another token`;
    throw new VivariumError("HANDLE_NOT_FOUND", message);
  }

  #watch(id: string, entry: Entry<H>): void {
    entry.timer?.cancel();
    if (entry.uses === 0) entry.timer = this.#clock.after(entry.held.idleMs, () => void this.#end(id, entry));
  }

  async #end(id: string, entry: Entry<H>): Promise<void> {
    if (!this.#drop(id, entry)) return;
    // It has no caller who could be told.
    await entry.held.end().catch(() => {});
  }

  #drop(id: string, entry: Entry<H>): boolean {
    if (!this.#entries.delete(id)) return false;
    entry.timer?.cancel();
    entry.release();
    return true;
  }

  #count(tokenId: string, by: number): void {
    this.#taken += by;
    const own = (this.#perToken.get(tokenId) ?? 0) + by;
    if (own === 0) this.#perToken.delete(tokenId);
    else this.#perToken.set(tokenId, own);
  }

  #tooMany(most: number, whose: string): QuotaExceededError {
    const message = `Cannot open another ${this.#what} as there must be at most ${most} ${whose}: there are`;
    return new QuotaExceededError(message, null);
  }
}
