// The tool that measures a batch of candidates against test cases: the inner loop of an evolution.
import { z } from "zod";
import type { BatchEvaluation, CallTarget, Kept, SandboxSpec, TestCase } from "../../index.ts";
import { InvalidOptionsError, VivariumError } from "../../model/errors.ts";
import type { Agent } from "../agent.ts";
import { evaluationRowShape, tellEvaluation, viewEvaluation } from "../shapes/evaluation.ts";
import {
  ancestryOf,
  argsInput,
  idInput,
  limitsFor,
  limitsInput,
  modulesInput,
  mutationInput,
  readModules,
  requireAtMost,
  sourceInput,
  timeoutInput,
  withoutUndefined,
} from "./parts.ts";
import { defineTool, type ToolCall } from "./tool.ts";

const candidateInput = z.strictObject({
  id: idInput
    .optional()
    .describe("A living sandbox of yours. With source or modules: the id of the sandbox to be made."),
  source: sourceInput.optional(),
  modules: modulesInput.optional(),
  parentIds: z.array(idInput).max(64).optional().describe("Where a new one comes from, for lineage."),
  mutation: mutationInput.optional(),
});
type CandidateInput = z.infer<typeof candidateInput>;

const testInput = z.strictObject({
  name: z.string().min(1).max(256).optional().describe("Default: its number."),
  call: z
    .string()
    .min(1)
    .max(513)
    .describe("The function that is asked, `module.export`, such as `main.solve`."),
  args: argsInput.optional(),
  expected: z.unknown().describe("The right answer, as JSON."),
  tolerance: z.number().min(0).optional().describe("How far numbers may be off. Default: 0."),
  points: z.number().positive().optional().describe("What it counts for. Default: 1."),
  hidden: z.boolean().optional().describe("Its result contains nothing but whether it passed."),
});

const evaluateInput = z.strictObject({
  candidates: z
    .array(candidateInput)
    .min(1)
    .describe("Each is a new source (or modules), or the id of a living sandbox."),
  tests: z.array(testInput).min(1),
  failedRun: z
    .enum(["fail", "no-points"])
    .optional()
    .describe(
      "What a run that throws or times out means: the candidate has no score, or that test has no points (default).",
    ),
  repeats: z.number().int().min(1).max(100).optional().describe("How often each is measured. Default: 1."),
  timeoutMs: timeoutInput.optional(),
  keep: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("How many of the best new ones live on as sandboxes. Default: 0."),
  limits: limitsInput.optional().describe("Of those that are made."),
});
type EvaluateInput = z.infer<typeof evaluateInput>;

/** A living one, or one that is to be made. */
type Target = string | (SandboxSpec & { readonly id: string });

const concurrencyMax = 64;
const progressMs = 250;

export const evaluate = defineTool({
  name: "evaluate",
  title: "Evaluate candidates",
  description:
    "Measures candidates against test cases, each in a sandbox of its own and side by side, and ranks them: score is the share of points from 0 to 1. A candidate that does not compile, throws or times out is a result with ok: false and its error. New candidates are destroyed afterwards except for the best `keep`. Sends progress; can be cancelled.",
  operation: "batchEvaluate",
  hints: {},
  input: evaluateInput,
  output: z.object({
    results: z.array(evaluationRowShape).describe("In the order of the candidates."),
    ranking: z
      .array(z.object({ index: z.number(), id: z.string(), score: z.number(), kept: z.boolean() }))
      .describe("The best first, at most 20."),
    scored: z.number(),
    failed: z.number(),
    note: z.string().optional().describe("Says what was left out of the results."),
  }),
  async run(agent, input, call) {
    const targets = readTargets(agent, input);
    const kept = Math.min(input.keep ?? 0, targets.filter((target) => typeof target !== "string").length);
    agent.count(targets.length * (input.repeats ?? 1));
    const results = await withRoom(agent, { targets, kept }, (concurrency) =>
      measure(agent, { ...input, keep: kept }, { targets, call, concurrency }),
    );
    const structured = viewEvaluation(results, {
      textChars: agent.config.bounds.textChars * 4,
      size: targets.length,
    });
    return { structured, text: tellEvaluation(structured) };
  },
});

