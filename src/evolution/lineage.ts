// Parents and children. Survives the death of individuals.
import { parentsMax } from "../model/sandboxes/ancestry.ts";
import { InvalidOptionsError } from "../model/errors.ts";
import { integer, list, readGiven, required, text } from "../model/schema.ts";
import { show } from "../model/show.ts";
import { inSlices } from "../std/slicing.ts";
import { unifiedDiff } from "../std/unified-diff.ts";
import type { Individuals } from "./individuals.ts";

/** One birth. */
export interface Birth {
  readonly id: string;
  readonly parentIds?: readonly string[];
  readonly generation?: number;
  /** What was changed, as the caller describes it: any JSON. */
  readonly mutation?: unknown;
  /** Identifies its code. */
  readonly checksum?: string | null;
}

/** A change of a living individual's code. */
export interface Mutation {
  readonly id: string;
  /** What was changed, as the caller describes it: any JSON. */
  readonly mutation?: unknown;
  /** Identifies its new code. */
  readonly checksum?: string | null;
}

/** What is known of one individual's origin. */
export interface Origin {
  readonly id: string;
  readonly parentIds: readonly string[];
  readonly generation: number;
  /** Steps to the farthest seed, counted when it was born. */
  readonly depth: number;
  /** Of its latest change: a reload, a rollback, or its birth. Null also for one that is dead and whose record was long. */
  readonly mutation: unknown;
  readonly living: boolean;
  /** It was named as a parent, but its own birth was never reported. */
  readonly awaited: boolean;
}

export interface PathEntry {
  readonly from: string;
  readonly to: string;
  readonly mutation: unknown;
  /** A unified diff of the sources; null where either of them is not known any more. */
  readonly diff: string | null;
}

const birthNames = ["id", "parentIds", "generation", "mutation", "checksum"] as const;
const mutationNames = ["id", "mutation", "checksum"] as const;
const name = required(text());
const parentList = list(name);
const generationBounds = integer({ min: 0, max: 2 ** 31 - 1 });

export class Lineage {
  readonly #table: Individuals;

  /** @internal A `Tracker` makes it. */
  constructor(table: Individuals) {
    this.#table = table;
  }

  /** Records a birth. A parent that is not known is remembered by its id; none may be its own ancestor. */
  born(birth: Birth): void {
    readGiven(birth ?? null, "birth", birthNames);
    const { parentIds = [], generation, mutation = null, checksum = null } = birth;
    const id = name.read(birth.id, "birth.id");
    parentList.read(parentIds, "birth.parentIds");
    generationBounds.read(generation, "birth.generation");
    const table = this.#table;
    if (parentIds.length > parentsMax) {
      throw new InvalidOptionsError(
        `Cannot bear ${show(id)} as it must have at most ${parentsMax} parents: got ${parentIds.length}`,
        "parentIds",
      );
    }
    const known = table.find(id);
    if (known !== undefined && table.isAwaited(known)) this.#checkOrder(known, parentIds);
    table.makeRoom(parentIds.length + 1);
    for (const parentId of parentIds) if (parentId !== id) table.rowFor(parentId);
    // An individual whose id was used before may have the earlier one as a parent.
    const former = parentIds.includes(id) ? table.find(id) : undefined;
    if (parentIds.includes(id) && (former === undefined || table.isAwaited(former))) {
      throw new InvalidOptionsError(
        `Cannot bear ${show(id)} as its parents must be others: it names itself`,
        "parentIds",
      );
    }
    const row = table.bear(id, checksum, mutation);
    const parents = [...new Set(parentIds)].map((parentId) =>
      parentId === id ? (former as number) : table.rowFor(parentId),
    );
    for (const parent of parents) table.edges.add(row, parent);
    const depths = parents.map((parent) => table.depth.get(parent) + 1);
    const generations = parents.map((parent) => table.generation.get(parent) + 1);
    table.depth.set(row, Math.max(0, ...depths));
    table.generation.set(row, generation ?? Math.max(0, ...generations));
    table.listener?.changed(row);
  }

