// Events that were recorded, told to a tracker one after the other, as if they happened now. They may be damaged in any way, and the
// oldest may be missing: what cannot be is left out.
import type { AnyEvent, Events } from "../observability/bus.ts";
import type { EventName } from "../observability/catalogue.ts";
import { isRecord } from "../model/schema.ts";
import type { Tracker } from "./tracker.ts";

type Act = (event: never) => void;

export class RecordedEvents {
  readonly #tracker: Tracker;
  readonly #acts = new Map<EventName, Act>();

  constructor(tracker: Tracker) {
    this.#tracker = tracker;
    const events: Events = {
      on: (name, act) => {
        this.#acts.set(name, act);
        return () => this.#acts.delete(name);
      },
      onAny: () => () => undefined,
      publish: () => undefined,
    };
    tracker.follow(events);
  }

  /** Returns whether it could be: false for an event that says nothing of use. */
  tell({ name, event }: AnyEvent): boolean {
    if (!isRecord(event)) return false;
    try {
      if (name === "lineage.born") this.#forget(event.sandboxId, event.createdAt);
      if (name === "fitness.adjusted")
        this.#tracker.fitness.adjust(event.sandboxId, event.delta, event.reason);
      // What listens was given under this name, and checks what it is told.
      else this.#acts.get(name)?.(event as never);
      return true;
    } catch {
      return false;
    }
  }

  // That an earlier one of the same id is gone may have been lost.
  #forget(id: string, createdAt: number): void {
    const living = this.#tracker.table.livingOf(id);
    if (living !== undefined && living.createdAt !== createdAt) this.#tracker.lineage.died(id);
  }
}
