// Batches: many sandboxes at once, answered in lines.
import { functionFromSource } from "../../model/runs/function-source.ts";
import type {
  BatchLine,
  WireBatchArgs,
  WireBatchOutcome,
  WireResult,
  WireTarget,
} from "../../contract/batch-bodies.ts";
import type {
  Batch,
  BatchEvaluation,
  BatchOutcome,
  BatchResult,
  BatchTarget,
  Kept,
  ReloadReport,
} from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import type { Caller, Need } from "../gate.ts";
import type { Asked, Handlers } from "../handler.ts";
import type { Lines } from "../http/lines.ts";
import { toProblem } from "../http/problems.ts";
import { readArgs, toWireOutcome, type GivenArgs } from "../http/values.ts";
import { linesOfBatch } from "./batch-lines.ts";
import { admitted, fitnessFrom } from "./fitness.ts";
import { ForeignIds } from "./foreign.ts";
import { roomFor, scorersOf } from "./batch-room.ts";
import { forkFor, specFor } from "./specs.ts";

type BatchId =
  | "batchCreate"
  | "batchFork"
  | "batchDestroy"
  | "batchReload"
  | "batchCall"
  | "batchRun"
  | "batchEvaluate";

export const batchHandlers: Handlers<BatchId> = {
  batchCreate: async (asked) => {
    const { parts, caller, body } = asked;
    const { specs, ...bounds } = body;
    const made = specs.map((spec) => specFor(parts, caller, spec));
    const given = made.map(({ id, spec }) => ({ id, ...spec }));
    const needs = made.map(({ need }) => need);
    return lined(asked, {
      needs,
      begin: (signal) => parts.runtime.batch.create(given, { ...bounds, signal }),
      toResult,
    });
  },
  batchFork: async (asked) => {
    const { parts, caller, body } = asked;
    const { forks, ...bounds } = body;
    const foreign = new ForeignIds(parts.gate, caller);
    const made: Awaited<ReturnType<typeof forkFor>>[] = [];
    for (const [index, fork] of forks.entries()) {
      // A child of another's is none, whichever of its parents that is.
      const other = fork.parentIds.find((id) => foreign.standFor(index, id) !== id);
      const parentIds = other === undefined ? fork.parentIds : [foreign.standFor(index, other)];
      made.push(await forkFor(parts, caller, { ...fork, parentIds }));
    }
    const given = made.map(({ parentIds, spec }) => ({ parentIds, ...spec }));
    const needs = made.map(({ need }) => need);
    return lined(asked, {
      needs,
      begin: (signal) => parts.runtime.batch.fork(given, { ...bounds, signal }),
      toResult: foreign.telling(toResult),
    });
  },
  batchDestroy: async (asked) => {
    const { ids, ...bounds } = asked.body;
    const foreign = new ForeignIds(asked.parts.gate, asked.caller);
    const own = ids.map((id, index) => foreign.standFor(index, id));
    return lined(asked, {
      begin: (signal) => asked.parts.runtime.batch.destroy(own, { ...bounds, signal }),
      toResult: foreign.telling(toResult),
    });
  },
  batchReload: async (asked) => {
    const { ids, modules, modulesOfEach, ...bounds } = asked.body;
    const foreign = new ForeignIds(asked.parts.gate, asked.caller);
    const own = ids.map((id, index) => foreign.standFor(index, id));
    checkEach("modules", modulesOfEach, own.length);
    if ((modules === undefined) === (modulesOfEach === undefined)) throw eitherOf("modules", "modulesOfEach");
    // One of both is there.
    const given = modules ?? ((_id: string, index: number) => modulesOfEach?.[index] ?? {});
    return lined(asked, {
      begin: (signal) => asked.parts.runtime.batch.hotReload(own, given, { ...bounds, signal }),
      toResult: foreign.telling((result: BatchResult<ReloadReport>) =>
        result.ok ? result : { ...result, error: toProblem(result.error) },
      ),
    });
  },
  batchCall: async (asked) => {
    const { targets, target, args, argsEncoded, argsOfEach, keep, ...bounds } = asked.body;
    const { given, needs, foreign } = targetsFor(asked, targets);
    const own = await argsFor(asked.caller, { args, argsEncoded, argsOfEach }, given.length);
    asked.parts.gate.countEvaluations(asked.caller, given.length);
    // The runtime checks what the text is.
    const name = target as `${string}.${string}`;
    const { bound, ...room } = roomFor(needs, { ...bounds, keep });
    const options = { ...bounds, ...bound, ...own, ...keeping(keep) };
    return lined(asked, {
      ...room,
      begin: (signal) => asked.parts.runtime.batch.call(given, name, { ...options, signal }),
      toResult: foreign.telling(toOutcome),
    });
  },
  batchRun: async (asked) => {
    const { targets, function: text, args, argsEncoded, argsOfEach, keep, ...bounds } = asked.body;
    const { given, needs, foreign } = targetsFor(asked, targets);
    const own = await argsFor(asked.caller, { args, argsEncoded, argsOfEach }, given.length);
    asked.parts.gate.countEvaluations(asked.caller, given.length);
    const { bound, ...room } = roomFor(needs, { ...bounds, keep });
    const options = { ...bounds, ...bound, ...own, ...keeping(keep) };
    return lined(asked, {
      ...room,
      begin: (signal) =>
        // What arguments a text takes is known to nobody here.
        asked.parts.runtime.batch.run<never, readonly unknown[]>(given, functionFromSource(text), {
          ...options,
          signal,
        }),
      toResult: foreign.telling(toOutcome),
    });
  },
  batchEvaluate: async (asked) => {
    const { targets, keep, fitness: wanted, ...bounds } = asked.body;
    const { given, needs, foreign } = targetsFor(asked, targets);
    const fitness = admitted(asked.parts.gate, asked.caller, wanted);
    const own = await fitnessFrom(asked.caller, fitness);
    asked.parts.gate.countEvaluations(asked.caller, given.length * (bounds.repeats ?? 1));
    const kept = typeof keep === "boolean" || keep === undefined ? keeping(keep) : { keep };
    const scorers = scorersOf(asked.parts.gate, asked.caller, fitness);
    const { bound, ...room } = roomFor(needs, { ...bounds, keep, scorers });
    const options = { ...bounds, ...bound, ...kept };
    return lined(asked, {
      ...room,
      begin: (signal) => asked.parts.runtime.batch.evaluate(given, own, { ...options, signal }),
      toResult: foreign.telling((result: BatchEvaluation & Kept) => result),
    });
  },
};

