// The evaluations of one batch: what they have in common, and those that are under way.
import type { SandboxId } from "../../model/ids.ts";
import type { Components } from "../../model/fitness.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Read } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { noiseOf } from "../../orchestration/evaluation/summary.ts";
import type { Ending } from "../../std/ending.ts";
import { randomName } from "../../std/random.ts";
import { CandidateTerms, type BoundCandidate } from "./bound-candidate.ts";
import type { Engine } from "../wiring/engine.ts";
import type { evaluateOptions } from "../options/batch-options.ts";
import type { CompleteFitness, CompleteScorer } from "../options/fitness-options.ts";
import { Keeping } from "../handles/keeping.ts";
import { LocalSandbox } from "../handles/local-sandbox.ts";
import type { SpecSandboxes } from "../handles/spec-sandboxes.ts";
import {
  ItemEvaluation,
  unmeasured,
  withoutScore,
  type EvaluatedItem,
  type EvaluationItem,
  type ItemTerms,
  type Measured,
} from "./item-evaluation.ts";
import { toMeasure, type Measure, type Measurement } from "./measure.ts";
import type { BatchEvaluation, Kept } from "../types/batch.ts";
import type { Trial } from "../types/fitness.ts";
import type { Sandbox } from "../types/sandbox.ts";
import { completeSpec } from "../options/spec.ts";
import { specContextOf } from "../options/spec-context.ts";

export interface EvaluationPlan {
  readonly fitness: CompleteFitness;
  readonly evaluation: Read<typeof evaluateOptions>;
  /** Where some of the candidates are made for it. */
  readonly specs?: SpecSandboxes | undefined;
}

const closed: GuestFailure = {
  kind: "cancelled",
  reason: "closed",
  message: "Cannot finish the evaluation as the runtime was closed",
};

export class EvaluationLaunch {
  readonly #engine: Engine;
  readonly #plan: EvaluationPlan["evaluation"];
  readonly #specs: SpecSandboxes | undefined;
  readonly #measure: Measure;
  readonly #common: ItemTerms;
  readonly #underway = new Map<number, ItemEvaluation>();
  readonly #scorers = new Map<CompleteScorer["scorer"], Promise<Sandbox>>();
  readonly #onClosed = (): void => {
    for (const item of [...this.#underway.values()]) item.end(closed);
  };

  constructor(engine: Engine, plan: EvaluationPlan) {
    this.#engine = engine;
    this.#plan = plan.evaluation;
    this.#specs = plan.specs;
    this.#measure = toMeasure(plan.fitness, (scorer) => this.#scorerOf(scorer));
    const { timeoutMs, cpuMs, fuel, deadlineMs, itemDeadlineMs = deadlineMs } = plan.evaluation;
    const { population, onFailure: failureScore, keep } = plan.evaluation;
    this.#common = {
      engine,
      terms: new CandidateTerms(engine, { timeoutMs, cpuMs, fuel }, deadlineMs),
      itemDeadlineMs,
      population,
      failureScore,
      keeping: new Keeping(keep),
      repeat: (candidate, item) => this.#repeat(candidate, item),
    };
    engine.closed.addEventListener("abort", this.#onClosed, { once: true });
  }

  start(item: EvaluationItem): void {
    const { index, id, done } = item;
    if (this.#engine.isClosed) return done(this.unstarted(index, id, closed));
    const subject = this.#specs?.open(index) ?? this.#engine.parts.registry.find(id as SandboxId);
    if (subject === undefined) {
      const message = `Cannot evaluate sandbox ${show(id)} as there is none of this id`;
      return done(this.unstarted(index, id, { kind: "not-running", message }));
    }
    const settled = (result: BatchEvaluation): void => {
      this.#underway.delete(index);
      done(this.#marked(result));
    };
    const underway = new ItemEvaluation(this.#common, { index, id, done: settled }, subject);
    // The caller's fitness function may end the batch before it returns.
    this.#underway.set(index, underway);
    underway.start();
  }

  cancel(index: number, failure: GuestFailure): void {
    this.#underway.get(index)?.end(failure);
  }

  /** The result of an item that was never measured. */
  unstarted(index: number, id: string, failure: GuestFailure): BatchEvaluation {
    const evaluation = unmeasured(failure, this.#engine.parts.config.clock.now(), this.#plan.onFailure);
    return this.#marked({ index, sandboxId: id, ...evaluation });
  }

  /** Every item has its result: those that are kept are stored. */
  settle(): Promise<void> {
    return this.#common.keeping.end();
  }

  /** All is over: the scorers' sandboxes go, and the lists of cases that cells keep. */
  end(): void {
    this.#engine.closed.removeEventListener("abort", this.#onClosed);
    this.#common.terms.lists.release();
    for (const made of this.#scorers.values())
      made.then((scorer) => scorer[Symbol.asyncDispose]()).catch(() => {});
  }

  // In a batch that makes sandboxes every result says whether its own lives on.
  #marked(result: BatchEvaluation): BatchEvaluation & Partial<Kept> {
    return this.#specs === undefined || "kept" in result ? result : { ...result, kept: false };
  }

  // One measurement after the other: those of one candidate would only wait for each other.
  async #repeat(candidate: BoundCandidate, { index, over }: EvaluatedItem): Promise<Measured> {
    const { repeats, summary } = this.#plan;
    const measurements: Extract<Measurement, { ok: true }>[] = [];
    for (let repeat = 0; repeat < repeats && !over.isOver; repeat++) {
      const measured = await this.#measure(candidate, toTrial(index, repeat, over));
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

  #scorerOf(scorer: CompleteScorer["scorer"]): Promise<Sandbox> {
    const { modules, limits, profile, placement } = scorer;
    const known = this.#scorers.get(scorer);
    if (known !== undefined) return known;
    const spec = { modules, limits, profile, placement, labels: { role: "scorer" } };
    const plan = completeSpec(randomName("scorer"), spec, specContextOf(this.#engine));
    const made = this.#engine.parts.sandboxes
      .help(plan)
      .then((sandbox) => new LocalSandbox(this.#engine, sandbox));
    this.#scorers.set(scorer, made);
    return made;
  }
}

// Few fitness functions ask for the signal.
function toTrial(index: number, repeat: number, over: Ending): Trial {
  return {
    index,
    repeat,
    get signal() {
      return over.signal;
    },
  };
}
