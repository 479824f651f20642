// One change of each sandbox of a batch: an error is the result of its item, and what cuts the batch short ends all of them.
import { asVivariumError, CancelledError, LoadError, type VivariumError } from "../../model/errors.ts";
import type { BatchRun } from "../../orchestration/evaluation/batch.ts";
import { isSandbox } from "../options/batch-items.ts";
import type { BatchResult } from "../types/batch.ts";
import type { LaunchItem } from "./batch-runs.ts";
import { cutSentence } from "../../model/runs/unbegun.ts";

export type Item = Pick<LaunchItem, "index" | "id">;

/** How a batch does this to each of its items. */
export function changing<T>(
  act: (item: Item, signal: AbortSignal) => Promise<T>,
): Pick<BatchRun<Item, BatchResult<T>>, "start" | "cancel" | "unstarted"> {
  // What cuts a batch short ends all that is under way.
  const cut = new AbortController();
  return {
    start: (item, done) => {
      const { index, id } = item;
      Promise.try(act, item, cut.signal).then(
        (value) => done({ index, sandboxId: isSandbox(value) ? value.id : id, ok: true, value }),
        (error: unknown) =>
          done({ index, sandboxId: idOf(error) ?? id, ok: false, error: errorOf(error, cut.signal) }),
      );
    },
    cancel: (_item, reason) => cut.abort(cutSentence(reason)),
    unstarted: ({ index, id }, reason) => {
      const error = new CancelledError("an item of the batch", cutSentence(reason));
      return { index, sandboxId: id, ok: false, error };
    },
  };
}

// A sandbox that was given no id has one all the same, also where its code failed.
function idOf(error: unknown): string | undefined {
  return error instanceof LoadError ? error.sandboxId : undefined;
}

// An item that its batch cut short says so.
function errorOf(error: unknown, { aborted, reason }: AbortSignal): VivariumError {
  const isCut = aborted && error instanceof CancelledError;
  return isCut ? new CancelledError("an item of the batch", String(reason)) : asVivariumError(error);
}
