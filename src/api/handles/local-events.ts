// The events of a runtime as its users subscribe to them: whoever waits for an event keeps the process alive.
import type { Bus, Events } from "../../observability/bus.ts";
import { boolean, fields, type Shape } from "../../model/schema.ts";
import type { SubscriptionOptions } from "../../observability/bus.ts";
import { beginListening } from "../../std/keep-alive.ts";

const subscriptionOptions = fields({ background: boolean(false) } satisfies Shape<SubscriptionOptions>);

export class LocalEvents implements Events {
  readonly #bus: Bus;
  readonly #holds = new Set<() => void>();
  #isOver = false;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  on: Events["on"] = (name, act, options) => this.#holding(options, () => this.#bus.on(name, act));

  onAny: Events["onAny"] = (act, options) => this.#holding(options, () => this.#bus.onAny(act));

  publish: Events["publish"] = (name, event) => this.#bus.publish(name, event);

  /** For what records spans; not for users. */
  encloseBy: Bus["encloseBy"] = (enclose) => this.#bus.encloseBy(enclose);

  /** The runtime is closed: nobody waits for its events any more. */
  release(): void {
    this.#isOver = true;
    for (const end of this.#holds) end();
    this.#holds.clear();
  }

  #holding(options: unknown, subscribe: () => () => void): () => void {
    const { background } = subscriptionOptions.read(options, "options");
    const unsubscribe = subscribe();
    if (background || this.#isOver) return unsubscribe;
    const end = beginListening();
    this.#holds.add(end);
    return () => {
      end();
      this.#holds.delete(end);
      unsubscribe();
    };
  }
}
