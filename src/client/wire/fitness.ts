// Fitness as it travels: data. Functions stay with whoever has them.
import type { GuestScorer, Stage, TestCase, TestSuite } from "../../index.ts";
import type {
  WireFitness,
  WireScorer,
  WireStage,
  WireSuite,
  WireTestCase,
} from "../../contract/batch-bodies.ts";
import { toWireValue } from "../../contract/values.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { isRecord } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { toSources } from "./modules.ts";
import { notRemote } from "./not-remote.ts";
import { toArgs } from "./options.ts";

const namesShownMax = 5;

// What has not the form of a fitness goes as it is, and is refused where it goes.
const asItIs = <W>(given: unknown): W => given as W;

export function toWireFitness(given: unknown): WireFitness {
  if (isRecord(given) && "stages" in given) {
    const { stages } = given;
    if (!Array.isArray(stages)) return asItIs<WireFitness>(given);
    return { ...given, stages: stages.map((stage: Stage) => toWireStage(stage)) };
  }
  return toWireOne(given, "fitness");
}

function toWireStage(stage: Stage): WireStage {
  if (!isRecord(stage)) return asItIs<WireStage>(stage);
  return { ...stage, fitness: toWireOne(stage.fitness, "the fitness of a stage") };
}

function toWireOne(given: unknown, what: string): WireSuite | WireScorer {
  if (typeof given === "function") {
    const instead =
      "give a suite of tests with what is expected, or a scorer that runs in a sandbox of its own";
    throw notRemote(`use a function as ${what}`, `travel to the server: it cannot; ${instead}`);
  }
  if (isRecord(given) && "tests" in given) return toWireSuite(asItIs<TestSuite>(given));
  if (isRecord(given) && "scorer" in given) return toWireScorer(asItIs<GuestScorer>(given));
  const got = isRecord(given) ? `{ ${Object.keys(given).slice(0, namesShownMax).join(", ")} }` : show(given);
  const forms = "a function, { tests }, { questions, scorer }, or { stages }";
  throw new InvalidOptionsError(`Cannot use fitness as it must be ${forms}: got ${got}`, "fitness");
}

function toWireSuite(suite: TestSuite): WireSuite {
  if (!Array.isArray(suite.tests)) return asItIs<WireSuite>(suite);
  return { ...suite, tests: suite.tests.map((test: TestCase) => toWireTest(test)) };
}

function toWireTest(test: TestCase): WireTestCase {
  if (!isRecord(test)) return test;
  const { args, expected, check, ...rest } = test;
  if (check !== undefined) {
    const instead = "say what is expected, or use a scorer, which runs in a sandbox of its own";
    throw notRemote(
      `use the check of test ${show(rest.name)}`,
      `travel to the server: it cannot; ${instead}`,
    );
  }
  if (!("expected" in test)) return { ...rest, ...toArgs(args) };
  const { value, encoded } = toWireValue(expected);
  const wanted = encoded === undefined ? { expected: value } : { expectedEncoded: encoded };
  return { ...rest, ...toArgs(args), ...wanted };
}

function toWireScorer({ questions, scorer, ...rest }: GuestScorer): WireScorer {
  const asked = Array.isArray(questions)
    ? questions.map(({ args, ...question }: GuestScorer["questions"][number]) => ({
        ...question,
        ...toArgs(args),
      }))
    : questions;
  const wire = isRecord(scorer) ? { ...scorer, modules: toSources(scorer.modules) } : scorer;
  return { ...rest, questions: asked, scorer: wire };
}
