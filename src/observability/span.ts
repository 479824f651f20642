// Start, stop and exception around one asynchronous operation.
import { asVivariumError } from "../model/errors.ts";
import type { Clock } from "../std/clock.ts";
import type { Bus } from "./bus.ts";
import type { EventMap } from "./catalogue.ts";
import { traced } from "./tracing.ts";

type Spanned = "sandbox.create" | "sandbox.hotReload" | "sandbox.restart" | "sandbox.destroy";

/** What an operation adds to its stop event beside duration and result. */
type Extra<S extends Spanned> = Omit<EventMap[`${S}.stop`], "sandboxId" | "durationMs" | "result">;

/** Emits around `act`. A load that failed is a stop with its code; any other error is an exception. */
export async function span<S extends Spanned, T>(
  at: { readonly bus: Bus; readonly clock: Clock; readonly name: S; readonly sandboxId: string },
  extra: Extra<S>,
  act: () => Promise<T>,
): Promise<T> {
  const { bus, clock, name, sandboxId } = at;
  const startedMs = clock.monotonic();
  const stop = (result: string): void => {
    const event = { sandboxId, durationMs: clock.monotonic() - startedMs, result, ...extra };
    // The compiler does not put together what was taken apart for a name that it does not know.
    bus.emit(`${name}.stop`, event as unknown as EventMap[`${S}.stop`]);
  };
  bus.emit(`${name}.start`, { sandboxId } as EventMap[`${S}.start`]);
  try {
    const value = await traced(name, () => ({ sandboxId }), act);
    stop("ok");
    return value;
  } catch (error) {
    const { code } = asVivariumError(error);
    if (isGuestsFault(code)) stop(code);
    else {
      const event = { sandboxId, durationMs: clock.monotonic() - startedMs, code, message: String(error) };
      bus.emit(`${name}.exception`, event as EventMap[`${S}.exception`]);
    }
    throw error;
  }
}

function isGuestsFault(code: string): boolean {
  return ["PARSE_FAILED", "COMPILE_FAILED", "SECURITY_REJECTED", "LOAD_FAILED", "VERIFY_FAILED"].includes(
    code,
  );
}
