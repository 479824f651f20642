// The events of a runtime, counted: what starts must stop, and what is lost must be told.
import type { Runtime } from "../../src/api/types/runtime.ts";
import type { AnyEvent } from "../../src/observability/bus.ts";
import type { Ledger } from "./ledger.ts";

const spans = ["create", "hotReload", "restart", "destroy", "evaluate"] as const;

export class EventBook {
  readonly #ledger: Ledger;
  readonly #underway = new Map<string, number>();
  readonly #runs = new Set<number>();
  #stop: (() => void) | undefined;

  readonly #onFailed: (id: string) => void;

  /** `onFailed` hears of a sandbox that failed: it may begin again by itself. */
  constructor(ledger: Ledger, onFailed: (id: string) => void) {
    this.#ledger = ledger;
    this.#onFailed = onFailed;
  }

  follow(runtime: Runtime): void {
    this.forget();
    this.#stop = runtime.events.onAny((event) => this.#note(event));
  }

  /** The runtime is gone, and with it what it would have told. */
  forget(): void {
    this.#stop?.();
    this.#underway.clear();
    this.#runs.clear();
  }

  /** What started and has not stopped, though nothing is under way. */
  unpaired(): string[] {
    const open = [...this.#underway].filter(([, count]) => count !== 0);
    return [
      ...open.map(([name, count]) => `${name} started ${count} times more than it stopped`),
      ...[...this.#runs].map((id) => `run ${id} started and did not stop`),
    ];
  }

  #note({ name, event }: AnyEvent): void {
    if (name === "sandbox.rebuilt" || name === "sandbox.restart.start") this.#ledger.lose(event.sandboxId);
    if (name === "sandbox.failed") this.#onFailed(event.sandboxId);
    if (name === "sandbox.run.start") this.#runs.add(event.runId);
    if (name === "sandbox.run.stop" && !this.#runs.delete(event.runId))
      this.#ledger.blame("events", `run ${event.runId} stopped twice, or without a start`);
    for (const span of spans) {
      const by = name === `sandbox.${span}.start` ? 1 : 0;
      const less = name === `sandbox.${span}.stop` || name === `sandbox.${span}.exception` ? 1 : 0;
      if (by + less === 0) continue;
      this.#underway.set(span, (this.#underway.get(span) ?? 0) + by - less);
    }
  }
}
