// Who is inside which isolate of a simulated cell, as its slate tells the orchestrator.
import type { Suspect } from "../../src/execution/cell.ts";

interface Entry extends Suspect {
  readonly startedMs: number;
}

export class FakeSlate {
  readonly #entries = new Map<number, Entry>();
  lastBegun = 0;
  #lastStarted = 0;

  // One that waited for its sandbox begins after later ones: then any of these may have begun.
  enter(slot: number, entry: Entry): void {
    this.#entries.set(slot, entry);
    if (slot === 0 && entry.op > this.lastBegun) this.lastBegun = entry.op;
    if (slot === 0 && this.#lastStarted > entry.op)
      this.lastBegun = Math.max(this.lastBegun, this.#lastStarted + 0.5);
    this.#lastStarted = Math.max(this.#lastStarted, entry.op);
  }

  leave(slot: number): void {
    this.#entries.delete(slot);
  }

  inMainLane(): Entry | undefined {
    return this.#entries.get(0);
  }

  inside(): Suspect[] {
    return [...this.#entries.values()].map(({ op, key }) => ({ op, key }));
  }
}
