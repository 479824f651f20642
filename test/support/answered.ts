// What a cell says of an operation that went well.
import type { DoneItem } from "../../src/execution/protocol/messages.ts";

/** An answer as an honest cell would give it. */
export const answered = (op: number, more: Partial<DoneItem> = {}): DoneItem => ({
  op,
  verdict: "answered",
  answer: 42,
  startedUs: 1,
  wallUs: 1,
  cpuUs: 1,
  outputBytes: 0,
  fuel: null,
  isLost: false,
  ...more,
});
