// Event, CustomEvent, EventTarget, AbortController and AbortSignal, as the DOM standard has them for targets without parents.
import { AbortController, AbortSignal, connectSignals } from "./abort.ts";
import { connectEvents, CustomEvent, Event, EventTarget } from "./event-target.ts";
import type { Made, Needs } from "./needs.ts";

export function make(needs: Needs): Made {
  connectEvents(needs);
  connectSignals(needs);
  const classes = { Event, CustomEvent, EventTarget, AbortController, AbortSignal };
  for (const [value, of] of Object.entries(classes))
    Object.defineProperty(of.prototype, Symbol.toStringTag, { value, configurable: true });
  return classes;
}
