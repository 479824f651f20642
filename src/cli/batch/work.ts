// What `vivarium batch` does with its items, as the command line says it.
import type { BatchTarget, CallTarget, Fitness, Outcome, Runtime, VivariumError } from "../../index.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import type { CommandContext } from "../command-file.ts";
import type { Given } from "../command/given.ts";
import { problemOf } from "../command/problem.ts";
import { readTask, type Task } from "../eval/task.ts";
import { readJson } from "../json-file.ts";
import { wireOutcome } from "../outcome/wire.ts";
import type { Common } from "./targets.ts";

/** Starts a batch and gives its results as they are written. */
export interface Work {
  readonly common: Common;
  readonly start: (runtime: Runtime, targets: readonly BatchTarget[]) => AsyncIterable<BatchRow>;
}

/** A result as it is written: which item it belongs to, and whatever the operation answers. */
export interface BatchRow {
  readonly index: number;
  readonly sandboxId: string;
  readonly ok: boolean;
}

const operations = ["call", "task", "suite", "create"] as const;
type OperationName = (typeof operations)[number];

export async function workOf({ given, signal }: CommandContext): Promise<Work> {
  const named = operations.filter((name) =>
    name === "create" ? given.flag(name) : given.text(name) !== undefined,
  );
  const [operation, ...others] = named;
  if (operation === undefined || others.length > 0) {
    const got = named.map((name) => `--${name}`).join(" and ") || "none";
    const rule = `there must be one of ${operations.map((name) => `--${name}`).join(", ")}`;
    throw new InvalidOptionsError(`Cannot run the batch as ${rule}: got ${got}`, "call");
  }
  if (given.value("args") !== undefined && operation !== "call")
    throw new InvalidOptionsError(
      `Cannot use --args as it must come with --call: got --${operation}`,
      "args",
    );
  if (given.number("timeout-ms") !== undefined && operation === "create")
    throw new InvalidOptionsError(
      "Cannot use --timeout-ms as there must be runs: got --create",
      "timeout-ms",
    );
  return makers[operation](given, signal);
}

const makers: Readonly<Record<OperationName, (given: Given, signal: AbortSignal) => Work | Promise<Work>>> = {
  call: (given, signal) => {
    const args = given.value("args") as readonly unknown[] | undefined;
    const target = (given.text("call") ?? "") as CallTarget;
    const options = { ...boundsOf(given, signal), ...(args === undefined ? {} : { args }) };
    return {
      common: {},
      start: (runtime, targets) => mapped(runtime.batch.call(targets, target, options), outcomeRow),
    };
  },
  task: async (given, signal) => evaluation(await readTask(given.text("task") ?? ""), given, signal),
  suite: async (given, signal) => {
    // What it is, is checked by the runtime.
    const fitness = (await readJson("suite", given.text("suite") ?? "")) as Fitness;
    return evaluation({ fitness }, given, signal);
  },
  create: (given, signal) => ({
    common: {},
    start: (runtime, targets) => {
      const specs = targets.filter((target) => typeof target !== "string");
      if (specs.length < targets.length)
        throw new InvalidOptionsError(
          "Cannot create a sandbox as there must be a spec of it: got an id alone",
          "input",
        );
      const { concurrency } = boundsOf(given, signal);
      return mapped(
        runtime.batch.create(specs, { signal, ...(concurrency === undefined ? {} : { concurrency }) }),
        resultRow,
      );
    },
  }),
};

function evaluation(
  { fitness, modules = {}, limits = {}, options = {} }: Task,
  given: Given,
  signal: AbortSignal,
): Work {
  const bounds = boundsOf(given, signal);
  return {
    common: { modules, limits },
    start: (runtime, targets) => runtime.batch.evaluate(targets, fitness, { ...options, ...bounds }),
  };
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
}

function boundsOf(given: Given, signal: AbortSignal): Bounds {
  const [concurrency, timeoutMs] = [given.number("concurrency"), given.number("timeout-ms")];
  return {
    signal,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

type Item = { readonly index: number; readonly sandboxId: string };

function outcomeRow(outcome: Item & Outcome<unknown>): BatchRow {
  return wireOutcome(outcome);
}

function resultRow({
  index,
  sandboxId,
  ...result
}: Item & ({ readonly ok: true } | { readonly ok: false; readonly error: VivariumError })): BatchRow {
  const item = { index, sandboxId, ok: result.ok };
  return result.ok ? item : { ...item, ...{ error: problemOf(result.error) } };
}

async function* mapped<R>(results: AsyncIterable<R>, row: (result: R) => BatchRow): AsyncGenerator<BatchRow> {
  for await (const result of results) yield row(result);
}
