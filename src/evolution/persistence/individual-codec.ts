// Individuals as rows of JSON, as short as they can be, and back. What is read may be damaged: a row that says nothing of use is
// left out.
import type { Components, TestResult } from "../../model/fitness.ts";
import { mutationBytesMax } from "../../model/sandboxes/ancestry.ts";
import { isRecord } from "../../model/schema.ts";
import type { FitnessResult, IndividualRow } from "../table/individual-row.ts";

/** A row with its place in the lineage. */
export interface StoredIndividual {
  readonly row: IndividualRow;
  /** The numbers of its parents' rows, in the order in which they were named. */
  readonly parents: readonly number[];
  /** The place of its birth among the numbers of rows; null for one whose row was made at its birth. */
  readonly lateBirth: number | null;
  /** Of its code, in a row of an earlier version, which had no numbers of codes. */
  readonly checksum?: string | null;
}

const states = { living: "living", dead: "dead", awaited: "awaited" } as const;

export function encodeIndividual({ row, parents, lateBirth }: StoredIndividual): Record<string, unknown> {
  const { id, state, generation, depth, result, revision, mutation, createdAt } = row;
  const { components, adjustments, tests, message, code, parentCode } = row;
  return {
    id,
    state,
    ...(parents.length > 0 && { parents }),
    ...(lateBirth !== null && { lateBirth }),
    ...(generation !== 0 && { generation }),
    ...(depth !== 0 && { depth }),
    ...(result !== "none" && { result, revision, evaluatedAt: encodeNumber(row.evaluatedAt) }),
    ...(row.evaluationMs !== 0 && { evaluationMs: encodeNumber(row.evaluationMs) }),
    ...(!Number.isNaN(row.score) && { score: encodeNumber(row.score) }),
    ...(row.population !== null && { population: row.population }),
    ...(isPersistable(mutation) && { mutation }),
    ...(code !== 0 && { code }),
    ...(parentCode !== 0 && { parentCode }),
    ...(createdAt !== null && { createdAt }),
    ...(Object.keys(components).length > 0 && { components: encodeComponents(components) }),
    ...(tests.length > 0 && { tests }),
    ...(message !== null && { message }),
    ...(adjustments.length > 0 && {
      adjustments: adjustments.map(({ delta, reason }) => [encodeNumber(delta), reason]),
    }),
  };
}

export function decodeIndividual(value: unknown): StoredIndividual | undefined {
  if (!isRecord(value) || typeof value["id"] !== "string") return undefined;
  const { id, state, result, mutation = null, components, adjustments, tests, message } = value;
  const { checksum, parents, lateBirth, population } = value;
  if (typeof state !== "string" || !Object.hasOwn(states, state)) return undefined;
  const row: IndividualRow = {
    id,
    state: states[state as keyof typeof states],
    generation: decodeNumber(value["generation"], 0),
    depth: decodeNumber(value["depth"], 0),
    score: decodeNumber(value["score"], Number.NaN),
    result: typeof result === "string" ? (result as FitnessResult) : "none",
    revision: decodeNumber(value["revision"], 0),
    evaluatedAt: decodeNumber(value["evaluatedAt"], 0),
    evaluationMs: decodeNumber(value["evaluationMs"], 0),
    population: typeof population === "string" ? population : null,
    mutation,
    code: decodeNumber(value["code"], 0),
    parentCode: decodeNumber(value["parentCode"], 0),
    createdAt: typeof value["createdAt"] === "number" ? value["createdAt"] : null,
    components: isRecord(components) ? decodeComponents(components) : {},
    // Its own words about its tests, which nothing here depends on.
    tests: Array.isArray(tests) ? (tests.filter(isRecord) as unknown as TestResult[]) : [],
    message: typeof message === "string" ? message : null,
    adjustments: Array.isArray(adjustments) ? decodeAdjustments(adjustments) : [],
  };
  return {
    row,
    checksum: typeof checksum === "string" ? checksum : null,
    parents: Array.isArray(parents) ? parents.filter((number) => Number.isSafeInteger(number)) : [],
    lateBirth: Number.isSafeInteger(lateBirth) ? (lateBirth as number) : null,
  };
}

// JSON has no negative zero.
function encodeNumber(value: number): number | string {
  return Object.is(value, -0) ? "-0" : value;
}

function decodeNumber(value: unknown, otherwise: number): number {
  if (value === "-0") return -0;
  return typeof value === "number" ? value : otherwise;
}

function encodeComponents(components: Components): Record<string, number | string> {
  return Object.fromEntries(Object.entries(components).map(([name, value]) => [name, encodeNumber(value)]));
}

function decodeComponents(components: Readonly<Record<string, unknown>>): Components {
  return Object.fromEntries(
    Object.entries(components).map(([name, value]) => [name, decodeNumber(value, Number.NaN)]),
  );
}

function decodeAdjustments(adjustments: readonly unknown[]): { delta: number; reason: string }[] {
  return adjustments
    .filter((adjustment) => Array.isArray(adjustment))
    .map(([delta, reason]: readonly unknown[]) => ({
      delta: decodeNumber(delta, 0),
      reason: String(reason),
    }));
}

// A caller of `born` may give anything as a mutation; sandboxes have records of at most this length.
function isPersistable(mutation: unknown): boolean {
  if (mutation === null) return false;
  try {
    const text = JSON.stringify(mutation) as string | undefined;
    return text !== undefined && text.length <= mutationBytesMax;
  } catch {
    return false;
  }
}
