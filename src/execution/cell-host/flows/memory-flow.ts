// Whether a sandbox holds more memory than it may. The engine checks its heap limit only when it collects garbage, and one
// large array is there before that; so the cell looks by itself after runs and turns. A look is cheap and counts garbage too:
// only where it is over the limit is garbage collected, and what is left then decides.
import type { Box } from "../box.ts";
import { applying, type EntryRequest, type Flow } from "./entry-request.ts";

/** No guest code runs meanwhile: long, as a heap of gigabytes takes seconds on a slow machine. */
const collectingMs = 30_000;

export interface Weighing {
  /** How long the guest was inside since the last time. */
  readonly ranMs: number;
  /** A look is due, whatever was seen lately. */
  readonly isInQuestion?: boolean;
  /** A buffer was refused: the slack of the engine is used up, and does not count. */
  readonly isRefused?: boolean;
}

/** Looks where a look is due. True when the sandbox holds too much: its isolate is then disposed of. */
export function* weighFlow(box: Box, weighing: Weighing): Flow<boolean> {
  const { ranMs, isInQuestion = false, isRefused = false } = weighing;
  const { heap } = box;
  const isDue = heap.isDue(ranMs);
  if (box.isLost || !(isDue || isInQuestion || isRefused || box.isMemoryLowered)) return false;
  const isOver = (): boolean => box.isOverweight(heap.sample(), { hasSlack: !isRefused });
  if (!isOver()) return false;
  // While the engine still says.
  box.cpuMs();
  yield collecting(box);
  // The engine has ended an isolate that is over the limit that it was made with.
  if (!box.isLost && !isOver()) return false;
  box.dispose("memory");
  return true;
}

// The engine's own check collects garbage only above the limit that the isolate was made with.
function collecting({ isMemoryLowered, guest, isolate }: Box): EntryRequest {
  if (isMemoryLowered) return applying(guest.collectGarbage, [], collectingMs);
  return {
    budgetMs: collectingMs,
    now: () => isolate.checkHeapNow(),
    later: () => isolate.checkHeapLater(),
  };
}
