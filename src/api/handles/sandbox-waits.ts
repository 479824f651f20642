// The one way to wait for what a sandbox does.
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { bounded, type WaitBounds } from "../options/cancellation.ts";
import type { Wait } from "../../model/sandboxes/waits.ts";
import type { Engine } from "../wiring/engine.ts";

/** Does something to a sandbox within its caller's bounds. */
export function waitFor<T>(
  { parts }: Engine,
  {
    sandbox,
    wait: { noun, isUndone },
    bounds,
  }: { readonly sandbox: ManagedSandbox; readonly wait: Wait; readonly bounds: WaitBounds },
  act: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { clock } = parts.config;
  return bounded(bounds, { clock, what: `${noun} of sandbox "${sandbox.id}"`, isUndone }, act);
}
