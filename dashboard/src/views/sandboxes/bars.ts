// What a sandbox uses, against what it may use. What was never sampled is unknown, and so is what has no limit.
import type { LogLine, SandboxInfo } from "../../../../src/index.ts";
import { bytesText, countText, durationText } from "../../text.ts";
import { isSampled } from "./list.ts";

export interface Bar {
  readonly name: string;
  /** Null: unknown. */
  readonly used: number | null;
  /** Null: there is no limit. */
  readonly limit: number | null;
  readonly text: (value: number | null) => string;
  /** What the figure means, in half a sentence. */
  readonly about: string;
}

/** Between 0 and 1; null where either is not known. */
export function shareOf({ used, limit }: Pick<Bar, "used" | "limit">): number | null {
  if (used === null || limit === null) return null;
  return limit === 0 ? (used === 0 ? 0 : 1) : Math.max(0, Math.min(1, used / limit));
}

/** How near to the limit it is, as a word, so that it is not said by a colour alone. */
export function levelOf(share: number | null): "" | "near the limit" | "at the limit" {
  if (share === null || share < 0.8) return "";
  return share < 1 ? "near the limit" : "at the limit";
}

export function usageBars(
  info: SandboxInfo,
  at: { readonly now: number; readonly logs: readonly LogLine[] | null },
): readonly Bar[] {
  const { usage, limits, createdAt, status } = info;
  const sampled = (value: number): number | null => (isSampled(info) ? value : null);
  const { heapBytes, heapPeakBytes, externalBytes, processes, processesMax, queueMax } = usage;
  const memory = { limit: limits.memoryBytes, text: bytesText };
  const bars: Bar[] = [
    {
      ...memory,
      name: "Memory",
      used: sampled(heapBytes + externalBytes),
      about: "heap and external memory, latest sample",
    },
    { ...memory, name: "Heap, peak", used: sampled(heapPeakBytes), about: "the highest sample of the heap" },
    {
      name: "Processes",
      used: sampled(processes),
      limit: limits.processes,
      text: countText,
      about: `at most ${countText(sampled(processesMax))} at a time so far`,
    },
    {
      name: "Longest queue",
      used: sampled(queueMax),
      limit: limits.messageQueue,
      text: countText,
      about: "the greatest length of any mailbox so far",
    },
    {
      name: "Logs kept",
      used: at.logs === null ? null : logBytes(at.logs),
      limit: limits.logBytes,
      text: bytesText,
      about: "console output that is stored",
    },
  ];
  if (limits.lifetimeMs !== null && status !== "stopped")
    bars.push({
      name: "Lifetime",
      used: Math.max(0, at.now - createdAt),
      limit: limits.lifetimeMs,
      text: durationText,
      about: "age at which it is collected",
    });
  return bars;
}

const encoder = new TextEncoder();

function logBytes(logs: readonly LogLine[]): number {
  return logs.reduce((sum, { text }) => sum + encoder.encode(text).length, 0);
}
