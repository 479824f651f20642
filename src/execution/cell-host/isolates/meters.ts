// What a sandbox uses, counted on the cell's side: heap samples, processor share, console output.
import type { BootedIsolate } from "./booted-isolate.ts";
import type { HeapSample } from "../../protocol/messages.ts";

/** After so many runs the heap is looked at, however short they were. */
export const runsPerSample = 32;
const longRunMs = 1;
const windowMs = 1_000;

/**
 * Samples an isolate's heap: after every millisecond of running, and every so often after shorter runs (a sample costs as much
 * as a short run).
 */
export class HeapMeter {
  readonly #booted: BootedIsolate;
  readonly #key: number;
  /** There are processes to be counted. */
  hasProcesses = false;
  #peakBytes = 0;
  #runsSinceSample = runsPerSample;
  #ranMsSinceSample = 0;
  #latest: HeapSample | undefined;

  constructor(key: number, booted: BootedIsolate) {
    this.#key = key;
    this.#booted = booted;
  }

  /** Whether a sample is due after a run of this length. */
  isDue(runMs: number): boolean {
    this.#ranMsSinceSample += runMs;
    return ++this.#runsSinceSample > runsPerSample || this.#ranMsSinceSample > longRunMs;
  }

  /** The next run ends with a sample. */
  expire(): void {
    this.#runsSinceSample = runsPerSample;
  }

  /** The latest sample that was not taken yet, for the orchestrator. */
  take(): HeapSample | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  /**
   * Samples now: the bytes that its isolate holds in all, inside the heap and beside it; 0 when it is gone. It must be idle: a
   * busy one would block this thread.
   */
  sample(): number {
    this.#runsSinceSample = 0;
    this.#ranMsSinceSample = 0;
    const { isolate } = this.#booted;
    const held = isolate.held();
    if (held === undefined) return 0;
    const heapBytes = isolate.partOf(held.heapBytes);
    this.#peakBytes = Math.max(this.#peakBytes, heapBytes);
    const [processes, processesMax, queueMax] = this.hasProcesses ? usageOf(this.#booted) : [0, 0, 0];
    this.#latest = {
      key: this.#key,
      heapBytes,
      heapPeakBytes: this.#peakBytes,
      externalBytes: Math.round(held.externalBytes / Math.max(1, isolate.shared.size)),
      processes,
      processesMax,
      queueMax,
      isolate: isolate.shared.number,
      sandboxes: isolate.shared.size,
    };
    return held.heapBytes + held.externalBytes;
  }
}

const usageMs = 10;

// How many processes there are, the most that there ever were, and the longest that a mailbox ever was.
function usageOf({ guest, isolate }: BootedIsolate): [number, number, number] {
  try {
    const text = guest.processUsage.applySync(undefined, [], { timeout: usageMs }) as string;
    const [processes = 0, processesMax = 0, queueMax = 0] = text.split(" ").map(Number);
    return [processes, processesMax, queueMax];
  } catch {
    isolate.checkGone();
    return [0, 0, 0];
  }
}

interface Point {
  readonly atMs: number;
  readonly cpuMs: number;
}

/** Processor time over the last second. */
export class CpuWindow {
  #points: Point[] = [];

  /** Adds a reading of the processor time used in all; returns how much of it was used in the last second, at least. */
  note(atMs: number, cpuMs: number): number {
    const windowStartMs = atMs - windowMs;
    this.#points.push({ atMs, cpuMs });
    while ((this.#points[1]?.atMs ?? Infinity) <= windowStartMs) this.#points.shift();
    const [first = { atMs, cpuMs }, second] = this.#points;
    // What may have been used before the window began, between two readings, does not count.
    const unseenMs = (second?.cpuMs ?? cpuMs) - first.cpuMs;
    return cpuMs - first.cpuMs - Math.min(unseenMs, Math.max(0, windowStartMs - first.atMs));
  }
}

type Line = readonly [level: number, text: string];

const newlineBytes = 1;

/** Collects console lines for the orchestrator, up to the limit of a run. */
export class OutputMeter {
  #bytesMax: number;
  #lines: Line[] = [];
  #bytes = 0;
  #unsentBytes = 0;
  #isOver = false;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes written since they were last drained. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  /** Bytes written since the last start. */
  get bytes(): number {
    return this.#bytes;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resets the counter, for a new run or a new second without one. */
  restart(bytesMax: number): void {
    this.#bytesMax = bytesMax;
    this.#bytes = 0;
    this.#isOver = false;
  }

  /** Takes a line that is not the guest's own: where there is no room for it, it is dropped, and the output is not over. */
  note(level: number, text: string): void {
    if (this.#bytes + Buffer.byteLength(text) + newlineBytes <= this.#bytesMax) this.write(level, text);
  }

  /** Takes a line; false when the output is used up. The line that exceeds the limit is cut, with a note. */
  write(level: number, text: string): boolean {
    if (this.#isOver) return false;
    const bytes = Buffer.byteLength(text) + newlineBytes;
    this.#unsentBytes += bytes;
    this.#isOver = this.#bytes + bytes > this.#bytesMax;
    if (this.#isOver) {
      const room = Math.max(0, this.#bytesMax - this.#bytes);
      this.#lines.push([
        level,
        `${Buffer.from(text).subarray(0, room).toString()}… (output cut at ${this.#bytesMax} bytes)`,
      ]);
      this.#bytes = this.#bytesMax;
    } else {
      this.#lines.push([level, text]);
      this.#bytes += bytes;
    }
    return !this.#isOver;
  }

  /** The lines since the last call. */
  drain(): readonly Line[] {
    if (this.#lines.length === 0) return [];
    const lines = this.#lines;
    this.#lines = [];
    this.#unsentBytes = 0;
    return lines;
  }
}