function readTargets(
  agent: Agent,
  { candidates, tests, limits, timeoutMs }: EvaluateInput,
): readonly Target[] {
  const { bounds } = agent.config;
  requireCount("candidates", candidates.length, bounds.candidates);
  requireCount("tests", tests.length, bounds.tests);
  requireAtMost("timeoutMs", timeoutMs, bounds.timeoutMs);
  const own = limitsFor(agent, limits);
  return candidates.map((candidate, index) => readTarget(agent, candidate, { index, limits: own }));
}

function requireCount(what: string, count: number, max: number): void {
  if (count > max)
    throw new InvalidOptionsError(
      `Cannot evaluate as there must be at most ${max} ${what} at a time: got ${count}`,
      what,
    );
}

function readTarget(
  agent: Agent,
  candidate: CandidateInput,
  { index, limits }: { readonly index: number; readonly limits: ReturnType<typeof limitsFor> },
): Target {
  const { id, source, modules, parentIds, mutation } = candidate;
  if (id !== undefined && source === undefined && modules === undefined) return agent.idOf(id);
  const spec = { modules: readModules({ source, modules }, `evaluate candidates.${index}`), limits };
  return { id: agent.newId(id), ...agent.specOf({ ...spec, ...ancestryOf(agent, { parentIds, mutation }) }) };
}

/** Makes candidates side by side, as many as the token's quotas have room for. */
async function withRoom<T>(
  agent: Agent,
  { targets, kept }: { readonly targets: readonly Target[]; readonly kept: number },
  act: (concurrency: number) => Promise<T>,
): Promise<T> {
  const needs = targets.flatMap((target) =>
    typeof target === "string" ? [] : [agent.needOf(target.id, target)],
  );
  let begun = false;
  for (let concurrency = Math.min(concurrencyMax, targets.length); ; concurrency = concurrency >> 1) {
    const atOnce = Math.max(1, Math.min(needs.length, concurrency + kept));
    const making = { needs, atOnce, staying: kept };
    try {
      return await agent.making(making, () => {
        begun = true;
        return act(concurrency);
      });
    } catch (error) {
      const isFull = error instanceof VivariumError && error.code === "QUOTA_EXCEEDED";
      if (!isFull || begun || concurrency === 1) throw error;
    }
  }
}

interface Measuring {
  readonly targets: readonly Target[];
  readonly concurrency: number;
  readonly call: ToolCall;
}

async function measure(
  agent: Agent,
  { tests, failedRun = "no-points", repeats, timeoutMs, keep = 0 }: EvaluateInput,
  { targets, concurrency, call: { signal, progress } }: Measuring,
): Promise<readonly (BatchEvaluation & Partial<Kept>)[]> {
  const { clock, bounds } = agent.config;
  const suite = { tests: tests.map((test, index) => readTest(test, index)), failedRun };
  const batch = agent.runtime.batch.evaluate(targets, suite, {
    concurrency,
    signal,
    deadlineMs: bounds.callMs,
    ...withoutUndefined({ repeats, timeoutMs }),
    keep: { best: keep },
  });
  const results: (BatchEvaluation & Partial<Kept>)[] = [];
  let [toldAt, best] = [-Infinity, -Infinity];
  for await (const result of batch) {
    results.push(result);
    if (result.ok) best = Math.max(best, result.score);
    const isDone = results.length === targets.length;
    if (!isDone && clock.monotonic() - toldAt < progressMs) continue;
    toldAt = clock.monotonic();
    const message = best === -Infinity ? "no score yet" : `best score ${best}`;
    progress(results.length, targets.length, `${results.length} of ${targets.length} evaluated; ${message}`);
  }
  // In the order of the candidates, and with who is kept in the end.
  return batch;
}

function readTest({ name, call, ...test }: EvaluateInput["tests"][number], index: number): TestCase {
  // The runtime checks the form of the target.
  return { name: name ?? `test ${index + 1}`, call: call as CallTarget, ...withoutUndefined(test) };
}
