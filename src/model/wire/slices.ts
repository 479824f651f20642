// Reads a value from a text that is not trusted, on the host's thread: long ones in slices, so that the event loop goes on in
// between, and with the same budget that the writer has. For the host alone: guests could replace what generators use.
import { Budget, isTooDeep } from "./budget.ts";
import { parseWhole, TableReader } from "./decode.ts";
import { bad, MalformedError, tooCostly } from "./malformed.ts";
import type { StackOf } from "./shells.ts";

/** What slices need of the machine. */
export interface Slicing {
  /** Wall time in milliseconds. */
  nowMs(): number;
  /** Processor time of this thread in milliseconds. */
  cpuMs(): number;
  /** Resolves when a long text may be begun, with a function to call when it is read. */
  begin(length: number): Promise<() => void>;
  /** Resolves in a later turn of the event loop, in which nothing else is sliced. */
  pause(): Promise<void>;
  /** The form that the stacks of errors are given. */
  readonly stackOf?: StackOf | undefined;
  /** Whether anybody waits for the value yet; without one, reading ends with undefined. */
  isWanted(): boolean;
}

/** A value, or why there is none. */
export type Read = { readonly value: unknown } | { readonly malformed: MalformedError };

const sliceMs = 1;
/** A text of this length is not begun before its turn: parsing it alone may take longer than a slice. */
const lengthToWait = 65_536;
/** Parts that are handled between two looks at the clock. */
const stepParts = 256;

/** Reads a text of at most `bytesMax` bytes: at once where one slice suffices, otherwise later. */
export function readInSlices(text: string, bytesMax: number, slicing: Slicing): Read | Promise<Read> {
  const steps = stepsOf(text, bytesMax, slicing);
  const atOnce = text.length < lengthToWait ? runSlice(steps, slicing) : undefined;
  return atOnce ?? runLater(steps, text.length, slicing);
}

/** The same at once, for a text that is short. */
export function readAtOnce(text: string, bytesMax: number, stackOf?: StackOf): Read {
  try {
    if (text[0] === "V") {
      const reader = new TableReader(parseWhole(text), new Budget(bytesMax), stackOf);
      reader.work(Infinity);
      return { value: reader.value };
    }
    return { value: plainOf(text) };
  } catch (error) {
    if (error instanceof MalformedError) return { malformed: error };
    throw error;
  }
}

const tooDeep = (): MalformedError => bad("it is nested too deep");

// The value of a text that is no table.
function plainOf(text: string): unknown {
  if (isPlainString(text)) return text.slice(1, -1);
  if (isTooDeep(text)) throw tooDeep();
  return parseWhole(text);
}

const longStringLength = 16_384;

// A long string in which nothing is escaped is what stands between its quotes, which needs no parser.
function isPlainString(text: string): boolean {
  const isLong = text.length >= longStringLength && text.startsWith('"');
  return isLong && text.indexOf('"', 1) === text.length - 1 && !text.includes("\\");
}

const unwanted: Read = { value: undefined };

async function runLater(steps: Generator<void, unknown>, length: number, slicing: Slicing): Promise<Read> {
  const end = await slicing.begin(length);
  try {
    for (;;) {
      await slicing.pause();
      const read = slicing.isWanted() ? runSlice(steps, slicing) : unwanted;
      if (read !== undefined) return read;
    }
  } finally {
    end();
  }
}

// Errors are made without looking at the stack: theirs is in the text.
function runSlice(steps: Generator<void, unknown>, slicing: Slicing): Read | undefined {
  const endMs = slicing.nowMs() + sliceMs;
  // V8 has it; the types that guests share do not.
  const errors = Error as ErrorConstructor & { stackTraceLimit: number };
  const { stackTraceLimit } = errors;
  errors.stackTraceLimit = 0;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return { value: step.value };
      if (slicing.nowMs() >= endMs) return undefined;
    }
  } catch (error) {
    if (error instanceof MalformedError) return { malformed: error };
    throw error;
  } finally {
    errors.stackTraceLimit = stackTraceLimit;
  }
}

function* stepsOf(text: string, bytesMax: number, slicing: Slicing): Generator<void, unknown> {
  if (text.length > bytesMax) throw tooCostly();
  if (text[0] !== "V") return plainOf(text);
  const reader = new TableReader(parseWhole(text), new Budget(bytesMax), slicing.stackOf);
  const watch = new HashWatch(slicing);
  for (;;) {
    const beforeMs = reader.isHashing ? slicing.cpuMs() : 0;
    const isDone = reader.work(stepParts);
    if (isDone) return reader.value;
    if (beforeMs > 0 && reader.isHashing) watch.note(slicing.cpuMs() - beforeMs);
    yield;
  }
}

/** A step that takes no longer is not looked at: 2 µs for each key. */
const quietMs = (stepParts * 2) / 1_000;
/** How much longer a step may take than one that fills a Set with numbers that were not chosen. */
const ratioMax = 20;
const strikesMax = 4;

/**
 * Notices that keys were chosen to have the same hash, which V8 makes of numbers and bigints without a secret: then filling is
 * slow in every step, and far slower than filling another Set at the same moment on the same machine.
 */
class HashWatch {
  readonly #slicing: Slicing;
  #strikes = 0;

  constructor(slicing: Slicing) {
    this.#slicing = slicing;
  }

  /** A step took this long; throws where several in a row took far too long. */
  note(tookMs: number): void {
    const isSlow = tookMs > quietMs && tookMs > ratioMax * this.#controlMs();
    this.#strikes = isSlow ? this.#strikes + 1 : 0;
    if (this.#strikes >= strikesMax)
      throw new MalformedError("the encoded value has a Map or Set whose keys have the same hash");
  }

  #controlMs(): number {
    const beforeMs = this.#slicing.cpuMs();
    const control = new Set<number>();
    for (let i = 0; i < stepParts; i++) control.add(i * 7919);
    return Math.max(this.#slicing.cpuMs() - beforeMs, control.size / 1e6);
  }
}
