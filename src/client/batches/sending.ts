// One batch on its way: items are made ready here, sent together, and their results taken as they come.
import type { BatchItem } from "../../index.ts";
import type { BatchLine } from "../../contract/batch-bodies.ts";
import type { OperationId } from "../../contract/operations.ts";
import { CancelledError, RuntimeClosedError, VivariumError } from "../../model/errors.ts";
import { errorOf } from "../transport/failures.ts";
import type { Transport } from "../transport/transport.ts";
import type { Bounds } from "../wire/options.ts";
import { RemoteBatch } from "./batch.ts";
import type { EndResult } from "./refusals.ts";

type BatchId = Extract<OperationId, `batch${string}`>;

export interface BatchPlan<T, R> {
  readonly id: BatchId;
  /** The ids of its items, as far as they are known here. */
  readonly ids: readonly string[];
  readonly bounds: Bounds;
  /** Makes an item ready to be sent. What it throws is the item's result. */
  readonly prepare: (index: number) => Promise<unknown>;
  /** The body with the items that are ready, by their places in the list. */
  readonly bodyOf: (ready: readonly unknown[], indexes: readonly number[]) => object;
  /** A result as it came, as its caller gets it. */
  readonly toResult: (result: R) => T;
  readonly endOf: EndResult<T>;
  /** Called where its caller gave it up once it may have been sent. */
  readonly undo?: () => void;
}

/** How many items are made ready at a time. */
const preparedAtOnce = 16;

/** Begins a batch; it is refused as a whole where `plan` throws. */
export function beginBatch<T, R extends BatchItem>(
  transport: Transport,
  plan: () => BatchPlan<T, R>,
): RemoteBatch<T> {
  try {
    transport.checkOpen("start a batch");
    const made = plan();
    const batch = new RemoteBatch<T>(made.ids.length);
    // It begins before its caller goes on, so that what it is about can be changed after that.
    if (!batch.isOver) void send(transport, made, batch);
    return batch;
  } catch (error) {
    const refused = new RemoteBatch<T>(1);
    refused.fail(error);
    return refused;
  }
}

async function send<T, R extends BatchItem>(
  transport: Transport,
  plan: BatchPlan<T, R>,
  batch: RemoteBatch<T>,
): Promise<void> {
  const { ids, bounds, endOf } = plan;
  const { signal } = bounds;
  const itemAt = (index: number): BatchItem => ({ index, sandboxId: ids[index] ?? "" });
  const cut = (): void => batch.finishAll((index) => endOf(itemAt(index), { cut: "signal" }));
  if (signal?.aborted === true) return cut();
  signal?.addEventListener("abort", cut, { once: true });
  try {
    const { indexes, ready } = await prepareAll(plan, batch, itemAt);
    if (batch.isOver || indexes.length === 0) return;
    const body = plan.bodyOf(ready, indexes);
    let failure: VivariumError | undefined;
    const results: T[] = [];
    let last: (() => void) | undefined;
    const what = "start a batch";
    const ask = { id: plan.id, what, noun: "the batch", body, bounds, undo: plan.undo };
    await transport.lines(ask, (given) => {
      // Each operation of this form has lines of a batch; which results they have its plan knows.
      const line = given as BatchLine<unknown> as BatchLine<R>;
      if (line.type === "error") failure = errorOf(line.error);
      if (line.type === "end") {
        markKept(
          results,
          line.kept?.map((place) => indexes[place] ?? -1),
        );
        last?.();
      }
      if (line.type !== "result") return;
      const index = indexes[line.result.index] ?? -1;
      const result = plan.toResult({ ...line.result, index });
      results.push(result);
      // Which sandboxes live on is final when all is over, and so the last result waits for that.
      if (results.length < indexes.length) batch.finish(index, result);
      else last = () => batch.finish(index, result);
    });
    const why = "the results of all its items must come: the answer was cut";
    batch.fail(failure ?? new VivariumError("CONNECTION_FAILED", `Cannot finish the batch as ${why}`));
  } catch (error) {
    if (error instanceof CancelledError && error.deadlineMs !== null)
      batch.finishAll((index) => endOf(itemAt(index), { cut: "deadline" }));
    // Closing the client ends each item, as closing a local runtime does.
    if (error instanceof RuntimeClosedError && transport.isClosed)
      batch.finishAll((index) => endOf(itemAt(index), { error }));
    batch.fail(error instanceof Error ? error : new RuntimeClosedError("finish a batch"));
  } finally {
    signal?.removeEventListener("abort", cut);
  }
}

// Of the best so many a later one may have taken an earlier one's place, whose result says so then, as in a local runtime.
function markKept(results: readonly unknown[], kept: readonly number[] | undefined): void {
  if (kept === undefined) return;
  for (const result of results as readonly { index: number; kept?: boolean }[])
    if (result.kept !== undefined) result.kept = kept.includes(result.index);
}

// Items whose own data is wrong have their results now; the others keep their order.
async function prepareAll<T, R>(
  plan: BatchPlan<T, R>,
  batch: RemoteBatch<T>,
  itemAt: (index: number) => BatchItem,
): Promise<{ readonly indexes: readonly number[]; readonly ready: readonly unknown[] }> {
  const prepared: { readonly value: unknown }[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < plan.ids.length && !batch.isOver; index = next++) {
      try {
        prepared[index] = { value: await plan.prepare(index) };
      } catch (error) {
        // What cannot travel is no item's own mistake.
        if (error instanceof VivariumError && error.code === "NOT_REMOTE") throw error;
        batch.finish(index, plan.endOf(itemAt(index), { error }));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(preparedAtOnce, plan.ids.length) }, work));
  const indexes = [...prepared.keys()].filter((index) => prepared[index] !== undefined);
  return { indexes, ready: indexes.map((index) => prepared[index]?.value) };
}
