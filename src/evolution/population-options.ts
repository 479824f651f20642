// What is asked of populations and what they answer, with the checks of it.
import type { Runtime } from "../api/types/runtime.ts";
import {
  boolean,
  either,
  fields,
  integer,
  refuseOption,
  required,
  requiredMethods,
  text,
  type Shape,
} from "../model/schema.ts";
import type { Diversity, FitnessStatistics } from "./statistics.ts";
import type { FitnessResult } from "./table/individual-row.ts";

export interface Population {
  readonly id: string;
  readonly generation: number;
  readonly sandboxIds: readonly string[];
  readonly fitnessStats: FitnessStatistics;
  readonly diversity: Diversity;
  readonly createdAt: number;
  readonly parentPopulationId: string | null;
}

export interface PopulationOptions {
  /** The generation of its first members. Default: 0. */
  readonly generation?: number;
  /** The population that it comes from. */
  readonly parentPopulationId?: string;
}

export const populationOptions = fields({
  generation: integer({ min: 0, max: 2 ** 31 - 1, default: 0 }),
  parentPopulationId: text(),
} satisfies Shape<PopulationOptions>);

/** Which members: all unless it says otherwise, of the present generation unless it says otherwise. */
export interface MemberFilter {
  /** Only the living, or only the dead. Default: both. */
  readonly living?: boolean;
  /** Those of this generation. Default: the present one. */
  readonly generation?: number;
}

/** One member of a population. */
export interface Member {
  readonly id: string;
  readonly living: boolean;
  readonly score: number | null;
  /** How its latest evaluation ended. */
  readonly result: FitnessResult;
}

export const generationNumber = integer({ min: 0, max: 2 ** 31 - 1 });
export const memberFilter = fields({
  living: boolean(),
  generation: generationNumber,
} satisfies Shape<MemberFilter>);
export const batches = requiredMethods<Runtime["batch"]>("evaluate", "destroy");
export const populationId = required(text());
export const migrationCount = required(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
export const migrationWay = required(either(["move", "copy"]));

/** Some individuals that go, or are copied, from one population to another. */
export interface Migration {
  readonly from: string;
  readonly to: string;
  readonly sandboxIds: readonly string[];
}

// A text could be iterated too, and its letters are no ids.
export function readIds(ids: Iterable<unknown>): Set<string> {
  const isIterable = typeof ids === "object" && ids !== null && Symbol.iterator in ids;
  const read = new Set(isIterable ? ids : [undefined]);
  for (const id of read)
    if (typeof id !== "string")
      throw refuseOption({
        verb: "use",
        path: "sandboxIds",
        rule: "a list of ids",
        got: isIterable ? id : ids,
      });
  return read as Set<string>;
}
