// An evolution that was never run, as a document: as many individuals as asked for, on islands, with sources, failures and a
// journal. The same seed gives the same one.
import type { AnyEvent } from "../../../src/index.ts";
import type { DumpIndividual, EvolutionDump } from "../../../src/contract/evolution-bodies.ts";

export interface SampleOptions {
  readonly individuals?: number;
  readonly islands?: number;
  readonly seed?: number;
  /** Names of components; with two or more there are several objectives. */
  readonly components?: readonly string[];
  /** Put into every text that a guest could have written. */
  readonly hostile?: string;
}

const startMs = Date.UTC(2026, 10, 19, 8, 0, 0);
const stepMs = 40;
const failures = ["timeout", "memory", "crashed", "output-limit", "rejected"] as const;
const mutations = ["point", "crossover", "shrink", "constant"] as const;

export function sampleDump(options: SampleOptions = {}): EvolutionDump {
  const {
    individuals: count = 400,
    islands = 4,
    seed = 7,
    components = ["fit", "size"],
    hostile = "",
  } = options;
  const random = randomOf(seed);
  const perGeneration = Math.max(islands, Math.ceil(count / 20));
  const texts: string[] = [];
  const made: { readonly individual: DumpIndividual; readonly text: number | null }[] = [];
  for (let index = 0; index < count; index++) {
    const generation = Math.floor(index / perGeneration);
    const island = index % islands;
    const first =
      generation === 0 ? undefined : parentOf(made, { generation, perGeneration, random, island });
    const second =
      first !== undefined && random() < 0.3
        ? parentOf(made, { generation, perGeneration, random })
        : undefined;
    const parents = [first, second].filter((parent) => parent !== undefined);
    const isFailed = random() < 0.12;
    const before = first?.individual.score ?? 9;
    const score = isFailed ? null : Math.max(0.5, before + (random() - 0.62) * 0.6);
    const text = texts.push(sourceOf(index, random, hostile)) - 1;
    const at = startMs + index * stepMs;
    const result = isFailed ? (failures[Math.floor(random() * failures.length)] ?? "crashed") : "ok";
    made.push({
      text,
      individual: {
        id: `i${index}`,
        parentIds: [...new Set(parents.map(({ individual }) => individual.id))],
        generation,
        depth: generation,
        state: index < count - perGeneration ? "dead" : "living",
        score,
        result,
        components: score === null ? {} : componentsOf(components, score, random),
        evaluatedAt: at + 20,
        evaluationMs: 3 + random() * 20,
        population: `island-${island + 1}`,
        mutation:
          first === undefined
            ? null
            : { operator: mutations[index % mutations.length], note: hostile || "changed a constant" },
        tests: [
          {
            name: `small ${hostile}`,
            passed: !isFailed,
            points: isFailed ? 0 : 1,
            pointsMax: 1,
            hidden: false,
            ...(isFailed && { message: `it gave 3 and not 4 ${hostile}` }),
          },
          testOf(`full ${hostile}`, score !== null && score < 7),
          testOf("odd sizes", score !== null && score < 4),
        ],
        message: isFailed ? `It failed as ${result}. ${hostile}` : null,
        adjustments: [],
        sources: { candidate: text },
        parentSources: first?.text === undefined || first.text === null ? null : { candidate: first.text },
      },
    });
  }
  const individuals = made.map(({ individual }) => individual);
  const events = eventsOf(individuals, hostile);
  return {
    format: "vivarium-dump",
    formatVersion: 1,
    takenAt: startMs + count * stepMs + 1_000,
    origin: "a sample",
    direction: "minimise",
    forgotten: 0,
    runs: [
      {
        name: "sample",
        title: `bin packing ${hostile}`,
        about: "a rule for packing bins that wastes little",
        seed,
        state: "running",
        generation: individuals.at(-1)?.generation ?? null,
        evaluations: count,
        evaluationsMax: count * 2,
        durationMs: count * stepMs,
        durationMsMax: null,
        best: Math.min(...individuals.map(({ score }) => score ?? Infinity)),
        direction: "minimise",
        unit: "% excess",
        updatedAt: startMs + count * stepMs,
      },
    ],
    individuals,
    texts,
    events: events.map((event, index) => ({ ...event, number: index + 1 })),
    eventsMissing: 0,
  };
}

