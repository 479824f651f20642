// Searches for what costs the host's thread most: random candidates first, then neighbours of the most expensive ones.
// A find counts when the least of several measurements holds it for too long, and a plain value of the same size on the
// same way does not.
import { runInThisContext } from "node:vm";
import { createRuntime, type Runtime } from "../../../src/index.ts";
import { encode } from "../../../src/model/wire/encode.ts";
import { Dice } from "../dice.ts";
import type { Fuzz } from "../rounds.ts";
import { drawn, expressionOf, isText, nameOf, textOf, varied, type Candidate } from "./candidates.ts";
import { cross, type Crossing } from "./crossings.ts";

export interface Find extends Crossing {
  readonly candidate: Candidate;
  /** Bytes as encoded; undefined for what cannot be encoded. */
  readonly bytes: number | undefined;
  /** What a plain value of the same size costs in total; undefined where it was not needed. */
  readonly plainMs: number | undefined;
}

export interface Bar {
  /** A stretch of the host's thread up to this is always allowed. */
  readonly longestMs: number;
  /** Beyond it, so many times the cost of a plain value of the same size. */
  readonly plainFactor: number;
}

export const bar: Bar = { longestMs: 20, plainFactor: 5 };
const confirmations = 4;
const survivors = 24;
const encodedBytesMax = 64 * 2 ** 20;

export const isExcess = (
  { longestMs, totalMs, plainMs }: Find,
  { longestMs: max, plainFactor }: Bar,
): boolean => longestMs > max && (plainMs === undefined || totalMs > plainMs * plainFactor);

export interface Search {
  readonly tried: number;
  /** The most expensive first, one of each name. */
  readonly worst: readonly Find[];
}

/** Searches until the time is up. */
export async function searchCosts({ seed, ms }: Fuzz): Promise<Search> {
  const dice = new Dice(seed);
  const capabilities = { take: { run: () => 1, timeoutMs: 60_000 } };
  await using runtime = await createRuntime({ cells: { count: 1, spare: 1, warm: 2 }, capabilities });
  // The first ones pay for compiling the host's own code.
  for (let n = 0; n < 3; n++) await cross(runtime, plainOf("result", 1_000), 1);
  const best = new Map<string, Find>();
  const endMs = performance.now() + ms;
  let tried = 0;
  while (performance.now() < endMs) {
    const ranked = rankedOf(best);
    const candidate =
      ranked.length === 0 || dice.chance(0.4) ? drawn(dice) : varied(dice.pick(ranked).candidate, dice);
    tried++;
    const name = nameOf(candidate);
    const known = best.get(name)?.longestMs ?? 0;
    const quick = await cross(runtime, candidate, 1);
    if (quick === undefined || quick.longestMs <= known) continue;
    const sure = quick.longestMs > bar.longestMs / 4 ? await cross(runtime, candidate, confirmations) : quick;
    if (sure === undefined || sure.longestMs <= known) continue;
    best.set(name, await weighed(runtime, candidate, sure));
  }
  return { tried, worst: rankedOf(best) };
}

const rankedOf = (best: ReadonlyMap<string, Find>): readonly Find[] =>
  [...best.values()].sort((a, b) => b.longestMs - a.longestMs).slice(0, survivors);

async function weighed(runtime: Runtime, candidate: Candidate, crossing: Crossing): Promise<Find> {
  const bytes = bytesOf(candidate);
  const isLong = crossing.longestMs > bar.longestMs;
  const plain = isLong && bytes !== undefined ? plainOf(candidate.channel, bytes) : undefined;
  const plainMs = plain && (await cross(runtime, plain, confirmations))?.totalMs;
  return { ...crossing, candidate, bytes, plainMs };
}

/** Short records in a list, as long as that when encoded, or short functions: what an ordinary guest hands over. */
function plainOf(channel: Candidate["channel"], bytes: number): Candidate {
  if (channel === "source" || channel === "edit")
    return { channel, container: "", item: "exported functions", n: Math.ceil(bytes / 45), k: 1 };
  return {
    channel,
    container: "array of",
    item: "record",
    n: Math.ceil(bytes / 30),
    k: 1,
  };
}

/** Ids and labels count as they are; a value that is no data, or too large for any limit, has no size. */
function bytesOf(candidate: Candidate): number | undefined {
  if (isText(candidate)) return textOf(candidate).length;
  if (candidate.channel === "id") return candidate.n;
  if (candidate.channel === "labels") return candidate.n * (candidate.k + 8);
  try {
    return encode(runInThisContext(expressionOf(candidate), { timeout: 10_000 }), encodedBytesMax).length;
  } catch {
    return undefined;
  }
}
