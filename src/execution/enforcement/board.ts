// Memory shared by the orchestrator's main thread and its watchdog thread: bounds and findings about each cell. Neither thread
// ever waits for the other.

export const cellsMax = 256;

const offsets = {
  inFlight: 0,
  memoryBytesMax: 1,
  rssBytesMax: 2,
  heapBytes: 3,
  rssBytes: 4,
  cause: 5,
  culpritOp: 6,
  culpritKey: 7,
  insideOp: 8,
  insideCpuMs: 9,
} as const;
type Field = keyof typeof offsets;
const fieldCount = Object.keys(offsets).length;

const awake = 0;
const asleep = 1;
const wakeBytes = Float64Array.BYTES_PER_ELEMENT;

/** The causes in the order of their numbers on the board; 0 is none. */
export const boardCauses = ["none", "deadline", "memory", "stopped", "stalled", "frozen", "threads"] as const;

export class Board {
  readonly shared: SharedArrayBuffer;
  readonly #wake: Int32Array;
  readonly #cells: Float64Array;

  constructor(shared?: SharedArrayBuffer) {
    this.shared =
      shared ?? new SharedArrayBuffer(wakeBytes + cellsMax * fieldCount * Float64Array.BYTES_PER_ELEMENT);
    this.#wake = new Int32Array(this.shared, 0, 1);
    this.#cells = new Float64Array(this.shared, wakeBytes);
  }

  get(cell: number, field: Field): number {
    return this.#cells[cell * fieldCount + offsets[field]] ?? 0;
  }

  set(cell: number, field: Field, value: number): void {
    this.#cells[cell * fieldCount + offsets[field]] = value;
  }

  clear(cell: number): void {
    this.#cells.fill(0, cell * fieldCount, (cell + 1) * fieldCount);
  }

  /** Wakes the other thread; cheap while it does not sleep. */
  wake(): void {
    if (Atomics.exchange(this.#wake, 0, awake) === asleep) Atomics.notify(this.#wake, 0);
  }

  /** Blocks the thread for so long. */
  nap(timeoutMs: number): void {
    Atomics.wait(this.#wake, 0, awake, timeoutMs);
  }

  /** Blocks the thread until it is woken, at most so long. */
  sleep(timeoutMs: number): void {
    Atomics.store(this.#wake, 0, asleep);
    Atomics.wait(this.#wake, 0, asleep, timeoutMs);
    Atomics.store(this.#wake, 0, awake);
  }
}
