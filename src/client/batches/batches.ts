// Batches on a server. What callers give as functions is called here, once for each item, before anything is sent.
import type {
  BatchCallOptions,
  BatchEvaluation,
  Batches,
  BatchFork,
  BatchOptions,
  BatchOutcome,
  BatchResult,
  BatchSpec,
  BatchTarget,
  Batch,
  CallTarget,
  EvaluateOptions,
  Fitness,
  HotReloadOptions,
  KeepBest,
  KeepChosen,
  Kept,
  ReloadModules,
  ReloadReport,
  Sandbox,
} from "../../index.ts";
import type {
  WireBatchEvaluation,
  WireBatchOutcome,
  WireReloadResult,
  WireResult,
} from "../../contract/batch-bodies.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { parseTarget } from "../../model/ids.ts";
import { reasonOf } from "../../model/runs/arguments.ts";
import { functionText } from "../../model/runs/function-source.ts";
import { isRecord, refuseOption } from "../../model/schema.ts";
import { RemoteSandbox } from "../handles/sandbox.ts";
import { errorOf } from "../transport/failures.ts";
import type { Transport } from "../transport/transport.ts";
import { toWireFitness } from "../wire/fitness.ts";
import { toBatchSpec, toChanges, toSources } from "../wire/modules.ts";
import { checkOptions } from "../wire/names.ts";
import { refuseOptions, reloadAdvice } from "../wire/not-remote.ts";
import { boundsIn, listOption, sent, toArgs } from "../wire/options.ts";
import { toOutcome } from "../wire/outcomes.ts";
import { changeResult, evaluationResult, runResult } from "./refusals.ts";
import { beginBatch, type BatchPlan } from "./sending.ts";
import { Unseen, withId } from "./unseen.ts";

const keepAdvice = { keep: "keep sandboxes by creating them first, or destroy them afterwards" };

export class RemoteBatches implements Batches {
  readonly #transport: Transport;
  /** What ids begin with that are made up here. */
  readonly #prefix: string;

  constructor(transport: Transport, tenant: string | null) {
    this.#transport = transport;
    this.#prefix = tenant === null ? "" : `${tenant}:`;
  }