function testOf(name: string, passed: boolean): DumpIndividual["tests"][number] {
  const result = { name, passed, points: passed ? 2 : 0, pointsMax: 2, hidden: false };
  return passed ? result : { ...result, message: "expected 3 bins, got 4" };
}

type Made = readonly { readonly individual: DumpIndividual; readonly text: number | null }[];

function parentOf(
  made: Made,
  how: {
    readonly generation: number;
    readonly perGeneration: number;
    readonly random: () => number;
    readonly island?: number;
  },
): Made[number] | undefined {
  const { generation, perGeneration, random, island } = how;
  const before = made.slice(Math.max(0, generation - 1) * perGeneration, generation * perGeneration);
  const own = before.filter(
    ({ individual }) =>
      individual.score !== null &&
      (island === undefined || random() < 0.05 || individual.population === `island-${island + 1}`),
  );
  const tried = Array.from({ length: 3 }, () => own[Math.floor(random() * own.length)]);
  return (
    tried.sort((one, other) => (one?.individual.score ?? 99) - (other?.individual.score ?? 99))[0] ??
    before[0]
  );
}

function componentsOf(names: readonly string[], score: number, random: () => number): Record<string, number> {
  return Object.fromEntries(
    names.map((name, index) => [name, index === 0 ? score : (10 - score) * (0.5 + random())]),
  );
}

function sourceOf(index: number, random: () => number, hostile: string): string {
  const factor = (random() * 4).toFixed(2);
  return `// Program ${index}. ${hostile}
export function priority(item: number, left: number): number {
  const fit = left - item;
  if (fit < ${(random() * 5).toFixed(1)}) return ${factor} * item;
  return item / (fit + ${(1 + random()).toFixed(2)});
}
`;
}

function eventsOf(individuals: readonly DumpIndividual[], hostile: string): readonly AnyEvent[] {
  const events: { readonly name: string; readonly at: number; readonly event: object }[] = [
    { name: "cell.started", at: startMs - 100, event: { cell: 1, pid: 4_001, durationMs: 80 } },
    { name: "cell.started", at: startMs - 50, event: { cell: 2, pid: 4_002, durationMs: 82 } },
  ];
  for (const individual of individuals) {
    const { id: sandboxId, evaluatedAt, parentIds, generation, mutation, depth } = individual;
    const at = (evaluatedAt ?? startMs) - 20;
    const createdAt = at;
    const born = {
      sandboxId,
      parentIds,
      generation,
      mutation,
      depth,
      checksum: `sum-${sandboxId}`,
      createdAt,
    };
    events.push({ name: "lineage.born", at, event: born });
    const { score, result, components, population, message, evaluationMs: durationMs } = individual;
    const more = { components, revision: 1, generation, createdAt, evaluatedAt, durationMs, message };
    events.push({
      name: "fitness.computed",
      at: at + 20,
      event: { sandboxId, score, result, population, ...more },
    });
    if (result === "timeout" || result === "memory")
      events.push({ name: "sandbox.killed", at: at + 21, event: { sandboxId, reason: result } });
    if (result === "rejected")
      events.push({
        name: "security.rejected",
        at: at + 21,
        event: {
          sandboxId,
          profile: "medium",
          rule: `eval ${hostile}`,
          what: hostile,
          module: "candidate",
          line: 1,
          column: 1,
          count: 1,
        },
      });
    if (individual.state === "dead")
      events.push({
        name: "sandbox.destroy.stop",
        at: at + 900,
        event: { sandboxId, reason: "call", result: "ok", durationMs: 1 },
      });
  }
  const end = startMs + individuals.length * stepMs;
  for (let at = startMs; at < end; at += 1_000)
    events.push({
      name: "resource.sampled",
      at,
      event: { cells: 2, sandboxes: 40, rssBytes: 150e6 + ((at / 1_000) % 7) * 8e6 },
    });
  events.push({
    name: "cell.exited",
    at: end,
    event: { cell: 1, pid: 4_001, cause: "memory", detail: `over its limit ${hostile}`, sandboxes: 3 },
  });
  // What each event carries is made up above as the catalogue says it.
  return events.sort((one, other) => one.at - other.at) as unknown as readonly AnyEvent[];
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
