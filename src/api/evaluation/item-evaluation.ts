// The evaluation of one candidate: measured, bounded, reported as events and settled exactly once. One that was made for its
// batch is kept or ended first.
import { asVivariumError, LoadError, type VivariumError } from "../../model/errors.ts";
import {
  messageLengthMax,
  testsRememberedMax,
  type Evaluation,
  type EvaluationFailure,
  type EvaluationUsage,
  type LatestFitness,
} from "../../model/fitness.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { traced } from "../../observability/tracing.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { noiseOf } from "../../orchestration/evaluation/summary.ts";
import type { Timer } from "../../std/clock.ts";
import { Ending } from "../../std/ending.ts";
import type { Keeping } from "../handles/keeping.ts";
import type { SpecSandbox } from "../handles/spec-sandboxes.ts";
import { cancellationOf } from "../../model/runs/unbegun.ts";
import type { BatchEvaluation } from "../types/batch.ts";
import type { Engine } from "../wiring/engine.ts";
import { BoundCandidate, type CandidateTerms } from "./bound-candidate.ts";
import type { Measurement } from "./measure.ts";

export type Measured = Measurement & { readonly noise?: ReturnType<typeof noiseOf> };

/** Which candidate it is, and when its evaluation is over. */
export interface EvaluatedItem {
  readonly index: number;
  readonly over: Ending;
}

/** What the evaluations of a batch have in common. */
export interface ItemTerms {
  readonly engine: Engine;
  readonly terms: CandidateTerms;
  readonly itemDeadlineMs: number;
  readonly population: string;
  /** The score that a failure is taken for. */
  readonly failureScore: number | undefined;
  readonly keeping: Keeping;
  readonly repeat: (candidate: BoundCandidate, item: EvaluatedItem) => Promise<Measured>;
}

export interface EvaluationItem {
  readonly index: number;
  readonly id: string;
  readonly done: (result: BatchEvaluation) => void;
}

type Facts = Pick<Evaluation, "revision" | "evaluationMs" | "usage">;

const unused: EvaluationUsage = { runs: 0, wallMs: 0, cpuMs: 0, fuel: null };

export class ItemEvaluation {
  readonly #common: ItemTerms;
  readonly #item: EvaluationItem;
  readonly #subject: ManagedSandbox | SpecSandbox;
  readonly #made: SpecSandbox | undefined;
  readonly #over = new Ending();
  readonly #timer: Timer;
  #candidate: BoundCandidate | undefined;
  #evaluationId = 0;
  #startedMs = 0;
  #revision = 0;
  #isSettled = false;

  /** Of a sandbox that there is, or of one that is being made. */
  constructor(common: ItemTerms, item: EvaluationItem, subject: ManagedSandbox | SpecSandbox) {
    this.#common = common;
    this.#item = item;
    const { itemDeadlineMs, engine } = common;
    this.#timer = engine.parts.config.clock.after(itemDeadlineMs, () => this.end(lateBy(itemDeadlineMs)));
    this.#subject = subject;
    this.#made = "opened" in subject ? subject : undefined;
  }

  start(): void {
    const subject = this.#subject;
    if ("opened" in subject)
      subject.opened.then(
        (sandbox) => this.#measure(sandbox),
        (error: unknown) => this.#settle(notCreated(error), subject.sandbox),
      );
    else this.#measure(subject);
  }

