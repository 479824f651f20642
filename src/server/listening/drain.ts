// How a server ends: no new work, what is under way may finish for a while, and what is left then is cut.
import type { Server as NodeServer } from "node:http";
import type { Clock } from "../../std/clock.ts";
import type { Connections } from "./connections.ts";

export interface DrainReport {
  /** Requests that were cut as they took too long. */
  readonly aborted: number;
}

export class Drain {
  readonly #server: NodeServer;
  readonly #connections: Connections;
  readonly #clock: Clock;
  readonly #endless = new AbortController();
  #begun = false;
  #onIdle: (() => void) | undefined;

  constructor(server: NodeServer, connections: Connections, clock: Clock) {
    this.#server = server;
    this.#connections = connections;
    this.#clock = clock;
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** Aborted when it begins: for answers that have no end of their own. */
  get endless(): AbortSignal {
    return this.#endless.signal;
  }

  /** To be called whenever a request has ended. */
  look(): void {
    if (this.#begun && this.#connections.requests === 0) this.#onIdle?.();
  }

  /** What is under way may go on for `withinMs`, and probes are answered meanwhile; then nothing is left open. */
  async run(withinMs: number): Promise<DrainReport> {
    this.#begun = true;
    this.#endless.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = this.#clock.after(withinMs, resolve);
    this.look();
    await promise;
    timer.cancel();
    const aborted = this.#connections.requests;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#connections.destroyAll();
    await closed;
    return { aborted };
  }

  /** Ends a wait that is under way. */
  hasten(): void {
    this.#onIdle?.();
  }
}
