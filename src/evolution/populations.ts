// Populations: their members, generation by generation; islands, and migration between them.
import { InvalidOptionsError } from "../model/errors.ts";
import { isRecord, refuseOption } from "../model/schema.ts";
import { show } from "../model/show.ts";
import type { Runtime } from "../api/types/runtime.ts";
import type { FitnessRecords } from "./fitness-records.ts";
import { Generation } from "./generation.ts";
import type { Individuals } from "./table/individuals.ts";
import { Outdated, type Standing } from "./outdated.ts";
import type { PopulationRow, PopulationsListener } from "./population-row.ts";
import {
  batches,
  generationNumber,
  memberFilter,
  migrationCount,
  migrationWay,
  populationId,
  populationOptions,
  readIds,
  type Member,
  type MemberFilter,
  type Migration,
  type Population,
  type PopulationOptions,
} from "./population-options.ts";
import { diversityOf } from "./statistics.ts";

interface Kept {
  generation: number;
  members: Set<string>;
  /** The generations before, newest first. */
  past: { readonly generation: number; readonly members: ReadonlySet<string> }[];
  readonly createdAt: number;
  readonly parentPopulationId: string | null;
}

export interface PopulationsParts {
  readonly table: Individuals;
  readonly fitness: FitnessRecords;
  readonly now: () => number;
  /** How many generations are retained, the present one included. */
  readonly retainGenerations: number;
  /** How many members of past generations are known. */
  readonly outdatedMax: number;
}

export class Populations {
  readonly #parts: PopulationsParts;
  readonly #byId = new Map<string, Kept>();
  readonly #outdated: Outdated;
  /** @internal */
  listener: PopulationsListener | undefined;