  get #id(): string {
    return this.#made?.id ?? this.#item.id;
  }

  /** Ends it without a score. */
  end(failure: GuestFailure): void {
    const subject = this.#subject;
    this.#settle(withoutScore(failure), "opened" in subject ? subject.sandbox : subject);
  }

  #measure(sandbox: ManagedSandbox): void {
    if (this.#isSettled) return;
    const { engine, terms, repeat } = this.#common;
    const { bus, config } = engine.parts;
    const over = this.#over;
    const candidate = new BoundCandidate(terms, sandbox, over);
    this.#candidate = candidate;
    this.#startedMs = config.clock.monotonic();
    this.#revision = sandbox.versions.head.revision;
    const evaluationId = engine.nextEvaluationId();
    this.#evaluationId = evaluationId;
    if (bus.hears("sandbox.evaluate.start"))
      bus.emit("sandbox.evaluate.start", { sandboxId: sandbox.id, evaluationId });
    const measure = (): Promise<Measured> => repeat(candidate, { index: this.#item.index, over });
    const measuring = bus.within("evaluation", evaluationId, () =>
      traced("sandbox.evaluate", () => ({ sandboxId: sandbox.id }), measure),
    );
    void measuring.then((measured) => this.#settle(measured, sandbox));
  }

  #settle(measured: Measured, sandbox: ManagedSandbox | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#timer.cancel();
    const { engine, failureScore } = this.#common;
    const { clock } = engine.parts.config;
    const usage = this.#candidate?.total ?? unused;
    const evaluationMs = this.#candidate === undefined ? 0 : clock.monotonic() - this.#startedMs;
    const facts = { revision: this.#revision, evaluationMs, usage };
    const generation = sandbox?.ancestry.generation ?? 0;
    const toEvaluation = (final: Measured): Evaluation =>
      evaluationOf(final, { ...facts, generation, evaluatedAt: clock.now() }, failureScore);
    this.#over.end("the evaluation is over");
    if (this.#made === undefined) void this.#finish(toEvaluation(measured), sandbox);
    else void this.#finishMade(this.#made, measured, toEvaluation);
  }

  // Its caller learns of it once it is stored.
  async #finish(evaluation: Evaluation, sandbox: ManagedSandbox | undefined): Promise<void> {
    const { index, done } = this.#item;
    if (sandbox !== undefined) await this.#report(sandbox, evaluation);
    done({ index, sandboxId: this.#id, ...evaluation });
  }

  // Its caller learns of it once it is kept, or nothing of it is left.
  async #finishMade(
    made: SpecSandbox,
    measured: Measured,
    toEvaluation: (final: Measured) => Evaluation,
  ): Promise<void> {
    const { keeping } = this.#common;
    const { index, done } = this.#item;
    const { sandbox } = made;
    const isCut = !measured.ok && measured.error.kind === "cancelled";
    const toResult = (final: Measured): BatchEvaluation & { kept: boolean } => {
      return { index, sandboxId: this.#id, ...toEvaluation(final), kept: false };
    };
    let result = toResult(measured);
    const wanted = sandbox !== undefined && !isCut && keeping.ask(result);
    if (wanted instanceof Error) result = toResult(misjudged(measured, wanted));
    // One that came to nothing was never an individual.
    const isIndividual =
      sandbox !== undefined && (this.#candidate !== undefined || sandbox.status === "failed");
    if (isIndividual) await this.#report(sandbox, result);
    const score = result.ok && result.mapped === null ? result.score : undefined;
    await keeping.settle({ result, made }, wanted === true, score);
    done(result);
  }

  #report(sandbox: ManagedSandbox, evaluation: Evaluation): Promise<void> {
    const { engine, population } = this.#common;
    const { bus } = engine.parts;
    const { revision, evaluatedAt, generation, evaluationMs: durationMs } = evaluation;
    const error = evaluation.ok ? evaluation.mapped : evaluation.error;
    const result = error?.kind ?? "ok";
    // A score that stands for a failure is the caller's own, not a measurement.
    const score = evaluation.ok && error === null ? evaluation.score : null;
    const components = evaluation.ok ? evaluation.components : {};
    const tests = evaluation.tests.slice(0, testsRememberedMax);
    const message = error?.message.slice(0, messageLengthMax) ?? null;
    const noted: Omit<LatestFitness, "evaluationMs"> = {
      score,
      result,
      revision,
      evaluatedAt,
      components,
      tests,
      message,
    };
    const stored = sandbox.noteFitness({ ...noted, evaluationMs: durationMs });
    const sandboxId = sandbox.id;
    const evaluationId = this.#evaluationId;
    if (this.#candidate !== undefined) {
      if (error?.kind === "fitness-failed") {
        const thrown = {
          sandboxId,
          evaluationId,
          durationMs,
          code: "fitness-failed",
          message: error.message,
        };
        bus.emit("sandbox.evaluate.exception", thrown);
      } else bus.emit("sandbox.evaluate.stop", { sandboxId, evaluationId, durationMs, result });
    }
    const { createdAt } = sandbox;
    bus.emit("fitness.computed", { sandboxId, ...noted, population, generation, createdAt, durationMs });
    return stored;
  }
}

/** The evaluation of an item that was never measured. */
export function unmeasured(
  failure: GuestFailure,
  evaluatedAt: number,
  failureScore: number | undefined,
): Evaluation {
  const facts = { revision: 0, evaluationMs: 0, usage: unused, generation: 0, evaluatedAt };
  return evaluationOf(withoutScore(failure), facts, failureScore);
}

function evaluationOf(
  measured: Measured,
  facts: Facts & Pick<Evaluation, "generation" | "evaluatedAt">,
  failureScore: number | undefined,
): Evaluation {
  const { tests, stages } = measured;
  const base = { ...facts, tests, stages };
  if (measured.ok) {
    const { score, components, noise = null } = measured;
    return { ...base, ok: true, score, components, noise, mapped: null };
  }
  const { error } = measured;
  if (failureScore === undefined) return { ...base, ok: false, error };
  return { ...base, ok: true, score: failureScore, components: {}, noise: null, mapped: error };
}

/** The measurement of what has no score, as it was not measured or not to its end. */
export function withoutScore(failure: GuestFailure): Measured {
  const error: EvaluationFailure = { kind: failure.kind, message: failure.message, failure };
  return { ok: false, error, tests: [], stages: [] };
}

function notCreated(given: unknown): Measured {
  const cancelled = cancellationOf(given);
  if (cancelled !== undefined) return withoutScore(cancelled);
  const { code, message } = asVivariumError(given);
  const { phase = null, diagnostics = [], failure } = given instanceof LoadError ? given : {};
  const creation = { code, phase, diagnostics };
  const error = { kind: "not-created", message, creation } as const;
  return { ok: false, error: failure === undefined ? error : { ...error, failure }, tests: [], stages: [] };
}

// The caller's own mistake, as that of a fitness function is.
function misjudged({ tests, stages }: Measured, { message }: VivariumError): Measured {
  return { ok: false, error: { kind: "fitness-failed", message }, tests, stages };
}

function lateBy(itemDeadlineMs: number): GuestFailure {
  const message = `Cannot finish the evaluation within itemDeadlineMs, ${itemDeadlineMs}: it was still going`;
  return { kind: "cancelled", reason: "deadline", message };
}