interface Plan<T, R> {
  readonly begin: (signal: AbortSignal) => Batch<T>;
  readonly needs?: readonly Need[];
  readonly atOnce?: number;
  readonly toResult: (result: T) => R;
}

// Begins the batch while there is room for what it makes, and a stream for its lines.
async function lined<T, R>(
  { parts, caller, signal }: Pick<Asked<BatchId>, "parts" | "caller" | "signal">,
  { begin, needs = [], atOnce, toResult: convert }: Plan<T, R>,
): Promise<Lines<BatchLine<R>>> {
  const { gate, clock } = parts;
  const room = await gate.reserve(caller, needs, atOnce === undefined ? {} : { atOnce });
  // Nobody waits for what is counted once it is over.
  const onEnd = (): void => void room.release();
  try {
    return await linesOfBatch(signal, { clock, begin, toResult: convert, onEnd });
  } catch (error) {
    // It may be refused before it is a batch.
    onEnd();
    throw error;
  }
}

function toOutcome(outcome: BatchOutcome<unknown> & Kept): WireBatchOutcome {
  return toWireOutcome(outcome);
}

function toResult({ index, sandboxId, ...result }: BatchResult<unknown>): WireResult {
  return result.ok
    ? { index, sandboxId, ok: true }
    : { index, sandboxId, ok: false, error: toProblem(result.error) };
}

function targetsFor(
  { parts, caller }: Pick<Asked<BatchId>, "parts" | "caller">,
  targets: readonly WireTarget[],
): {
  readonly given: readonly BatchTarget[];
  readonly needs: readonly Need[];
  readonly foreign: ForeignIds;
} {
  const needs: Need[] = [];
  const foreign = new ForeignIds(parts.gate, caller);
  const given = targets.map((target, index) => {
    if (typeof target === "string") return foreign.standFor(index, target);
    const { id, spec, need } = specFor(parts, caller, target);
    needs.push(need);
    return { id, ...spec };
  });
  return { given, needs, foreign };
}

function keeping(keep: boolean | undefined): { readonly keep?: () => boolean } {
  return keep === true ? { keep: () => true } : {};
}

async function argsFor(
  caller: Caller,
  {
    args,
    argsEncoded,
    argsOfEach,
  }: GivenArgs & { readonly argsOfEach: WireBatchArgs["argsOfEach"] | undefined },
  size: number,
): Promise<{ readonly args?: readonly unknown[] | ((id: string, index: number) => readonly unknown[]) }> {
  if (argsOfEach === undefined) return readArgs(caller, { args, argsEncoded });
  if (args !== undefined || argsEncoded !== undefined) throw eitherOf("args", "argsOfEach");
  checkEach("args", argsOfEach, size);
  const lists: (readonly unknown[])[] = [];
  for (const [index, each] of argsOfEach.entries())
    lists.push((await readArgs(caller, each, `argsOfEach[${index}].`)).args ?? []);
  return { args: (_id, index) => lists[index] ?? [] };
}

function checkEach(what: string, list: readonly unknown[] | undefined, size: number): void {
  if (list === undefined || list.length === size) return;
  const message = `Cannot use ${what}OfEach as there must be one for each of the ${size} items: got ${list.length}`;
  throw new InvalidOptionsError(message, `${what}OfEach`);
}

function eitherOf(one: string, other: string): InvalidOptionsError {
  return new InvalidOptionsError(
    `Cannot use ${one} as there must be either ${one} or ${other}: got both or neither`,
    one,
  );
}
