// Asks for variants, evaluates each in a sandbox of its own, and keeps a few of the best. A failure is counted, not scored.
import type { Runtime } from "vivarium";
import type { Model } from "./model.ts";
import { excess, packer, seedSource } from "./problem.ts";
import { codeIn, toPrompt } from "./prompt.ts";

/** A program with the score that it reached; less is better. */
export interface Kept {
  readonly id: string;
  readonly source: string;
  readonly score: number;
}

export interface Failed {
  readonly kind: string;
  readonly message: string;
}

export interface Round {
  readonly number: number;
  readonly population: readonly Kept[];
  readonly scored: number;
  readonly failures: readonly Failed[];
}

const limits = {
  memoryBytes: 32 * 2 ** 20,
  timeoutMs: 1_000,
  sourceBytes: 20_000,
  resultBytes: 64 * 2 ** 10,
  outputBytes: 16 * 2 ** 10,
} as const;

export interface EvolutionTerms {
  readonly model: Model;
  readonly parallel: number;
  readonly population: number;
  readonly signal: AbortSignal;
}

/** Yields the seed and then each round, until the requests are used up or the signal is aborted. */
export async function* evolve(runtime: Runtime, terms: EvolutionTerms): AsyncGenerator<Round, void, void> {
  const { model, parallel, signal } = terms;
  const seeds = await tryAll(runtime, [seedSource], { number: 0, parents: [] });
  let population = seeds.kept;
  let failures = seeds.failures;
  yield { number: 0, population, scored: population.length, failures };
  for (let number = 1; !model.isSpent && !signal.aborted; number++) {
    const prompt = toPrompt(population, failures);
    const completions = await Promise.all(Array.from({ length: parallel }, () => model.complete(prompt)));
    if (signal.aborted) return;
    const sources: string[] = [];
    failures = completions.flatMap((completion): readonly Failed[] => {
      if (!completion.ok) return completion.kind === "no requests left" ? [] : [completion];
      const code = codeIn(completion.text);
      if (code === undefined) return [{ kind: "no code", message: "the answer had no fenced block" }];
      sources.push(code);
      return [];
    });
    const tried = await tryAll(runtime, sources, { number, parents: population });
    failures = [...failures, ...tried.failures];
    population = best([...population, ...tried.kept], terms.population);
    yield { number, population, scored: tried.kept.length, failures };
  }
}

interface Tried {
  readonly kept: readonly Kept[];
  readonly failures: readonly Failed[];
}

async function tryAll(
  runtime: Runtime,
  sources: readonly string[],
  { number, parents }: { readonly number: number; readonly parents: readonly Kept[] },
): Promise<Tried> {
  const ancestry = { parentIds: parents.map(({ id }) => id), generation: number };
  const specs = sources.map((candidate, index) => ({
    id: `r${number}-${index}`,
    modules: { candidate, packer },
    limits,
    ancestry,
  }));
  const failures: Failed[] = [];
  const kept: Kept[] = [];
  for (const result of await runtime.batch.evaluate(specs, excess, {
    itemDeadlineMs: 10_000,
    population: "llm",
  })) {
    const source = sources[result.index] ?? "";
    if (result.ok) kept.push({ id: result.sandboxId, source, score: result.score });
    else
      failures.push({
        kind: result.error.creation?.code ?? result.error.kind,
        message: result.error.message,
      });
  }
  return { kept, failures };
}

// Without duplicates; of equal scores the older program first.
function best(all: readonly Kept[], count: number): readonly Kept[] {
  const distinct = all.filter(({ source }, index) => all.findIndex((one) => one.source === source) === index);
  return distinct.sort((a, b) => a.score - b.score).slice(0, count);
}
