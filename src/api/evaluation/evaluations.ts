// The evaluations of one batch: each is measured, repeated, bounded, reported as events and settled exactly once.
import type { SandboxId } from "../../model/ids.ts";
import {
  testsRememberedMax,
  type Components,
  type Evaluation,
  type EvaluationFailure,
  type EvaluationUsage,
} from "../../model/fitness.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Read } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { noiseOf } from "../../orchestration/evaluation/summary.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { randomName } from "../../std/random.ts";
import { BoundCandidate, CandidateTerms } from "./bound-candidate.ts";
import type { Engine } from "../wiring/engine.ts";
import type { evaluateOptions } from "../options/batch-options.ts";
import type { CompleteFitness, CompleteScorer } from "../options/fitness-options.ts";
import { LocalSandbox } from "../handles/local-sandbox.ts";
import { toMeasure, type Measure, type Measurement } from "./measure.ts";
import type { BatchEvaluation } from "../types/batch.ts";
import type { Sandbox } from "../types/sandbox.ts";
import { completeSpec } from "../options/spec.ts";
import { specContextOf } from "../options/spec-context.ts";

export interface EvaluationPlan {
  readonly fitness: CompleteFitness;
  readonly evaluation: Read<typeof evaluateOptions>;
}

export interface EvaluationItem {
  readonly index: number;
  readonly id: string;
  readonly done: (result: BatchEvaluation) => void;
}

const unused: EvaluationUsage = { runs: 0, wallMs: 0, cpuMs: 0, fuel: null };
const closed: GuestFailure = {
  kind: "cancelled",
  reason: "closed",
  message: "Cannot finish the evaluation as the runtime was closed",
};

