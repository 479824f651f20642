// Bombs that an escaped guest would drop, bit by bit: without end in its own mind, and bounded here.
import type { Native } from "./native.ts";

/** Far more than a cell may have, and far less than a machine has. */
const threadsMax = 4_000;
const memoryBytesMax = 1_200 * 2 ** 20;
const memoryStepBytes = 32 * 2 ** 20;
const threadsPerStep = 400;

let threads = 0;
const held: Uint8Array[] = [];

export const bombs = {
  threads(native) {
    for (let n = 0; n < threadsPerStep && threads < threadsMax; n++)
      if (native.startThread() === 0) threads++;
  },
  memory() {
    if (held.length * memoryStepBytes < memoryBytesMax) held.push(Buffer.alloc(memoryStepBytes, 1));
  },
} as const satisfies Readonly<Record<string, (native: Native) => void>>;
