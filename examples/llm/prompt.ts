// The prompt for the model, and how its answer is read.
import type { Failed, Kept } from "./evolution.ts";
import { task } from "./problem.ts";

const examplesMax = 3;
const failuresMax = 3;
const messageLengthMax = 200;
const codeLengthMax = 10_000;

/** The task, the best so far with their scores, and what went wrong last. */
export function toPrompt(best: readonly Kept[], failures: readonly Failed[]): string {
  const examples = best
    .slice(0, examplesMax)
    .map(
      ({ source, score }) =>
        `${score.toFixed(2)} % more bins than the least possible:\n\`\`\`ts\n${source}\n\`\`\``,
    );
  const mistakes = failures
    .slice(-failuresMax)
    .map(({ kind, message }) => `- ${kind}: ${message.slice(0, messageLengthMax).replaceAll(/\s+/g, " ")}`);
  return [
    task,
    `The best so far, of which less is better:\n\n${examples.join("\n\n")}`,
    ...(mistakes.length === 0 ? [] : [`These attempts failed:\n${mistakes.join("\n")}`]),
    "Answer with one module that does better, in one fenced block of code.",
  ].join("\n\n");
}

/** The first fenced block of an answer; undefined where there is none, or one that is too long to be a rule. */
export function codeIn(answer: string): string | undefined {
  const [, code] = /^```\w*\r?\n([^]*?)^```/m.exec(answer) ?? [];
  return code === undefined || code.length > codeLengthMax ? undefined : code.trimEnd();
}
