// The evolution tracker: how fast it answers, and how much memory it takes.
import { usedBytes } from "../heap.ts";
import type { Entrant, Row } from "../row.ts";
import { Tracker } from "../subject.ts";

const perGeneration = 1_000;

/** Generations of a thousand, each child with two parents from the generation before; all but the last are destroyed. */
function populated(size: number): Tracker {
  const tracker = new Tracker({ individualsMax: size });
  for (let number = 0; number < size; number++) {
    const generation = Math.floor(number / perGeneration);
    const mother = number - perGeneration;
    const father = (generation - 1) * perGeneration + ((number * 7_919) % perGeneration);
    const parentIds = generation === 0 ? [] : [`g-${mother}`, `g-${father}`];
    tracker.lineage.born({ id: `g-${number}`, parentIds, mutation: "swap", checksum: `c${number}` });
    tracker.fitness.record({ id: `g-${number}`, score: (number * 7_919) % 99_991, result: "ok" });
    if (generation > 0) tracker.lineage.died(`g-${mother}`);
  }
  return tracker;
}

function queries(tracker: Tracker, size: number): readonly Entrant[] {
  const last = `g-${size - 1}`;
  const timed = (act: () => unknown) => async (): Promise<number> => {
    const startedMs = performance.now();
    act();
    return performance.now() - startedMs;
  };
  return [
    { name: "all ancestors", sample: timed(() => tracker.lineage.ancestors(last)) },
    { name: "path to seed", sample: timed(() => tracker.lineage.pathToSeed(last)) },
    { name: "top 10", sample: timed(() => tracker.fitness.top(10)) },
    { name: "statistics of all", sample: timed(() => tracker.fitness.statistics()) },
    {
      name: "statistics of one generation",
      sample: timed(() => tracker.fitness.statistics({ generation: 50 })),
    },
  ];
}

function rowsOf(size: number, isLarge: boolean): readonly Row[] {
  const many = size.toLocaleString("en");
  return [
    {
      name: `tracker of ${many}`,
      about: `one query each about ${many} individuals with two parents each, all but the last thousand destroyed`,
      unit: "ms",
      rounds: 10,
      isLarge,
      targets: [],
      prepare: async () => queries(populated(size), size),
    },
    {
      name: `tracker of ${many}, memory`,
      about: `how much heap and typed arrays grow when ${many} individuals are recorded`,
      unit: "MB",
      rounds: 1,
      isLarge,
      targets: [],
      prepare: async () => {
        const before = usedBytes();
        const tracker = populated(size);
        return [
          {
            name: "vivarium",
            sample: async () => (usedBytes() - before) / (tracker.size().individuals / size) / 1e6,
          },
        ];
      },
    },
  ];
}

export const trackerRows: readonly Row[] = [...rowsOf(100_000, false), ...rowsOf(1_000_000, true)];
