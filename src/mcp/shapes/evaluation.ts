// The results of an evaluation as an agent reads them: short rows, with as much of each failure as there is room for.
import { z } from "zod";
import type { BatchEvaluation, Kept } from "../../index.ts";
import { shown } from "../text.ts";
import { failureShape, tellFailure, viewDiagnostics, viewFailure } from "./outcome.ts";

export const evaluationRowShape = z.object({
  index: z.number(),
  id: z.string(),
  ok: z.boolean(),
  score: z.number().optional().describe("With ok."),
  error: failureShape
    .extend({ test: z.string().optional().describe("The test that failed.") })
    .optional()
    .describe("Without ok: why there is no score."),
  kept: z.boolean().describe("Of a new one: whether its sandbox lives on."),
  passed: z.number(),
  failedTests: z.array(
    z.object({ name: z.string(), message: z.string().optional(), kind: z.string().optional() }),
  ),
  deviation: z.number().optional().describe("With repeats: of the scores."),
  evaluationMs: z.number(),
  cpuMs: z.number(),
});
export type EvaluationRow = z.infer<typeof evaluationRowShape>;

type Result = BatchEvaluation & Partial<Kept>;

export interface EvaluationView {
  readonly results: EvaluationRow[];
  readonly ranking: {
    readonly index: number;
    readonly id: string;
    readonly score: number;
    readonly kept: boolean;
  }[];
  readonly scored: number;
  readonly failed: number;
  readonly note?: string;
}

const failedTestsMax = 5;
const nameChars = 256;
const messageChars = 500;
const rankedMax = 20;

export interface EvaluationParts {
  /** How long all rows together may be. */
  readonly textChars: number;
  readonly size: number;
}

export function viewEvaluation(results: readonly Result[], { textChars }: EvaluationParts): EvaluationView {
  let room = textChars;
  let omitted = 0;
  const rows = results.map((result) => {
    const row = rowOf(result);
    const { length } = JSON.stringify(row);
    room -= length;
    if (room >= 0) return row;
    omitted++;
    return briefly(row);
  });
  const scored = rows.flatMap(({ ok, index, id, score, kept }) =>
    ok && score !== undefined ? [{ index, id, score, kept }] : [],
  );
  const ranking = scored
    .toSorted((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, rankedMax);
  const note = `details of ${omitted} results are left out: evaluate fewer candidates at a time to see them`;
  return {
    results: rows,
    ranking,
    scored: scored.length,
    failed: rows.length - scored.length,
    ...(omitted > 0 && { note }),
  };
}

function rowOf(result: Result): EvaluationRow {
  const failed = result.tests.filter(({ passed }) => !passed);
  const row = {
    index: result.index,
    id: result.sandboxId,
    ok: result.ok,
    kept: result.kept ?? false,
    passed: result.tests.length - failed.length,
    failedTests: failed.slice(0, failedTestsMax).map(({ name, message, failure }) => ({
      name: shown(name, nameChars),
      ...(message !== undefined && { message: shown(message, messageChars) }),
      ...(failure !== undefined && { kind: failure.kind }),
    })),
    evaluationMs: result.evaluationMs,
    cpuMs: result.usage.cpuMs,
  };
  if (!result.ok) return { ...row, error: errorOf(result.error) };
  const { score, noise } = result;
  return { ...row, score, ...(noise !== null && { deviation: noise.deviation }) };
}

function errorOf(error: Extract<Result, { ok: false }>["error"]): NonNullable<EvaluationRow["error"]> {
  const { kind, message, failure, creation, test } = error;
  return {
    ...(failure !== undefined && viewFailure(failure)),
    kind,
    message: shown(message, messageChars * 4),
    ...(creation !== undefined && {
      code: creation.code,
      ...viewDiagnostics(creation.diagnostics.slice(0, failedTestsMax)),
    }),
    ...(test !== undefined && { test: shown(test, nameChars) }),
  };
}

/** What is left of a row where there is no room for more. */
function briefly({ error, ...row }: EvaluationRow): EvaluationRow {
  const short =
    error === undefined ? {} : { error: { kind: error.kind, message: shown(error.message, nameChars) } };
  return { ...row, failedTests: [], ...short };
}

const toldMax = 10;

export function tellEvaluation({ results, ranking, scored, failed, note }: EvaluationView): string {
  const best = ranking
    .slice(0, toldMax)
    .map(({ index, id, score, kept }) => `#${index} score ${score}${kept ? ` (${id})` : ""}`);
  const errors = results.flatMap(({ index, error }) =>
    error === undefined ? [] : [`#${index} ${tellEvaluationError(error)}`],
  );
  const tests = results
    .slice(0, toldMax)
    .flatMap(({ index, ok, failedTests }) =>
      ok
        ? failedTests.map(
            ({ name, message }) => `#${index} failed ${name}${message === undefined ? "" : `: ${message}`}`,
          )
        : [],
    );
  const lines = [
    `${scored} scored, ${failed} failed`,
    ...best,
    ...errors.slice(0, toldMax),
    ...tests,
    ...(note === undefined ? [] : [note]),
  ];
  return lines.join("\n");
}

function tellEvaluationError(error: NonNullable<EvaluationRow["error"]>): string {
  const told = tellFailure(error);
  return error.test === undefined ? told : `${told} in ${error.test}`;
}
