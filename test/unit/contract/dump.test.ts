// The document of an evolution: texts once, bounded code and events, and what is left out is said.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { byNeed, DumpBuilder, type DumpHead } from "../../../src/contract/dump.ts";
import type { IndividualReport } from "../../../src/contract/evolution-bodies.ts";
import type { JournalEntry } from "../../../src/index.ts";

const head: DumpHead = { origin: "a test", takenAt: 5, direction: "minimise", forgotten: 0, runs: [] };

function individual(id: string, more: Partial<IndividualReport> = {}): IndividualReport {
  return {
    id,
    parentIds: [],
    generation: 0,
    depth: 0,
    state: "dead",
    score: null,
    result: "none",
    components: {},
    evaluatedAt: null,
    evaluationMs: null,
    population: null,
    mutation: null,
    tests: [],
    message: null,
    adjustments: [],
    sources: null,
    parentSources: null,
    ...more,
  };
}

function died(number: number): JournalEntry {
  const event = { sandboxId: `s${number}`, durationMs: 1, reason: "destroyed" };
  return { name: "sandbox.destroy.stop", at: number, event, number } as unknown as JournalEntry;
}

describe("a dump", () => {
  test("has each text once, also where one is named like a part of every object", () => {
    const builder = new DumpBuilder();
    const library = "export const one = 1;";
    builder.add(individual("a", { sources: { library, main: "a" } }));
    builder.add(
      individual("b", {
        sources: JSON.parse('{"__proto__": "b", "library": "export const one = 1;"}') as Record<
          string,
          string
        >,
        parentSources: { library, main: "a" },
      }),
    );
    const { texts, individuals } = builder.finish(head);
    assert.deepEqual(texts, [library, "a", "b"]);
    assert.deepEqual(individuals[0]?.sources, { library: 0, main: 1 });
    assert.equal(JSON.stringify(individuals[1]?.sources), '{"__proto__":2,"library":0}');
    assert.deepEqual(individuals[1]?.parentSources, { library: 0, main: 1 });
  });

  test("keeps the latest events, and says how many are missing, those before the first included", () => {
    const builder = new DumpBuilder({ eventsMax: 3 });
    for (let number = 11; number <= 20; number++) builder.addEvent(died(number));
    const { events, eventsMissing } = builder.finish(head);
    assert.deepEqual(
      events.map(({ number }) => number),
      [18, 19, 20],
    );
    assert.equal(eventsMissing, 10 + 7);
  });

  test("leaves out of events what is long", () => {
    const builder = new DumpBuilder();
    const event = { sandboxId: "a", sources: { main: "long" }, parentIds: [] };
    builder.addEvent({ name: "lineage.born", at: 1, event, number: 1 } as unknown as JournalEntry);
    const [entry] = builder.finish(head).events;
    assert.deepEqual(entry?.event, { sandboxId: "a", parentIds: [] });
  });

  test("has the code of the best and of its ancestors where there is not room for all", () => {
    const builder = new DumpBuilder({ sourcesMax: 20 });
    const code = (letter: string): Record<string, string> => ({ main: letter.repeat(10) });
    builder.add(individual("seed", { score: 9, sources: code("s") }));
    builder.add(individual("other", { score: 2, sources: code("o") }));
    builder.add(
      individual("best", { score: 1, parentIds: ["seed"], sources: code("b"), parentSources: code("s") }),
    );
    const { texts, individuals } = builder.finish(head);
    assert.deepEqual(texts, ["b".repeat(10), "s".repeat(10)]);
    assert.deepEqual(
      individuals.map(({ sources, parentSources }) => [sources, parentSources]),
      [
        [{ main: 1 }, null],
        [null, null],
        [{ main: 0 }, { main: 1 }],
      ],
    );
  });
});

test("who is needed most is the best by the direction, then its way from the seed, then the others by score", () => {
  const list = [
    { id: "a", parentIds: [], score: 5 },
    { id: "b", parentIds: ["a"], score: null },
    { id: "c", parentIds: ["b"], score: 7 },
    { id: "d", parentIds: ["gone"], score: 6 },
  ];
  assert.deepEqual(byNeed(list, "maximise"), [2, 1, 0, 3]);
  assert.deepEqual(byNeed(list, "minimise"), [0, 3, 2, 1]);
  assert.deepEqual(byNeed([{ id: "x", parentIds: ["x"], score: null }], "maximise"), [0]);
});