  create(specs: readonly BatchSpec[], options?: BatchOptions): Batch<BatchResult<Sandbox>> {
    const unseen = new Unseen();
    return this.#changing<Sandbox, WireResult>("batchCreate", { items: specs, options, unseen }, () => ({
      prepare: (index) => toBatchSpec(this.#unseenly(specs[index], { index, unseen })),
      bodyOf: (ready) => ({ ...sent(options), specs: ready }),
      toValue: ({ sandboxId }) => new RemoteSandbox(this.#transport, sandboxId),
    }));
  }

  fork(forks: readonly BatchFork[], options?: BatchOptions): Batch<BatchResult<Sandbox>> {
    const unseen = new Unseen();
    return this.#changing<Sandbox, WireResult>("batchFork", { items: forks, options, unseen }, () => ({
      prepare: async (index) => toWireFork(this.#unseenly(forks[index], { index, unseen })),
      bodyOf: (ready) => ({ ...sent(options), forks: ready }),
      toValue: ({ sandboxId }) => new RemoteSandbox(this.#transport, sandboxId),
    }));
  }

  destroy(ids: readonly string[], options?: BatchOptions): Batch<BatchResult<void>> {
    return this.#changing<void, WireResult>("batchDestroy", { items: ids, options }, () => ({
      prepare: async (index) => ids[index],
      bodyOf: (ready) => ({ ...sent(options), ids: ready }),
      toValue: () => undefined,
    }));
  }

  hotReload(
    ids: readonly string[],
    modules: ReloadModules | ((id: string, index: number) => ReloadModules),
    options?: BatchOptions & HotReloadOptions,
  ): Batch<BatchResult<ReloadReport>> {
    return this.#changing<ReloadReport, WireReloadResult>("batchReload", { items: ids, options }, () => {
      checkOptions(options, "batchReload");
      refuseOptions(options, reloadAdvice);
      const isEach = typeof modules === "function";
      return {
        prepare: async (index) => {
          const id = ids[index] ?? "";
          return {
            id,
            modules: isEach ? toChanges(madeBy("modules", () => modules(id, index), index)) : undefined,
          };
        },
        bodyOf: (given) => {
          const ready = given as readonly { readonly id: string; readonly modules: unknown }[];
          const own = isEach
            ? { modulesOfEach: ready.map((item) => item.modules) }
            : { modules: toChanges(modules) };
          return { ...sent(options), ids: ready.map(({ id }) => id), ...own };
        },
        toValue: (result) => result.value,
      };
    });
  }

  call<T = unknown>(
    targets: readonly BatchTarget[],
    target: CallTarget,
    options?: BatchCallOptions & KeepChosen<BatchOutcome<T>>,
  ): Batch<BatchOutcome<T> & Kept> {
    return this.#running<T>("batchCall", { targets, options }, () => {
      parseTarget(target);
      return { target };
    });
  }

  run<R, A extends readonly unknown[], M extends object>(
    targets: readonly BatchTarget[],
    fn: (modules: M, ...args: A) => R,
    options?: BatchCallOptions<A> & KeepChosen<BatchOutcome<Awaited<R>>>,
  ): Batch<BatchOutcome<Awaited<R>> & Kept> {
    return this.#running<Awaited<R>>("batchRun", { targets, options }, () => ({
      function: functionText(fn),
    }));
  }

  evaluate(
    targets: readonly BatchTarget[],
    fitness: Fitness,
    options?: EvaluateOptions & (KeepBest | KeepChosen<BatchEvaluation>),
  ): Batch<BatchEvaluation & Kept> {
    type Result = BatchEvaluation & Kept;
    return beginBatch<Result, WireBatchEvaluation>(this.#transport, () => {
      checkOptions(options, "batchEvaluate");
      if (typeof options?.keep === "function") refuseOptions(options, keepAdvice);
      const { onFailure } = options ?? {};
      const mapped = typeof onFailure === "object" ? onFailure.score : undefined;
      const { clock } = this.#transport;
      const wire = toWireFitness(fitness);
      return {
        id: "batchEvaluate",
        ids: idsOf(targets, "ids"),
        bounds: boundsIn(options),
        prepare: (index) => toWireTarget(targets[index]),
        bodyOf: (ready) => ({ ...sent(options), targets: ready, fitness: wire }),
        // Whether it was kept is said where sandboxes were made for it.
        toResult: (result) => result as Result,
        endOf: evaluationResult(targets.some(isSpec), { now: () => clock.now(), mapped }) as BatchPlan<
          Result,
          WireBatchEvaluation
        >["endOf"],
      };
    });
  }

  // One change of each item.
  #changing<T, R extends WireResult | WireReloadResult>(
    id: BatchPlan<T, R>["id"],
    { items, options, unseen }: Changing,
    how: () => Pick<BatchPlan<T, R>, "prepare" | "bodyOf"> & {
      readonly toValue: (result: R & { ok: true }) => T;
    },
  ): Batch<BatchResult<T>> {
    return beginBatch<BatchResult<T>, R>(this.#transport, () => {
      if (id !== "batchReload") checkOptions(options, "batch");
      const { prepare, bodyOf, toValue } = how();
      return {
        id,
        ids: idsOf(items, namesOfItems[id] ?? "ids"),
        bounds: boundsIn(options),
        prepare,
        bodyOf,
        undo: () =>
          unseen?.destroy(
            (ids) => void this.destroy(ids).catch(() => {}),
            (ms, act) => this.#transport.clock.after(ms, act),
          ),
        toResult: (result) => {
          const { index, sandboxId } = result;
          unseen?.seen(index);
          return result.ok
            ? { index, sandboxId, ok: true, value: toValue(result as R & { ok: true }) }
            : { index, sandboxId, ok: false, error: errorOf(result.error) };
        },
        endOf: changeResult,
      };
    });
  }

  // One run into each sandbox.
  #running<T>(
    id: "batchCall" | "batchRun",
    { targets, options }: { readonly targets: readonly BatchTarget[]; readonly options: unknown },
    codeOf: () => object,
  ): Batch<BatchOutcome<T> & Kept> {
    type Result = BatchOutcome<T> & Kept;
    return beginBatch<Result, WireBatchOutcome>(this.#transport, () => {
      checkOptions(options, "batchRun");
      refuseOptions(options, keepAdvice);
      const ids = idsOf(targets, "ids");
      const { args } = (options ?? {}) as { readonly args?: unknown };
      const common = typeof args === "function" ? {} : toArgs(args);
      const code = codeOf();
      const prepare = async (
        index: number,
      ): Promise<{ readonly target: unknown; readonly args: unknown }> => {
        const target = await toWireTarget(this.#named(targets[index], args));
        const made = (): unknown => (args as (id: string, index: number) => unknown)(idOf(target), index);
        return { target, args: typeof args === "function" ? toArgs(madeBy("args", made, index)) : undefined };
      };
      return {
        id,
        ids,
        bounds: boundsIn(options as BatchOptions),
        prepare,
        bodyOf: (given) => {
          const ready = given as readonly Awaited<ReturnType<typeof prepare>>[];
          const each = typeof args === "function" ? { argsOfEach: ready.map((item) => item.args) } : common;
          return { ...sent(options, "args"), ...code, ...each, targets: ready.map(({ target }) => target) };
        },
        // What it holds is the caller's own claim, as that of a call's result is.
        toResult: (result) => toOutcome(result) as Result,
        endOf: runResult(targets.some(isSpec)) as BatchPlan<Result, WireBatchOutcome>["endOf"],
      };
    });
  }

  // A function that makes arguments is told the id of each sandbox, so that there must be one.
  #named(target: BatchTarget | undefined, args: unknown): BatchTarget | undefined {
    return typeof args === "function" ? withId(target, this.#prefix) : target;
  }

  // An item whose sandbox can be destroyed although its caller is never told of it.
  #unseenly<I>(item: I, { index, unseen }: { readonly index: number; readonly unseen: Unseen }): I {
    const named = withId(item, this.#prefix);
    if (named !== item && isRecord(named)) unseen.add(index, named["id"]);
    return named;
  }
}

