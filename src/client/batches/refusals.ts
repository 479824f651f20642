// Results of items that the server never had, or of which nobody waits for the server's word.
import type { BatchEvaluation, BatchItem, BatchOutcome, BatchResult, Kept } from "../../index.ts";
import {
  asVivariumError,
  CancelledError,
  InvalidOptionsError,
  LoadError,
  VivariumError,
} from "../../model/errors.ts";
import type { EvaluationFailure } from "../../model/fitness.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import {
  cancellationOf,
  cancelledBy,
  cutSentence,
  failed,
  failureOfCreation,
  type CutReason,
} from "../../model/runs/unbegun.ts";

/** How an item ended without the server: as its batch was cut short, or by a mistake in what is the item's own. */
export type ItemEnd = { readonly cut: CutReason } | { readonly error: unknown };

/** The result of an item in the form of its batch. */
export type EndResult<T> = (item: BatchItem, end: ItemEnd) => T;

export function changeResult(item: BatchItem, end: ItemEnd): BatchResult<never> {
  const error =
    "cut" in end
      ? new CancelledError("an item of the batch", cutSentence(end.cut))
      : asVivariumError(end.error);
  return { ...item, ok: false, error };
}

export function runResult(hasSpecs: boolean): EndResult<BatchOutcome<never> & Partial<Kept>> {
  return (item, end) => ({ ...item, ...failed(failureOf(end)), ...(hasSpecs ? { kept: false } : {}) });
}

function failureOf(end: ItemEnd): GuestFailure {
  if ("cut" in end) return cancelledBy(end.cut);
  const isOfArguments =
    end.error instanceof VivariumError &&
    (end.error.code === "UNSERIALIZABLE" ||
      (end.error instanceof InvalidOptionsError && end.error.option === "args"));
  if (!isOfArguments) return failureOfCreation(end.error);
  return { kind: "unserializable", message: asVivariumError(end.error).message };
}

export function evaluationResult(
  hasSpecs: boolean,
  { now, mapped }: { readonly now: () => number; readonly mapped: number | undefined },
): EndResult<BatchEvaluation & Partial<Kept>> {
  const usage = { runs: 0, wallMs: 0, cpuMs: 0, fuel: null };
  return (item, end) => {
    const base = {
      revision: 0,
      generation: 0,
      evaluatedAt: now(),
      evaluationMs: 0,
      usage,
      tests: [],
      stages: [],
    };
    const error = evaluationFailure(end);
    const kept = hasSpecs ? { kept: false } : {};
    if (mapped === undefined) return { ...item, ...base, ok: false, error, ...kept };
    return { ...item, ...base, ok: true, score: mapped, components: {}, noise: null, mapped: error, ...kept };
  };
}

function evaluationFailure(end: ItemEnd): EvaluationFailure {
  const cancelled = "cut" in end ? cancelledBy(end.cut) : cancellationOf(end.error);
  if (cancelled !== undefined)
    return { kind: cancelled.kind, message: cancelled.message, failure: cancelled };
  const { error } = end as { readonly error: unknown };
  const { code, message } = asVivariumError(error);
  const { phase = null, diagnostics = [], failure } = error instanceof LoadError ? error : {};
  const creation = { code, phase, diagnostics };
  return { kind: "not-created", message, creation, ...(failure === undefined ? {} : { failure }) };
}
