// Parents and children. Survives the death of individuals.
import { parentsMax } from "../model/sandboxes/ancestry.ts";
import { InvalidOptionsError } from "../model/errors.ts";
import { custom, integer, isRecord, list, readGiven, refuseOption, required, text } from "../model/schema.ts";
import { show } from "../model/show.ts";
import { inSlices } from "../std/slicing.ts";
import { unifiedDiff } from "../std/unified-diff.ts";
import type { Sources } from "./table/codes.ts";
import type { Individuals } from "./table/individuals.ts";

/** One birth. */
export interface Birth {
  readonly id: string;
  readonly parentIds?: readonly string[];
  readonly generation?: number;
  /** What was changed, as the caller describes it: any JSON. */
  readonly mutation?: unknown;
  /** Identifies its code. */
  readonly checksum?: string | null;
  /** Its code, by the names of modules. */
  readonly sources?: Sources;
}

/** A change of a living individual's code. */
export interface Mutation {
  readonly id: string;
  /** What was changed, as the caller describes it: any JSON. */
  readonly mutation?: unknown;
  /** Identifies its new code. */
  readonly checksum?: string | null;
  /** Its new code, by the names of modules. */
  readonly sources?: Sources;
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

/** One individual on the path to a seed, with its code. */
export interface LineageStep extends Origin {
  /** Its code, or what it was last, by the names of modules; null where it is not known, or had to make room. */
  readonly sources: Sources | null;
  /**
   * A unified diff of that from the code of its first parent, as that was at its birth; null for a seed, and where either of
   * them is not known.
   */
  readonly diff: string | null;
}

const birthNames = ["id", "parentIds", "generation", "mutation", "checksum", "sources"] as const;
const mutationNames = ["id", "mutation", "checksum", "sources"] as const;
const sourceTexts = custom((value, path): Sources | undefined => {
  if (
    value === undefined ||
    (isRecord(value) && Object.values(value).every((one) => typeof one === "string"))
  )
    return value as Sources | undefined; // Every one of them is a text.
  throw refuseOption({ verb: "use", path, rule: "an object of texts by the names of modules", got: value });
});
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
    const { parentIds = [], generation, mutation = null, checksum = null, sources } = birth;
    const id = name.read(birth.id, "birth.id");
    parentList.read(parentIds, "birth.parentIds");
    generationBounds.read(generation, "birth.generation");
    sourceTexts.read(sources, "birth.sources");
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
    const row = table.bear(id, { checksum, sources }, mutation);
    const parents = [...new Set(parentIds)].map((parentId) =>
      parentId === id ? (former as number) : table.rowFor(parentId),
    );
    table.connect(row, parents);
    const depths = parents.map((parent) => table.depth.get(parent) + 1);
    const generations = parents.map((parent) => table.generation.get(parent) + 1);
    table.depth.set(row, Math.max(0, ...depths));
    table.generation.set(row, generation ?? Math.max(0, ...generations));
    table.listener?.changed(row);
  }

  /** The code of a living individual was changed: what is known of its code and of its mutation is replaced. */
  mutated(change: Mutation): void {
    readGiven(change ?? null, "change", mutationNames);
    const { mutation = null, checksum = null, sources } = change;
    sourceTexts.read(sources, "change.sources");
    const id = name.read(change.id, "change.id");
    const row = this.#table.require(id);
    if (!this.#table.isLiving(row))
      throw new InvalidOptionsError(`Cannot mutate ${show(id)} as it must be living: it is not`, "id");
    this.#table.mutate(row, { checksum, sources }, mutation);
  }

  /** It is gone. Its place in the tree and its latest score are remembered, and for as long as there is room the rest. */
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

  /** The code of one individual, living or dead; null where it is not known, or had to make room. */
  sources(id: string): Sources | null {
    return this.#table.code.sourcesOf(this.#table.require(id));
  }

  /**
   * Itself, its first parent, and so on to a seed or to where memory ends, each with its code and what changed in it; of a long
   * way the nearest `count`.
   */
  async path(id: string, count = Infinity): Promise<readonly LineageStep[]> {
    const { edges, code } = this.#table;
    const steps: {
      readonly origin: Origin;
      readonly after: Sources | null;
      readonly before: Sources | null;
    }[] = [];
    // All at once: rows may move while diffs are made.
    for (
      let row: number | undefined = this.#table.require(id);
      row !== undefined && steps.length < count;
      row = edges.parentsOf(row)[0]
    )
      steps.push({
        origin: this.#originOf(row),
        after: code.sourcesOf(row),
        before: code.parentSourcesOf(row),
      });
    const path: LineageStep[] = [];
    for (const { origin, after, before } of steps) {
      const names = { old: origin.parentIds[0] ?? "", new: origin.id };
      const diff =
        before === null || after === null ? null : await inSlices(diffOf(before, after, names), undefined);
      path.push({ ...origin, sources: after, diff });
    }
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

// Module by module, those that are the same left out.
function* diffOf(
  before: Sources,
  after: Sources,
  names: { readonly old: string; readonly new: string },
): Generator<number, string> {
  const parts: string[] = [];
  for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
    const [old, now] = [before[name] ?? "", after[name] ?? ""];
    if (old !== now) parts.push(yield* unifiedDiff(old, now, { name, ...names }));
  }
  return parts.join("");
}
