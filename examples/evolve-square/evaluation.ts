// Evaluates a whole population: a sandbox for each program, one call into each, then all are destroyed.
import type { Limits, Runtime } from "vivarium";
import { errorOf, points, type Individual, type Trial } from "./individual.ts";
import { sizeOf, toCode } from "./program.ts";

// The sandbox has a second module that calls the candidate; the expected values never enter the sandbox.
const harness = `
  import { square } from "./candidate.ts";
  export const answers = (xs: number[]) => xs.map((x) => square(x));`;

const limits = {
  memoryBytes: 16 * 2 ** 20,
  timeoutMs: 200,
  resultBytes: 64 * 2 ** 10,
  outputBytes: 64 * 2 ** 10,
} as const;
/** An ordinary program always ends, and soon: where it did not, the machine was busy. */
const patientLimits = { ...limits, timeoutMs: 30_000 } as const;
const attemptsMax = 3;
/** The answers of a program that are no numbers: its own failure. */
const noNumber = "no number";

/** Every sandbox has these, so that those of an interrupted run are found. */
export const labels = { run: "evolve-square" } as const;

export interface Evaluation {
  readonly trials: readonly Trial[];
  /** The memory of all cells while the whole population was loaded, and the number of its sandboxes. */
  readonly alive: { readonly rssBytes: number; readonly sandboxes: number };
}

export interface EvaluationTerms {
  readonly generation: number;
  readonly signal: AbortSignal;
  /** Called as results come in. */
  readonly onProgress: (phase: "creating" | "calling", done: number) => void;
}

/**
 * Evaluates a population. A failing program is a result like any other; it rejects only for a bug here. An ordinary program
 * that a busy machine failed is tried again, so that a seed gives the same result on any machine.
 */
export async function evaluate(
  runtime: Runtime,
  population: readonly Individual[],
  terms: EvaluationTerms,
): Promise<Evaluation> {
  const { trials, alive } = await evaluateOnce(runtime, population, { ...terms, limits });
  const results = new Map(trials.map((trial) => [trial.individual.id, trial]));
  for (let attempt = 2; attempt <= attemptsMax && !terms.signal.aborted; attempt++) {
    const again = [...results.values()].filter(isUnearned).map(({ individual }) => individual);
    if (again.length === 0) break;
    const patient = { ...terms, onProgress: () => {}, limits: patientLimits };
    for (const trial of (await evaluateOnce(runtime, again, patient)).trials)
      results.set(trial.individual.id, trial);
  }
  return { trials: [...results.values()], alive };
}

function isUnearned(trial: Trial): boolean {
  return !trial.isScored && trial.individual.hostile === undefined && trial.kind !== noNumber;
}

async function evaluateOnce(
  runtime: Runtime,
  population: readonly Individual[],
  { generation, signal, onProgress, limits }: EvaluationTerms & { readonly limits: Partial<Limits> },
): Promise<Evaluation> {
  const creating = runtime.batch.create(
    population.map(({ id, program, parentIds, hostile }) => ({
      id,
      modules: { candidate: toCode(program), harness },
      limits,
      labels,
      ancestry: { parentIds, generation, mutation: hostile ?? "ordinary" },
    })),
    { signal },
  );
  for await (const _ of creating) onProgress("creating", creating.progress.done);
  const created = await creating;
  const alive = created.filter(({ ok }) => ok).map(({ sandboxId }) => sandboxId);
  const rssBytes = await cellBytes(runtime);

  const calling = runtime.batch.call(alive, "harness.answers", { args: [points], repeatable: true, signal });
  for await (const _ of calling)
    onProgress("calling", population.length - alive.length + calling.progress.done);
  const outcomes = new Map((await calling).map((outcome) => [outcome.sandboxId, outcome]));

  const trials = population.map((individual, index): Trial => {
    const birth = created[index];
    const outcome = outcomes.get(individual.id);
    if (birth?.ok === false) return failed(individual, birth.error.code, birth.error.message);
    if (outcome?.ok !== true)
      return failed(individual, outcome?.error.kind ?? "cancelled", outcome?.error.message ?? "");
    const error = errorOf(outcome.value);
    if (error === undefined) return failed(individual, noNumber, "the answers are not finite numbers");
    return { individual, isScored: true, error, size: sizeOf(individual.program) };
  });
  // Programs that could not be loaded stay as failed records until they are destroyed as well.
  await runtime.batch.destroy(population.map(({ id }) => id));
  return { trials, alive: { rssBytes, sandboxes: alive.length } };
}

function failed(individual: Individual, kind: string, message: string): Trial {
  return { individual, isScored: false, kind, message };
}

async function cellBytes(runtime: Runtime): Promise<number> {
  const { cells } = await runtime.metrics();
  return cells.reduce((sum, cell) => sum + cell.rssBytes, 0);
}
