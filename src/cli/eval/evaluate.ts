// Evaluates programs by a task, each in a sandbox of its own.
import { createRuntime, type BatchEvaluation, type Runtime } from "../../index.ts";
import { InvalidOptionsError, VivariumError } from "../../model/errors.ts";
import { failureOf, type EvaluationReport } from "./feedback.ts";
import type { Program } from "./programs.ts";
import type { Task } from "./task.ts";

/** The reports in the order of the programs, each as soon as it and those before it are there. */
export async function* evaluate(
  programs: readonly Program[],
  task: Task,
  signal: AbortSignal,
): AsyncGenerator<EvaluationReport, void> {
  const { module = "main", modules = {}, limits = {}, fitness, options } = task;
  if (options !== undefined && "keep" in options)
    throw new InvalidOptionsError("Cannot use the task's options as keep must be left out: got it", "keep");
  const isAlone = programs.length === 1;
  await using runtime = await createRuntime(isAlone ? { cells: { count: 1, spare: 0, warm: 1 } } : {});
  const specs = programs.map(({ source }, index) => ({
    id: isAlone ? "candidate" : `candidate-${index + 1}`,
    modules: { ...modules, [module]: source },
    limits,
  }));
  // Each is kept until its output was read.
  const batch = runtime.batch.evaluate(specs, fitness, {
    ...options,
    keep: () => true,
    // The task may have one of its own.
    signal: options?.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
  });
  const waiting = new Map<number, EvaluationReport>();
  let next = 0;
  for await (const result of batch) {
    waiting.set(result.index, await reportOf(runtime, result));
    for (let report = waiting.get(next); report !== undefined; report = waiting.get(next)) {
      waiting.delete(next++);
      yield report;
    }
  }
}

async function reportOf(
  runtime: Runtime,
  { kept, ...result }: BatchEvaluation & { readonly kept: boolean },
): Promise<EvaluationReport> {
  const failure = failureOf(result);
  if (failure?.creation !== undefined) {
    const { code, phase, diagnostics } = failure.creation;
    // Not the program's fault.
    if (phase === null) throw new VivariumError(code, failure.message);
    return { unloaded: { code, message: failure.message, phase, diagnostics } };
  }
  if (!kept) return { result, logs: [] };
  const logs = await runtime.logs(result.sandboxId);
  await runtime.destroy(result.sandboxId);
  return { result, logs };
}
