// Reads a document that says all of an evolution. It may come from anywhere: all of it that is shown is checked to have the shape
// that the page relies on, and what has not is refused with a sentence that says where.
import type { EvolutionDump } from "../../../src/contract/evolution-bodies.ts";
import { dataText } from "../text.ts";
import {
  anything,
  count,
  figure,
  flag,
  generation,
  isRecord,
  list,
  oneOf,
  orNone,
  orNull,
  place,
  record,
  table,
  text,
  time,
  type Check,
} from "./dump-shape.ts";

export function readDump(content: string): EvolutionDump {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new Error("Cannot show the evolution as its document must be JSON: it is not, or was cut", {
      cause: error,
    });
  }
  if (!isRecord(value) || value["format"] !== "vivarium-dump")
    throw new Error("Cannot show the evolution as its document must be a dump of vivarium: it is none");
  if (value["formatVersion"] !== 1)
    throw new Error(
      `Cannot show the evolution as its format must be version 1: got ${dataText(value["formatVersion"], 40)}; another version of vivarium wrote it`,
    );
  const { texts } = value;
  const wrong = dumpShape(Array.isArray(texts) ? texts.length : 0)(value);
  if (wrong !== null)
    throw new Error(
      `Cannot show the evolution as its ${wrong.path.slice(1)} must be ${wrong.wanted}: got ${dataText(wrong.got, 60)}`,
    );
  // As all that is relied on was checked.
  return value as unknown as EvolutionDump;
}

const direction = oneOf("maximise", "minimise");
const testShape = record({
  ...{ name: text, passed: flag, points: figure, pointsMax: figure, hidden: flag, message: orNone(text) },
  failure: orNone(record({ kind: text, message: orNone(text) })),
});

function individualShape(textsCount: number): Check {
  const sources = orNull(table(place(textsCount)));
  return record({
    ...{ id: text, parentIds: list(text), generation, depth: count },
    state: oneOf("awaited", "living", "dead"),
    ...{ score: orNull(figure), result: text, components: table(figure) },
    ...{ evaluatedAt: orNull(time), evaluationMs: orNull(figure), population: orNull(text) },
    ...{ mutation: anything, tests: list(testShape), message: orNull(text) },
    ...{ adjustments: list(record({ delta: figure, reason: text })), sources, parentSources: sources },
  });
}

const runShape = record({
  ...{ name: text, title: orNull(text), about: orNull(text), seed: orNull(figure) },
  ...{ state: orNull(oneOf("running", "done")), generation: orNull(figure), evaluations: orNull(figure) },
  ...{ evaluationsMax: orNull(figure), durationMs: orNull(figure), durationMsMax: orNull(figure) },
  ...{ best: orNull(figure), direction: orNull(direction), unit: orNull(text), updatedAt: orNull(time) },
});

/** What is read of an event, by its name; of any other one only whose it is. */
const eventShapes: ReadonlyMap<string, Check> = new Map([
  ["lineage.born", record({ sandboxId: text, parentIds: list(text), generation })],
  ["sandbox.destroy.stop", record({ sandboxId: text })],
  [
    "fitness.computed",
    record({
      ...{ sandboxId: text, score: orNull(figure), result: text, components: table(figure), generation },
      ...{ evaluatedAt: time, durationMs: orNone(figure), population: orNone(text) },
    }),
  ],
  ["fitness.adjusted", record({ sandboxId: text, score: figure })],
  ["sandbox.killed", record({ sandboxId: orNone(text), reason: text })],
  ["resource.sampled", record({ rssBytes: figure, cells: figure, sandboxes: figure })],
]);
const otherEvent = record({ sandboxId: orNone(text) });
const entryShape = record({ name: text, at: time, event: anything });

const eventShape: Check = (value) => {
  const wrong = entryShape(value);
  if (wrong !== null || !isRecord(value)) return wrong;
  const inside = (eventShapes.get(String(value["name"])) ?? otherEvent)(value["event"]);
  return inside === null ? null : { ...inside, path: `.event${inside.path}` };
};

function dumpShape(textsCount: number): Check {
  return record({
    ...{ takenAt: time, origin: text, direction, forgotten: count, eventsMissing: orNull(count) },
    ...{ texts: list(text), individuals: list(individualShape(textsCount)) },
    ...{ runs: list(runShape), events: list(eventShape) },
  });
}
