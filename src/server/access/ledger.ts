// How many sandboxes an owner has and how much memory they may take, with room set aside for those that are being made: what is
// asked for at the same moment cannot exceed a quota together.
import type { Runtime } from "../../index.ts";
import { Account, type Need } from "./account.ts";
import type { CompleteQuotas } from "./token-specs.ts";
import { QuotaExceededError } from "./refusals.ts";

/** What the ledger asks of a runtime. */
export type Counted = Pick<Runtime, "has" | "info" | "list" | "events">;

/** Room for sandboxes. What was made of it counts as itself once it is released. */
export interface Reservation {
  /** Resolves when the sandboxes that live on are counted. */
  release(): Promise<void>;
}

/** At most so many of the sandboxes live at a time; left out, all. */
export interface ReserveOptions {
  readonly atOnce?: number;
}

export class Ledger {
  readonly #accounts = new Map<string | null, Account>();
  readonly #runtime: Counted;
  /** Ids about which the runtime is being asked, and whether they were destroyed meanwhile. */
  readonly #asked = new Map<string, { count: number; isGone: boolean }>();
  #filled: Promise<void> | undefined;
  readonly #unsubscribe: readonly (() => void)[];

  /** Counts for these owners; null is the runtime as a whole. */
  constructor(owners: Iterable<string | null>, runtime: Counted) {
    this.#runtime = runtime;
    for (const owner of owners) this.#accounts.set(owner, new Account());
    const { events } = runtime;
    const background = { background: true };
    const look = ({ sandboxId }: { readonly sandboxId: string }): void => void this.#ask(sandboxId);
    const forget = ({ sandboxId }: { readonly sandboxId: string }): void => this.#gone(sandboxId);
    this.#unsubscribe =
      this.#accounts.size === 0
        ? []
        : [
            events.on("sandbox.create.stop", look, background),
            events.on("sandbox.destroy.stop", forget, background),
            events.on("sandbox.destroy.exception", look, background),
          ];
  }

  close(): void {
    for (const end of this.#unsubscribe) end();
  }

  /** Sets room aside, or throws `QUOTA_EXCEEDED`: all of it or none. */
  async reserve(
    by: { readonly owner: string | null; readonly quotas: CompleteQuotas },
    needs: readonly Need[],
    { atOnce = needs.length }: ReserveOptions = {},
  ): Promise<Reservation> {
    const accounts = this.#of(by.owner === null ? "" : `${by.owner}:`);
    if (accounts.length === 0 || needs.length === 0) return { release: async () => {} };
    await this.#fillOnce();
    const sized = needs.map(({ id, memoryBytes }) => ({ id, memoryBytes: sizeOf(memoryBytes) }));
    const room = roomFor(sized, atOnce);
    const isForAll = room.sandboxes === needs.length;
    const account = this.#accounts.get(by.owner);
    // From here on nothing waits, so that nobody else comes in between.
    if (account !== undefined) check(account, { needs: isForAll ? sized : [], room, quotas: by.quotas });
    for (const one of accounts) {
      for (const need of sized)
        if (isForAll) one.hold(need);
        else one.cover(need.id, room);
      one.sandboxes += room.sandboxes;
      one.memoryBytes += room.memoryBytes;
    }
    let released: Promise<void> | undefined;
    return { release: () => (released ??= this.#release(accounts, { needs: sized, room, isForAll })) };
  }

  async #release(accounts: readonly Account[], { needs, room, isForAll }: Reserved): Promise<void> {
    await Promise.all(needs.map(({ id }) => this.#ask(id)));
    for (const account of accounts) {
      account.sandboxes -= room.sandboxes;
      account.memoryBytes -= room.memoryBytes;
      for (const need of needs)
        if (isForAll) account.letGo(need);
        else account.uncover(need.id, room);
    }
  }

  // The accounts that an id counts for: its tenant's and that of the whole.
  #of(id: string): readonly Account[] {
    const colon = id.indexOf(":");
    const owners = colon > 0 ? [null, id.slice(0, colon)] : [null];
    return owners.flatMap((owner) => this.#accounts.get(owner) ?? []);
  }

  async #fillOnce(): Promise<void> {
    this.#filled ??= this.#fill();
    try {
      await this.#filled;
    } catch (error) {
      this.#filled = undefined;
      throw error;
    }
  }

  async #fill(): Promise<void> {
    const listed = await this.#runtime.list();
    await Promise.all(listed.map(({ id }) => this.#ask(id)));
  }

  // Helpers, which no one may ask about, are not found and do not count.
  async #ask(id: string): Promise<void> {
    const accounts = this.#of(id);
    if (accounts.length === 0) return;
    const asked = this.#asked.get(id) ?? { count: 0, isGone: false };
    this.#asked.set(id, asked);
    asked.count++;
    asked.isGone = false;
    const memoryBytes = await this.#memoryOf(id);
    if (--asked.count === 0) this.#asked.delete(id);
    for (const account of accounts) account.set(id, asked.isGone ? null : memoryBytes);
  }

  // Most that are asked about after a batch are gone, which `has` says without an error for each.
  async #memoryOf(id: string): Promise<number | null> {
    try {
      return (await this.#runtime.has(id)) ? (await this.#runtime.info(id)).limits.memoryBytes : null;
    } catch {
      return null;
    }
  }

  #gone(id: string): void {
    const asked = this.#asked.get(id);
    if (asked !== undefined) asked.isGone = true;
    for (const account of this.#of(id)) account.set(id, null);
  }
}

interface Room {
  readonly sandboxes: number;
  readonly memoryBytes: number;
}

interface Reserved {
  readonly needs: readonly Need[];
  readonly room: Room;
  readonly isForAll: boolean;
}

// What is no size is refused by the runtime, and makes no room until then.
function sizeOf(memoryBytes: number): number {
  return Number.isFinite(memoryBytes) && memoryBytes > 0 ? memoryBytes : 0;
}

/** Room for the greatest of them that may live at a time. */
function roomFor(needs: readonly Need[], atOnce: number): Room {
  const sandboxes = atOnce >= 1 ? Math.min(needs.length, atOnce) : needs.length;
  const sizes = needs.map(({ memoryBytes }) => memoryBytes);
  if (sandboxes < needs.length) sizes.sort((one, other) => other - one).length = sandboxes;
  return { sandboxes, memoryBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function check(
  account: Account,
  asked: { readonly needs: readonly Need[]; readonly room: Room; readonly quotas: CompleteQuotas },
): void {
  const { needs, room, quotas } = asked;
  const own = account.uncounted(needs);
  for (const what of ["sandboxes", "memoryBytes"] as const) {
    const quota = quotas[what];
    const sum = account[what] - own[what] + room[what];
    if (quota === null || sum <= quota || room[what] <= own[what]) continue;
    const word = what === "sandboxes" ? "sandboxes" : "bytes of memory";
    const message = `Cannot make room as there must be at most ${quota} ${word} (the token's quota): ${sum} would be needed`;
    throw new QuotaExceededError(message, null);
  }
}