  /** @internal A `Tracker` makes it. */
  constructor(parts: PopulationsParts) {
    this.#parts = parts;
    this.#outdated = new Outdated({
      isDead: (id) => parts.table.isDead(id),
      isRetained: (id) => this.#retainedSets().some((members) => members.has(id)),
      max: parts.outdatedMax,
      onChange: (id, standing) => this.listener?.standingChanged(id, standing),
    });
  }

  /** A new population with its first members. */
  register(id: string, sandboxIds: Iterable<string>, options: PopulationOptions = {}): Population {
    populationId.read(id, "id");
    const { generation, parentPopulationId } = populationOptions.read(options, "options");
    if (this.#byId.has(id))
      throw new InvalidOptionsError(
        `Cannot register population ${show(id)} as it must be new: it is not`,
        "id",
      );
    if (parentPopulationId !== undefined) this.#require(parentPopulationId);
    const members = readIds(sandboxIds);
    this.#outdated.join(members);
    this.#byId.set(id, {
      generation,
      members,
      past: [],
      createdAt: this.#parts.now(),
      parentPopulationId: parentPopulationId ?? null,
    });
    this.#parts.table.joined(id, members);
    this.listener?.populationChanged(id);
    return this.get(id);
  }

  ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  /** The members of its present generation, or of another that is retained: all, or only the living or the dead. */
  members(id: string, filter?: MemberFilter): readonly string[] {
    const { living, generation } = memberFilter.read(filter, "filter");
    const members = [...this.#membersOf(id, generation)];
    return living === undefined ? members : members.filter((one) => this.#isLiving(one) === living);
  }

  /** The same with what is known of each. */
  individuals(id: string, filter?: MemberFilter): readonly Member[] {
    const { fitness } = this.#parts;
    return this.members(id, filter).map((member) => {
      const { score = null, result = "none" } = fitness.get(member) ?? {};
      return { id: member, living: this.#isLiving(member), score, result };
    });
  }

  /** Batches of a runtime over the living members of its present generation, or of another that is retained. */
  generation(id: string, runtime: Pick<Runtime, "batch">, generation?: number): Generation {
    const batch: unknown = isRecord(runtime) ? runtime.batch : undefined;
    batches.read(batch, "runtime.batch");
    generationNumber.read(generation, "generation");
    this.#membersOf(id, generation);
    const filter = { living: true, ...(generation !== undefined && { generation }) };
    return new Generation(runtime.batch, () => this.members(id, filter));
  }

  get(id: string): Population {
    const { generation, members, createdAt, parentPopulationId } = this.#require(id);
    const sandboxIds = [...members];
    const { fitness, table } = this.#parts;
    const checksums = sandboxIds.map((member) => {
      const row = table.find(member);
      return row === undefined ? null : table.code.checksumOf(row);
    });
    return {
      id,
      generation,
      sandboxIds,
      fitnessStats: fitness.statistics(sandboxIds),
      diversity: diversityOf(checksums),
      createdAt,
      parentPopulationId,
    };
  }

  /** The next generation takes the place of the present one, which is retained for a while. */
  advance(id: string, sandboxIds: Iterable<string>): Population {
    const kept = this.#require(id);
    const next = readIds(sandboxIds);
    kept.past.unshift({ generation: kept.generation, members: kept.members });
    const dropped = kept.past.splice(this.#parts.retainGenerations - 1);
    kept.generation++;
    kept.members = next;
    for (const { members } of dropped) this.#outdated.outdate(members);
    this.#outdated.join(kept.members);
    this.#parts.table.joined(id, next);
    this.listener?.populationChanged(id);
    return this.get(id);
  }

  add(id: string, sandboxIds: Iterable<string>): void {
    const { members } = this.#require(id);
    const more = readIds(sandboxIds);
    for (const member of more) members.add(member);
    this.#outdated.join(more);
    this.#parts.table.joined(id, more);
    this.listener?.populationChanged(id);
  }

  remove(id: string, sandboxIds: Iterable<string>): void {
    const { members } = this.#require(id);
    for (const member of readIds(sandboxIds)) {
      members.delete(member);
      this.#outdated.leave([member]);
    }
    this.listener?.populationChanged(id);
  }

  /** The members of this and earlier generations that are retained, newest generation first. */
  retained(id: string): readonly { readonly generation: number; readonly sandboxIds: readonly string[] }[] {
    const { generation, members, past } = this.#require(id);
    return [{ generation, members }, ...past].map((one) => ({
      generation: one.generation,
      sandboxIds: [...one.members],
    }));
  }

  /** Which members would move if every population sent its best to the next one, the last one to the first. */
  planRing(ids: readonly string[], count: number): readonly Migration[] {
    migrationCount.read(count, "count");
    if (ids.length < 2) return [];
    const [first = ""] = ids;
    return ids.map((from, index) => ({
      from,
      to: ids[index + 1] ?? first,
      sandboxIds: this.#parts.fitness
        .rank(this.#require(from).members)
        .slice(0, count)
        .map(({ id }) => id),
    }));
  }

  /** Carries a migration out: `move` takes the individuals from where they were, `copy` leaves them there as well. */
  migrate(migrations: readonly Migration[], how: "move" | "copy"): void {
    migrationWay.read(how, "how");
    for (const { from, to, sandboxIds } of migrations) {
      const strange = sandboxIds.find((member) => !this.#require(from).members.has(member));
      this.#require(to);
      if (strange === undefined) continue;
      const rule = `it must be a member of ${show(from)}`;
      throw new InvalidOptionsError(`Cannot migrate ${show(strange)} as ${rule}: it is not`, "sandboxIds");
    }
    // All leave before any arrives, so that a member that goes round a ring is not sent on at once.
    if (how === "move") for (const { from, sandboxIds } of migrations) this.remove(from, sandboxIds);
    for (const { to, sandboxIds } of migrations) this.add(to, sandboxIds);
  }

  /** Of these, those that no population retains, also where none ever had them. */
  unretained(sandboxIds: Iterable<string>): readonly string[] {
    const retained = new Set(this.#retainedSets().flatMap((members) => [...members]));
    return [...sandboxIds].filter((id) => !retained.has(id));
  }

  /** Of these, the members of past generations that no population retains: what a collector may destroy. */
  outdated(sandboxIds: Iterable<string>): readonly string[] {
    return this.unretained(sandboxIds).filter((id) => this.#outdated.has(id));
  }

  /** An individual is dead: one born later under its id is no member. */
  died(id: string): void {
    this.#outdated.died(id);
  }

  /** Forgets a population; its individuals stay. */
  drop(id: string): void {
    const { members, past } = this.#require(id);
    this.#byId.delete(id);
    for (const generation of [members, ...past.map((one) => one.members)]) this.#outdated.leave(generation);
    this.listener?.populationChanged(id);
  }

  /** @internal */
  describe(id: string): PopulationRow | undefined {
    const kept = this.#byId.get(id);
    if (kept === undefined) return undefined;
    const past = kept.past.map(({ generation, members }) => ({ generation, members: [...members] }));
    return { ...kept, id, members: [...kept.members], past };
  }

  /** @internal Adds a population as it was described. */
  restore({ id, members, past, ...rest }: PopulationRow): void {
    const generations = past.map((one) => ({ generation: one.generation, members: new Set(one.members) }));
    this.#byId.set(id, { ...rest, members: new Set(members), past: generations });
  }

  /** @internal */
  restoreStanding(id: string, standing: Standing): void {
    this.#outdated.restore(id, standing);
  }

  /** @internal All are restored: generations that are retained no longer are outdated. */
  trim(): void {
    for (const [id, { past }] of this.#byId) {
      const dropped = past.splice(this.#parts.retainGenerations - 1);
      for (const { members } of dropped) this.#outdated.outdate(members);
      if (dropped.length > 0) this.listener?.populationChanged(id);
    }
  }

  #membersOf(id: string, generation: number | undefined): ReadonlySet<string> {
    const kept = this.#require(id);
    if (generation === undefined || generation === kept.generation) return kept.members;
    const found = kept.past.find((one) => one.generation === generation);
    if (found !== undefined) return found.members;
    const first = kept.past.at(-1)?.generation ?? kept.generation;
    const rule = `one that is retained, ${first}–${kept.generation}`;
    throw refuseOption({ verb: "use", path: "generation", rule, got: generation });
  }

  // A member that died and whose id another one has since is dead all the same.
  #isLiving(id: string): boolean {
    const row = this.#parts.table.find(id);
    return row !== undefined && this.#parts.table.isLiving(row) && !this.#outdated.isOver(id);
  }

  #retainedSets(): readonly ReadonlySet<string>[] {
    return [...this.#byId.values()].flatMap(({ members, past }) => [
      members,
      ...past.map((one) => one.members),
    ]);
  }

  #require(id: string): Kept {
    const kept = this.#byId.get(id);
    if (kept !== undefined) return kept;
    throw new InvalidOptionsError(
      `Cannot find population ${show(id)} as it must be one that is registered: it is not`,
      "id",
    );
  }
}
