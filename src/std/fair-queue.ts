// A queue with owners, in two levels: groups have equal shares of the work, and so have the members of one group. Next is
// whoever has used least, counted in milliseconds of work done; a small item goes before a large one of equals.

/** Whom an item belongs to. */
export interface Owner {
  readonly group: string;
  readonly member: string;
}

/** Which owners may have an item now, and which items. */
export interface Admission<T> {
  readonly group: (group: string) => boolean;
  readonly member: (owner: Owner) => boolean;
  readonly item: (item: T, owner: Owner) => boolean;
}

/** How many idle owners of one level are remembered by what they have used; the longest idle are forgotten first. */
const rememberedMax = 1_000;
/** How much less than the others one counts as having used that comes anew, at most: as much of its work goes before theirs. */
const newcomerMs = 1_000;
/** How many owners of one level are compared for one decision: those that have waited longest. */
const comparedMax = 1_000;

interface Entry<T> {
  readonly item: T;
  /** What it is expected to cost. */
  readonly costMs: number;
}

/** A group or a member: what it has used, and how many of its items are being worked on. */
interface Share {
  usedMs: number;
  running: number;
}

interface Member<T> extends Share {
  readonly owner: Owner;
  readonly waiting: Entry<T>[];
}

interface Group<T> extends Share {
  readonly members: Level<Member<T>>;
}

/**
 * The shares of one level. Its clock is what each active share would have used if all had used the same: one that begins
 * anew starts a little before that, so that it comes soon, nobody saves up for later, and a large item is not passed by small
 * ones for ever.
 */
class Level<S extends Share> {
  readonly active = new Map<string, S>();
  readonly #idleMs = new Map<string, number>();
  #clockMs = 0;
  /** As if one more had been active all the time. */
  #newcomerClockMs = 0;

  // What one has used that begins anew.
  get #startMs(): number {
    return Math.max(this.#newcomerClockMs, this.#clockMs - newcomerMs);
  }

