// The few events that come from outside of a runtime, read and checked like everything that callers give.
import { InvalidOptionsError } from "../model/errors.ts";
import { isReason, reasonRule } from "../model/fitness.ts";
import { isRecord, refuseOption } from "../model/schema.ts";
import { show } from "../model/show.ts";
import type { EventMap } from "./catalogue.ts";

/** Events that a holder of a runtime may emit; all others only the runtime itself emits. */
export type ExternalEventName = "fitness.adjusted";

/** The event with nothing in it but what belongs there; throws `INVALID_OPTIONS` for any other. */
export function readExternalEvent<N extends ExternalEventName>(name: N, event: EventMap[N]): EventMap[N] {
  if (name !== "fitness.adjusted") throw mistake("name", "fitness.adjusted", name);
  if (!isRecord(event)) throw refuseOption({ verb: "use", path: "event", rule: "an object", got: event });
  const { sandboxId, delta, score, reason } = event;
  if (typeof sandboxId !== "string") throw mistake("sandboxId", "a text", sandboxId);
  if (!Number.isFinite(delta)) throw mistake("delta", "a finite number", delta);
  if (!Number.isFinite(score)) throw mistake("score", "a finite number", score);
  if (!isReason(reason)) throw mistake("reason", reasonRule, reason);
  return { sandboxId, delta, score, reason };
}

function mistake(field: string, rule: string, value: unknown): InvalidOptionsError {
  return new InvalidOptionsError(
    `Cannot publish this event as its ${field} must be ${rule}: got ${show(value)}`,
    field,
  );
}
