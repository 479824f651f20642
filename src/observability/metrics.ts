// Folds events into counters. It only listens.
import type { Events } from "./bus.ts";
import type { KilledReason } from "./catalogue.ts";

export interface Counters {
  /** Runs ended, by `ok` or failure kind. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly killed: Readonly<Partial<Record<KilledReason, number>>>;
  readonly created: number;
  readonly stillborn: number;
  readonly destroyed: number;
  readonly restarts: number;
  readonly rebuilds: number;
  readonly cellsStarted: number;
  readonly cellsExited: Readonly<Record<string, number>>;
  readonly quarantined: number;
  readonly collected: number;
}

type Tally = Record<string, number>;

export class Metrics {
  readonly #outcomes: Tally = {};
  readonly #killed: Tally = {};
  readonly #cellsExited: Tally = {};
  readonly #counts = {
    created: 0,
    stillborn: 0,
    destroyed: 0,
    restarts: 0,
    rebuilds: 0,
    cellsStarted: 0,
    quarantined: 0,
    collected: 0,
  };

  constructor(events: Events) {
    const count = this.#counts;
    events.on("sandbox.run.stop", ({ result }) => add(this.#outcomes, result));
    events.on("sandbox.killed", ({ reason }) => add(this.#killed, reason));
    events.on(
      "sandbox.create.stop",
      ({ result }) => void (result === "ok" ? count.created++ : count.stillborn++),
    );
    events.on("sandbox.destroy.stop", () => void count.destroyed++);
    events.on("sandbox.restart.stop", () => void count.restarts++);
    events.on("sandbox.rebuilt", () => void count.rebuilds++);
    events.on("cell.started", () => void count.cellsStarted++);
    events.on("cell.exited", ({ cause }) => add(this.#cellsExited, cause));
    events.on("cell.quarantined", () => void count.quarantined++);
    events.on("gc.collected", ({ expired, failed }) => void (count.collected += expired + failed));
  }

  counters(): Counters {
    return {
      ...this.#counts,
      outcomes: { ...this.#outcomes },
      killed: { ...this.#killed },
      cellsExited: { ...this.#cellsExited },
    };
  }
}

function add(tally: Tally, name: string): void {
  tally[name] = (tally[name] ?? 0) + 1;
}
