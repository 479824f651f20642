// How a run ended, as a cell reports it.
import type { DoneItem } from "../../src/execution/protocol/messages.ts";

/** A run that was answered so. */
export function doneItem(op: number, answer: number | string): DoneItem {
  return {
    op,
    verdict: "answered",
    answer,
    startedUs: 1,
    wallUs: 2,
    cpuUs: 3,
    outputBytes: 0,
    fuel: null,
    isLost: false,
  };
}