  /** The code of a living individual was changed: what is known of its code and of its mutation is replaced. */
  mutated(change: Mutation): void {
    readGiven(change ?? null, "change", mutationNames);
    const { mutation = null, checksum = null } = change;
    const id = name.read(change.id, "change.id");
    const row = this.#table.require(id);
    if (!this.#table.isLiving(row))
      throw new InvalidOptionsError(`Cannot mutate ${show(id)} as it must be living: it is not`, "id");
    this.#table.mutate(row, checksum, mutation);
  }

  /** It is gone: what is remembered of it is its place in the tree and its latest score. */
  died(id: string): void {
    const row = this.#table.find(id);
    if (row !== undefined) this.#table.archive(row);
  }

  origin(id: string): Origin {
    return this.#originOf(this.#table.require(id));
  }

  /** All ancestors, nearest first. */
  ancestors(id: string): readonly string[] {
    return this.#reach(this.#table.require(id), (row) => this.#table.edges.parentsOf(row));
  }

  /** All descendants, nearest first. */
  descendants(id: string): readonly string[] {
    return this.#reach(this.#table.require(id), (row) => this.#table.edges.childrenOf(row));
  }

  /** Itself, its first parent, and so on to a seed or to where memory ends. */
  pathToSeed(id: string): readonly Origin[] {
    const path: Origin[] = [];
    let row: number | undefined = this.#table.require(id);
    for (; row !== undefined; row = this.#table.edges.parentsOf(row)[0]) path.push(this.#originOf(row));
    return path;
  }

  /** What changed on the way from the seed, step by step; `sourceOf` gives what is still known of sources. */
  async diffsAlongPath(
    id: string,
    sourceOf: (id: string) => string | undefined | Promise<string | undefined>,
  ): Promise<readonly PathEntry[]> {
    const path = this.pathToSeed(id).toReversed();
    const sources = await Promise.all(path.map(async (origin) => sourceOf(origin.id)));
    const entries: PathEntry[] = [];
    for (const [index, { id: to, mutation }] of path.entries()) {
      const from = path[index - 1]?.id;
      if (from === undefined) continue;
      const [before, after] = [sources[index - 1], sources[index]];
      const diff =
        before === undefined || after === undefined
          ? null
          : await inSlices(unifiedDiff(before, after, { name: to, old: from, new: to }), undefined);
      entries.push({ from, to, mutation, diff });
    }
    return entries;
  }

  /** Those of the ancestors that both have, nearest to the first one first; an individual counts as its own. */
  commonAncestors(id: string, otherId: string): readonly string[] {
    const others = new Set([otherId, ...this.ancestors(otherId)]);
    return [id, ...this.ancestors(id)].filter((ancestor) => others.has(ancestor));
  }

  // A birth that is reported late must not make a cycle.
  #checkOrder(row: number, parentIds: readonly string[]): void {
    const below = new Set(this.#reach(row, (at) => this.#table.edges.childrenOf(at)));
    const circular = parentIds.find((parentId) => below.has(parentId));
    if (circular === undefined) return;
    const id = this.#table.idOf(row);
    throw new InvalidOptionsError(
      `Cannot bear ${show(id)} as its parents must not come from it: ${show(circular)} does`,
      "parentIds",
    );
  }

  #originOf(row: number): Origin {
    const table = this.#table;
    return {
      id: table.idOf(row),
      parentIds: table.edges.parentsOf(row).map((parent) => table.idOf(parent)),
      generation: table.generation.get(row),
      depth: table.depth.get(row),
      mutation: table.mutationOf(row),
      living: table.isLiving(row),
      awaited: table.isAwaited(row),
    };
  }

  #reach(start: number, next: (row: number) => readonly number[]): readonly string[] {
    const reached = new Set([start]);
    // A set is iterated in the order of insertion, those that are added meanwhile included.
    for (const row of reached) for (const other of next(row)) reached.add(other);
    return [...reached].slice(1).map((row) => this.#table.idOf(row));
  }
}
