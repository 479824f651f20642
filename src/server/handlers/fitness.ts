// Fitness as data: suites, scorers and cascades, with their values decoded.
import type {
  WireFitness,
  WireScorer,
  WireStage,
  WireSuite,
  WireTestCase,
} from "../../contract/batch-bodies.ts";
import type { Fitness, GuestScorer, Stage, TestCase, TestSuite } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import type { Caller, Gate } from "../gate.ts";
import { decoded, readArgs } from "../http/values.ts";

type Target = TestCase["call"];

/** A fitness with its scorers as the caller may have them: of its tenant, and under a profile that its token allows. */
export function admitted(gate: Gate, caller: Caller, given: WireFitness): WireFitness {
  const one = <F extends WireSuite | WireScorer>(fitness: F): F =>
    "scorer" in fitness ? { ...fitness, scorer: gate.admit(caller, fitness.scorer) } : fitness;
  if (!("stages" in given)) return one(given);
  return { ...given, stages: given.stages.map((stage) => ({ ...stage, fitness: one(stage.fitness) })) };
}

export async function fitnessFrom(caller: Caller, given: WireFitness): Promise<Fitness> {
  if (!("stages" in given)) return oneFrom(caller, given, "fitness");
  const stages: Stage[] = [];
  for (const [index, stage] of given.stages.entries())
    stages.push(await stageFrom(caller, stage, `fitness.stages[${index}]`));
  return { ...given, stages };
}

async function stageFrom(caller: Caller, stage: WireStage, place: string): Promise<Stage> {
  return { ...stage, fitness: await oneFrom(caller, stage.fitness, `${place}.fitness`) };
}

async function oneFrom(
  caller: Caller,
  given: WireSuite | WireScorer,
  place: string,
): Promise<TestSuite | GuestScorer> {
  if ("tests" in given) {
    const tests: TestCase[] = [];
    for (const [index, test] of given.tests.entries())
      tests.push(await testFrom(caller, test, `${place}.tests[${index}]`));
    return { ...given, tests };
  }
  const questions: GuestScorer["questions"][number][] = [];
  for (const [index, { args, argsEncoded, ...question }] of given.questions.entries()) {
    const read = await readArgs(caller, { args, argsEncoded }, `${place}.questions[${index}].`);
    // The runtime checks what the texts are that name functions.
    questions.push({ ...question, call: question.call as Target, ...read });
  }
  const { scorer } = given;
  return { questions, scorer: { ...scorer, call: scorer.call as Target } };
}

async function testFrom(caller: Caller, given: WireTestCase, place: string): Promise<TestCase> {
  const { args, argsEncoded, expectedEncoded, ...test } = given;
  const read = await readArgs(caller, { args, argsEncoded }, `${place}.`);
  const whole = { ...test, call: test.call as Target, ...read };
  if (expectedEncoded === undefined) return whole;
  if ("expected" in test) {
    const message = `Cannot use ${place} as it must have one of expected and expectedEncoded: got both`;
    throw new InvalidOptionsError(message, `${place}.expected`);
  }
  return { ...whole, expected: await decoded(caller, expectedEncoded, `${place}.expectedEncoded`) };
}
