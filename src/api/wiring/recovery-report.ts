// What a runtime found in its store when it started: told once as an event, and in `health()` from then on.
import type { Bus } from "../../observability/bus.ts";
import type { Recovered } from "../../observability/catalogue.ts";
import type { Registry } from "../../orchestration/sandboxes/registry.ts";
import type { Clock, Timer } from "../../std/clock.ts";
import type { Restored } from "./restore.ts";

const problemsMax = 100;

export interface RecoveryParts {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly registry: Registry;
  readonly startedMs: number;
}

export class RecoveryReport {
  #report: Recovered | undefined;
  #isClosed = false;
  #telling: Timer | undefined;

  /** Null until all that start by themselves are loaded. */
  get value(): Recovered | null {
    return this.#report ?? null;
  }

  /** Sums up when all is restored; whoever listens as soon as the runtime is there hears of it. */
  async complete(
    { loaded, problems, failedBefore }: Restored,
    { clock, bus, registry, startedMs }: RecoveryParts,
  ): Promise<void> {
    const restored = [...registry.all()].filter(({ isRestored }) => isRestored);
    await loaded;
    if (this.#isClosed) return;
    // After the caller of createRuntime() had its turn to subscribe.
    await new Promise<void>((resolve) => {
      this.#telling = clock.after(0, resolve);
    });
    const lost = restored.filter(({ id, status }) => status === "failed" && !failedBefore.has(id));
    const sentences = lost.map(({ id, reason }) => `Sandbox "${id}" has failed: ${reason}`);
    this.#report = {
      sandboxes: restored.length,
      loaded: restored.filter(({ place }) => place?.isLoaded === true).length,
      suspended: restored.filter(({ status }) => status === "suspended").length,
      failed: restored.filter(({ status }) => status === "failed").length,
      problems: [...problems, ...sentences].slice(0, problemsMax),
      tombstones: registry.tombstones,
      durationMs: clock.monotonic() - startedMs,
    };
    bus.emit("store.recovered", this.#report);
  }

  close(): void {
    this.#isClosed = true;
    this.#telling?.cancel();
  }
}
