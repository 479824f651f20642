// One run on the server: asked for, and its end an outcome, also where it was given up here.
import type { Failure, Outcome } from "../../model/runs/outcome.ts";
import { SandboxNotFoundError } from "../../model/errors.ts";
import { failed } from "../../model/runs/unbegun.ts";
import { unusedAfter } from "../../model/runs/usage.ts";
import type { WireOutcome } from "../../contract/run-bodies.ts";
import type { Transport } from "../transport/transport.ts";
import { failureOfEnd, toOutcome } from "../wire/outcomes.ts";

/** Begins a run and waits for its end. `ask` asks the server. */
export async function outcomeOf<O extends WireOutcome>(
  transport: Transport,
  { signal, what }: { readonly signal: AbortSignal | undefined; readonly what: string },
  ask: () => Promise<O>,
): Promise<(Outcome & Omit<O, keyof WireOutcome>) | Failure> {
  transport.checkOpen(what);
  const startedMs = transport.clock.monotonic();
  try {
    return toOutcome(await ask());
  } catch (error) {
    const failure = failureOfEnd(error, { signal, isClosed: transport.isClosed });
    if (failure === undefined) throw error;
    // What it used before is known on the server alone; of its time this is what its caller knows.
    const wallMs = transport.clock.monotonic() - startedMs;
    return { ...failed(failure), usage: { ...unusedAfter(0), wallMs } };
  }
}

/** The outcome of a run in a sandbox that is gone, which is an outcome and no mistake for whoever holds its handle. */
export async function orGone(
  transport: Transport,
  id: string,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SandboxNotFoundError)) throw error;
    const reason = await reasonOfEnd(transport, id);
    const why = reason === null ? "" : `: ${reason}`;
    const message = `Cannot call sandbox "${id}" as it must be running: it is stopped${why}`;
    return failed({ kind: "not-running", message });
  }
}

async function reasonOfEnd(transport: Transport, id: string): Promise<string | null> {
  try {
    const info = await transport.json({ id: "getSandbox", what: `describe sandbox "${id}"`, params: { id } });
    return info.status === "stopped" ? info.reason : null;
  } catch {
    return null;
  }
}
