// One generation of a population in its runtime: what is done is done to those of its members that live.
import type {
  Batch,
  Batches,
  BatchCallOptions,
  BatchEvaluation,
  BatchFork,
  BatchOptions,
  BatchOutcome,
  BatchResult,
  EvaluateOptions,
} from "../api/types/batch.ts";
import type { Fitness } from "../api/types/fitness.ts";
import type {
  CallTarget,
  GuestModules,
  HotReloadOptions,
  ReloadModules,
  Sandbox,
} from "../api/types/sandbox.ts";
import type { ForkOptions } from "../api/types/spec.ts";

/** The batches of a runtime over the living members of one generation. Who lives is asked when a batch begins. */
export class Generation {
  readonly #batch: Batches;
  readonly #living: () => readonly string[];

  /** @internal `Populations` make it. */
  constructor(batch: Batches, living: () => readonly string[]) {
    this.#batch = batch;
    this.#living = living;
  }

  /** The members that live now. */
  get sandboxIds(): readonly string[] {
    return this.#living();
  }

  evaluate(fitness: Fitness, options?: EvaluateOptions): Batch<BatchEvaluation> {
    return this.#batch.evaluate(this.#living(), fitness, options);
  }

  call<T = unknown>(target: CallTarget, options?: BatchCallOptions): Batch<BatchOutcome<T>> {
    return this.#batch.call<T>(this.#living(), target, options);
  }

  run<R, A extends readonly unknown[] = [], M extends object = GuestModules>(
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A>,
  ): Batch<BatchOutcome<Awaited<R>>> {
    return this.#batch.run(this.#living(), fn, options);
  }

  /** Reloads each member, with the same modules or those made for each. */
  hotReload(
    modules: ReloadModules | ((id: string, index: number) => ReloadModules),
    options?: BatchOptions & HotReloadOptions,
  ): ReturnType<Batches["hotReload"]> {
    return this.#batch.hotReload(this.#living(), modules, options);
  }

  /** One child of each member; `make` says how it differs, and may name the other parents. */
  fork(
    make: (id: string, index: number) => ForkOptions & { readonly parentIds?: readonly string[] },
    options?: BatchOptions,
  ): Batch<BatchResult<Sandbox>> {
    const forks = this.#living().map((id, index): BatchFork => {
      const { parentIds = [], ...own } = make(id, index);
      return { ...own, parentIds: [id, ...parentIds] };
    });
    return this.#batch.fork(forks, options);
  }

  destroy(options?: BatchOptions): Batch<BatchResult<void>> {
    return this.#batch.destroy(this.#living(), options);
  }
}
