// What all lanes of the soak share: what was acknowledged so far, how operations ended, and how long asks took.
import { VivariumError, type Runtime } from "../../../src/index.ts";
import { after, isSame, type Seen, type Step } from "../../restart/kills/expected.ts";

/** Ends of honest work that a neighbour's fault may cause; nothing else may go wrong. */
const lostCells: ReadonlySet<string> = new Set(["cell-lost", "CELL_LOST"]);
/** Faults that are kept as text; the others are only counted. */
const faultsMax = 200;
/** Of how many destroyed sandboxes the tombstones are asked for in the end: fewer than there are tombstones. */
const destroyedMax = 200;

/** Honest work that did not come to its end, with the kind of failure or the code of the error. */
export class Unfinished extends Error {
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(`${kind}: ${message}`);
    this.kind = kind;
  }
}

export class Account {
  /** What was acknowledged of each sandbox that lives. */
  readonly living = new Map<string, Seen>();
  /** The numbers in documents. */
  readonly documents = new Map<string, number>();
  /** The latest that were destroyed, the oldest first. */
  readonly destroyed: string[] = [];
  readonly faults: string[] = [];
  faultCount = 0;
  operations = 0;
  /** Honest operations that a lost cell ended. */
  lost = 0;
  hostileRuns = 0;
  /** Hostile programs that came to an end that does not fit them. */
  readonly unfitting: string[] = [];
  unfittingCount = 0;
  cellsEnded = 0;
  /** How long asks took that were answered after their state was stored. */
  readonly askMs = new Times();
  /** How long writes of documents took: the store alone. */
  readonly writeMs = new Times();
  readonly #onFault: (text: string) => void;
  #number = 0;

  /** `onFault` is called with each fault. */
  constructor(onFault: (text: string) => void = () => {}) {
    this.#onFault = onFault;
  }

  /** A number that was not used before. */
  next(): number {
    return ++this.#number;
  }

  fault(text: string): void {
    this.faultCount++;
    this.#onFault(text);
    if (this.faults.length < faultsMax) this.faults.push(text);
  }

  objectTo(end: string): void {
    this.unfittingCount++;
    if (this.unfitting.length < faultsMax) this.unfitting.push(end);
  }

  /** Does something; a failure of a kind that nobody can be blamed for is counted, any other is a fault. */
  async attempt(what: string, act: () => Promise<void>): Promise<boolean> {
    this.operations++;
    try {
      await act();
      return true;
    } catch (error) {
      const kind = kindOf(error);
      if (lostCells.has(kind)) this.lost++;
      else this.fault(`${what}: ${kind}: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }

  acknowledge(id: string, step: Step): void {
    const next = after(this.living.get(id), step);
    if (next === undefined) this.living.delete(id);
    else this.living.set(id, next);
  }

  /** After a step whose end is unknown: what is found must be what was before it, or what it makes. */
  settle(id: string, step: Step, found: Seen | undefined): void {
    const before = this.living.get(id);
    if (isSame(found, before)) return;
    if (isSame(found, after(before, step))) return this.acknowledge(id, step);
    const told = `told ${JSON.stringify(before)}, found ${JSON.stringify(found)}`;
    this.fault(`${id}: neither before nor after ${JSON.stringify(step)}: ${told}`);
    if (found !== undefined) this.living.set(id, found);
    else this.living.delete(id);
  }

  noteDestroyed(id: string): void {
    this.destroyed.push(id);
    if (this.destroyed.length > destroyedMax) this.destroyed.shift();
  }
}

/** Durations since they were last taken. */
class Times {
  #ms: number[] = [];

  note(ms: number): void {
    this.#ms.push(ms);
  }

  /** The median and the 99th percentile of those since the last time. */
  take(): { readonly median: number; readonly p99: number } {
    const sorted = this.#ms.sort((a, b) => a - b);
    this.#ms = [];
    return { median: sorted[sorted.length >> 1] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
  }
}

/** One of several that work at the same time until the run is over. */
export interface Shared {
  readonly runtime: Runtime;
  readonly account: Account;
  readonly isOver: () => boolean;
}

/** The kind or the code of an error. */
export function kindOf(error: unknown): string {
  if (error instanceof Unfinished) return error.kind;
  if (error instanceof VivariumError) return error.code;
  const cause = (error as { readonly failure?: { readonly kind?: string } }).failure;
  return cause?.kind ?? "untyped";
}