  /** The share with this name, which is active from now on. */
  open(name: string, make: (usedMs: number) => S): S {
    const known = this.active.get(name);
    if (known !== undefined) return known;
    const share = make(Math.max(this.#idleMs.get(name) ?? 0, this.#startMs));
    this.#idleMs.delete(name);
    this.active.set(name, share);
    return share;
  }

  /** A share has nothing waiting and nothing running any more. */
  rest(name: string, { usedMs }: S): void {
    this.active.delete(name);
    if (usedMs > this.#startMs) this.#idleMs.set(name, usedMs);
    for (const oldest of this.#idleMs.keys()) {
      if (this.#idleMs.size <= rememberedMax) break;
      this.#idleMs.delete(oldest);
    }
    // Where nobody waits, nobody was held up: all begin anew.
    if (this.active.size > 0) return;
    this.#idleMs.clear();
    this.#clockMs = 0;
    this.#newcomerClockMs = 0;
  }

  /** Work of one share is done. */
  advance(workMs: number): void {
    this.#clockMs += workMs / Math.max(1, this.active.size);
    this.#newcomerClockMs += workMs / (this.active.size + 1);
  }

  /** The active share with the least of a measure; those without one do not count. */
  least(measure: (share: S, name: string) => number | undefined): S | undefined {
    let least: S | undefined;
    let leastMs = Infinity;
    let compared = 0;
    for (const [name, share] of this.active) {
      const ms = measure(share, name);
      if (ms === undefined) continue;
      if (ms < leastMs) {
        least = share;
        leastMs = ms;
      }
      if (++compared >= comparedMax) break;
    }
    return least;
  }
}

export class FairQueue<T> {
  readonly #groups = new Level<Group<T>>();
  /** Where each waiting item is: one that several owners want waits for each of them. */
  readonly #places = new Map<T, Member<T>[]>();

  /** How many items wait. */
  get size(): number {
    return this.#places.size;
  }

  has(item: T): boolean {
    return this.#places.has(item);
  }

  /** Puts an item at the end of its owner's own queue, or at the front where it was there before. */
  add(item: T, owner: Owner, { costMs, isFirst = false }: { costMs: number; isFirst?: boolean }): void {
    const member = this.#open(owner);
    if (member.waiting.some((entry) => entry.item === item)) return;
    if (isFirst) member.waiting.unshift({ item, costMs });
    else member.waiting.push({ item, costMs });
    const places = this.#places.get(item);
    if (places === undefined) this.#places.set(item, [member]);
    else places.push(member);
  }

  /** The item whose turn it is and whose turn it is counted as; it keeps waiting. */
  peek(admission: Admission<T>): { readonly item: T; readonly owner: Owner } | undefined {
    // A member waits with many others for each that is sent: little is done for each of them.
    const claimOf = ({ usedMs, waiting, owner }: Member<T>): number | undefined => {
      const head = waiting[0];
      const isAdmitted = head !== undefined && admission.member(owner) && admission.item(head.item, owner);
      return isAdmitted ? usedMs + head.costMs : undefined;
    };
    const bests = new Map<Group<T>, Member<T>>();
    const group = this.#groups.least((share, name) => {
      const best = admission.group(name) ? share.members.least(claimOf) : undefined;
      const head = best?.waiting[0];
      if (best === undefined || head === undefined) return undefined;
      bests.set(share, best);
      return share.usedMs + head.costMs;
    });
    const member = group === undefined ? undefined : bests.get(group);
    const head = member?.waiting[0];
    return member === undefined || head === undefined ? undefined : { item: head.item, owner: member.owner };
  }

  /** An item leaves the queue and is worked on; its owner is charged what it is expected to cost until that is known. */
  begin(item: T, owner: Owner, costMs: number): void {
    // Opened first, so that it stays active while its item is taken from it.
    for (const share of this.#sharesOf(owner)) {
      share.running++;
      share.usedMs += costMs;
    }
    this.remove(item);
  }

  /** The work on an item has ended after so long. */
  end(owner: Owner, { costMs, workMs }: { costMs: number; workMs: number }): void {
    const [group, member] = this.#sharesOf(owner);
    for (const share of [group, member]) {
      share.running--;
      share.usedMs += workMs - costMs;
    }
    group.members.advance(workMs);
    this.#groups.advance(workMs);
    this.#restIfIdle(owner, member);
  }

  /** Takes an item out, wherever it waits. */
  remove(item: T): void {
    const places = this.#places.get(item) ?? [];
    this.#places.delete(item);
    for (const member of places) {
      const at = member.waiting.findIndex((entry) => entry.item === item);
      if (at >= 0) member.waiting.splice(at, 1);
      this.#restIfIdle(member.owner, member);
    }
  }

  /** Everything that waits, taken out. */
  clear(): T[] {
    const items = [...this.#places.keys()];
    for (const item of items) this.remove(item);
    return items;
  }

  /** Whether an owner has used less than another, whose work under way has taken so long. */
  hasUsedLess(owner: Owner, other: Owner, underwayMs: number): boolean {
    const [group, member] = this.#sharesOf(owner);
    const [otherGroup, otherMember] = this.#sharesOf(other);
    return group === otherGroup
      ? member.usedMs < otherMember.usedMs + underwayMs
      : group.usedMs < otherGroup.usedMs + underwayMs;
  }

  #sharesOf(owner: Owner): [Group<T>, Member<T>] {
    const member = this.#open(owner);
    return [this.#groups.active.get(owner.group) as Group<T>, member];
  }

  #open(owner: Owner): Member<T> {
    const { members } = this.#groups.open(owner.group, (usedMs) => {
      return { usedMs, running: 0, members: new Level<Member<T>>() };
    });
    return members.open(owner.member, (usedMs) => ({ usedMs, running: 0, owner, waiting: [] }));
  }

  #restIfIdle({ group: groupName, member: name }: Owner, member: Member<T>): void {
    const group = this.#groups.active.get(groupName);
    if (group === undefined || member.running > 0 || member.waiting.length > 0) return;
    group.members.rest(name, member);
    if (group.members.active.size === 0) this.#groups.rest(groupName, group);
  }
}
