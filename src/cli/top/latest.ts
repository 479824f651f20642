// The latest of those events that somebody who looks at a runtime wants to know, in a few words each.
import type { AnyEvent, Events } from "../../index.ts";
import { red, yellow, type Line } from "../display/lines.ts";

/** A sentence about an event with its time; undefined for one that is not told. */
function eventLine({ name, event }: AnyEvent): Line | undefined {
  switch (name) {
    case "sandbox.killed":
      return [yellow("killed "), `${event.sandboxId}: ${event.reason}`];
    case "sandbox.failed":
      return [red("failed "), `${event.sandboxId}: ${event.reason}`];
    case "sandbox.rebuilt":
      return [yellow("rebuilt "), `${event.sandboxId}: ${event.reason}`];
    case "cell.exited":
      return [
        yellow("cell "),
        `${event.cell} ended: ${event.cause}${event.detail === "" ? "" : `, ${event.detail}`}`,
      ];
    case "cell.quarantined":
      return [red("quarantined "), `${event.sandboxId}: ${event.why}`];
    case "cell.breaker":
      return [
        red("cells "),
        `${event.state === "open" ? "are not started" : "are started again"}: ${event.why}`,
      ];
    case "security.rejected":
      return [red("rejected "), `${event.sandboxId}: ${event.rule}`];
    case "security.denied":
      return [red("denied "), `${event.sandboxId}: ${event.what}`];
    case "store.degraded":
      return [red("store "), event.reason];
    default:
      return undefined;
  }
}

export interface Latest {
  readonly at: number;
  readonly line: Line;
}

/** Follows the events of a runtime and keeps the latest so many of those that are told. */
export class LatestEvents implements Disposable {
  readonly #kept: Latest[] = [];
  readonly #stop: () => void;

  constructor(events: Events, countMax: number) {
    this.#stop = events.onAny((event) => {
      const line = eventLine(event);
      if (line === undefined) return;
      this.#kept.unshift({ at: event.at, line });
      this.#kept.length = Math.min(this.#kept.length, countMax);
    });
  }

  /** The latest first. */
  get list(): readonly Latest[] {
    return this.#kept;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