export class EvaluationLaunch {
  readonly #engine: Engine;
  readonly #plan: EvaluationPlan["evaluation"];
  readonly #measure: Measure;
  readonly #terms: CandidateTerms;
  /** How to end each evaluation that is under way. */
  readonly #underway = new Map<number, (failure: GuestFailure) => void>();
  readonly #scorers = new Map<CompleteScorer["scorer"], Promise<Sandbox>>();
  readonly #onClosed = (): void => {
    for (const index of [...this.#underway.keys()]) this.cancel(index, closed);
  };

  constructor(engine: Engine, plan: EvaluationPlan) {
    this.#engine = engine;
    this.#plan = plan.evaluation;
    this.#measure = toMeasure(plan.fitness, (scorer) => this.#scorerOf(scorer));
    const { timeoutMs, cpuMs, fuel, deadlineMs } = plan.evaluation;
    this.#terms = new CandidateTerms(engine, { timeoutMs, cpuMs, fuel }, deadlineMs);
    engine.closed.addEventListener("abort", this.#onClosed, { once: true });
  }

  start(item: EvaluationItem): void {
    const { index, id, done } = item;
    const { registry, config, bus } = this.#engine.parts;
    const sandbox = registry.find(id as SandboxId);
    if (this.#engine.isClosed) return done(this.unstarted(index, id, closed));
    if (sandbox === undefined) {
      const message = `Cannot evaluate sandbox ${show(id)} as there is none of this id`;
      return done(this.unstarted(index, id, { kind: "not-running", message }));
    }
    const over = new AbortController();
    const candidate = new BoundCandidate(this.#terms, sandbox, over.signal);
    const startedMs = config.clock.monotonic();
    const { revision } = sandbox.versions.head;
    const settle = (measured: Measured): void => {
      if (!this.#underway.delete(index)) return;
      timer.cancel();
      const evaluationMs = config.clock.monotonic() - startedMs;
      const facts = { revision, evaluationMs, usage: candidate.total };
      const evaluation = this.#toEvaluation(measured, sandbox, facts);
      over.abort("the evaluation is over");
      // Its caller learns of it once it is stored.
      void this.#report(sandbox, evaluation).then(() => done({ index, sandboxId: id, ...evaluation }));
    };
    this.#underway.set(index, (failure) => settle(withoutScore(failure)));
    const { deadlineMs, itemDeadlineMs = deadlineMs } = this.#plan;
    const timer = config.clock.after(itemDeadlineMs, () => this.cancel(index, lateBy(itemDeadlineMs)));
    if (bus.hears("sandbox.evaluate.start")) bus.emit("sandbox.evaluate.start", { sandboxId: id });
    void this.#repeat(candidate, { index, signal: over.signal }).then(settle);
  }

  cancel(index: number, failure: GuestFailure): void {
    this.#underway.get(index)?.(failure);
  }

  /** The result of an item that was never measured. */
  unstarted(index: number, id: string, failure: GuestFailure): BatchEvaluation {
    const facts = { revision: 0, evaluationMs: 0, usage: unused };
    return { index, sandboxId: id, ...this.#toEvaluation(withoutScore(failure), undefined, facts) };
  }

  /** Every item has its result: the scorers' sandboxes go, and the lists of cases that cells keep. */
  end(): void {
    this.#engine.closed.removeEventListener("abort", this.#onClosed);
    this.#terms.lists.release();
    for (const made of this.#scorers.values())
      made.then((scorer) => scorer[Symbol.asyncDispose]()).catch(() => {});
  }

  // One measurement after the other: those of one candidate would only wait for each other.
  async #repeat(
    candidate: BoundCandidate,
    trial: { readonly index: number; readonly signal: AbortSignal },
  ): Promise<Measured> {
    const { repeats, summary } = this.#plan;
    const measurements: Extract<Measurement, { ok: true }>[] = [];
    for (let repeat = 0; repeat < repeats && !trial.signal.aborted; repeat++) {
      const measured = await this.#measure(candidate, { ...trial, repeat });
      if (!measured.ok) return measured;
      measurements.push(measured);
    }
    const last = measurements.at(-1);
    if (last === undefined || repeats === 1) return last ?? withoutScore(closed);
    const noise = noiseOf(measurements.map(({ score }) => score));
    const components: Components = Object.fromEntries(
      Object.keys(last.components).map((name) => {
        const samples = measurements.flatMap((measured) => measured.components[name] ?? []);
        return [name, noiseOf(samples)[summary]];
      }),
    );
    return { ...last, score: noise[summary], components, noise };
  }

  #toEvaluation(measured: Measured, sandbox: ManagedSandbox | undefined, facts: Facts): Evaluation {
    const { tests, stages } = measured;
    const base = {
      ...facts,
      generation: sandbox?.ancestry.generation ?? 0,
      evaluatedAt: this.#engine.parts.config.clock.now(),
      tests,
      stages,
    };
    if (measured.ok) {
      const { score, components, noise = null } = measured;
      return { ...base, ok: true, score, components, noise, mapped: null };
    }
    const { error } = measured;
    const { onFailure: failureScore } = this.#plan;
    if (failureScore === undefined) return { ...base, ok: false, error };
    return { ...base, ok: true, score: failureScore, components: {}, noise: null, mapped: error };
  }

  #report(sandbox: ManagedSandbox, evaluation: Evaluation): Promise<void> {
    const { bus } = this.#engine.parts;
    const { revision, evaluatedAt, generation, evaluationMs: durationMs } = evaluation;
    const error = evaluation.ok ? evaluation.mapped : evaluation.error;
    const result = error?.kind ?? "ok";
    const score = evaluation.ok ? evaluation.score : null;
    const components = evaluation.ok ? evaluation.components : {};
    const tests = evaluation.tests.slice(0, testsRememberedMax);
    const stored = sandbox.noteFitness({ score, result, revision, evaluatedAt, components, tests });
    const sandboxId = sandbox.id;
    if (error?.kind === "fitness-failed") {
      const thrown = { sandboxId, durationMs, code: "fitness-failed", message: error.message };
      bus.emit("sandbox.evaluate.exception", thrown);
    } else bus.emit("sandbox.evaluate.stop", { sandboxId, durationMs, result });
    const { population } = this.#plan;
    const facts = { population, components, revision, generation, evaluatedAt, durationMs };
    bus.emit("fitness.computed", { sandboxId, score, result, ...facts });
    return stored;
  }

  #scorerOf(scorer: CompleteScorer["scorer"]): Promise<Sandbox> {
    const { modules, limits } = scorer;
    const known = this.#scorers.get(scorer);
    if (known !== undefined) return known;
    const spec = { modules, limits, labels: { role: "scorer" } };
    const plan = completeSpec(randomName("scorer"), spec, specContextOf(this.#engine));
    const made = this.#engine.parts.sandboxes
      .help(plan)
      .then((sandbox) => new LocalSandbox(this.#engine, sandbox));
    this.#scorers.set(scorer, made);
    return made;
  }
}

type Facts = Pick<Evaluation, "revision" | "evaluationMs" | "usage">;
type Measured = Measurement & { readonly noise?: ReturnType<typeof noiseOf> };

function withoutScore(failure: GuestFailure): Measured {
  const error: EvaluationFailure = { kind: failure.kind, message: failure.message, failure };
  return { ok: false, error, tests: [], stages: [] };
}

function lateBy(itemDeadlineMs: number): GuestFailure {
  const message = `Cannot finish the evaluation within itemDeadlineMs, ${itemDeadlineMs}: it was still going`;
  return { kind: "cancelled", reason: "deadline", message };
}