interface Changing {
  readonly items: readonly unknown[];
  readonly options: BatchOptions | undefined;
  readonly unseen?: Unseen;
}

/** How the lists of batches are called in messages that are not called `ids`. */
const namesOfItems: Readonly<Partial<Record<string, string>>> = { batchCreate: "specs", batchFork: "forks" };

function isSpec(target: unknown): target is BatchSpec {
  return isRecord(target);
}

const idOf = (target: unknown): string => {
  const id: unknown = isRecord(target) ? target["id"] : target;
  return typeof id === "string" ? id : "";
};

function idsOf(items: unknown, name: string): readonly string[] {
  return Array.from(listOption.read(items, name), idOf);
}

// An id that is none is an item of which there is no sandbox.
async function toWireTarget(target: BatchTarget | undefined): Promise<unknown> {
  return isSpec(target) ? toBatchSpec(target) : target;
}

function toWireFork(item: unknown): object {
  const { parentId, parentIds, modules, ...options } = isRecord(item) ? item : {};
  if ((parentId === undefined) === (parentIds === undefined))
    throw refuseOption({ verb: "use", path: "forks", rule: "items with parentId or parentIds", got: item });
  const own = modules === undefined ? {} : { modules: toSources(modules) };
  return { ...sent(options), ...own, parentIds: parentIds ?? [parentId] };
}

function madeBy<M>(what: "args" | "modules", make: () => M, index: number): M {
  try {
    return make();
  } catch (error) {
    const made = what === "args" ? "arguments" : "modules";
    const message = `Cannot make the ${made} of item ${index} as their function must not throw: ${reasonOf(error)}`;
    throw new InvalidOptionsError(message, what);
  }
}
