// Operations as Node's own tracing channels: `vivarium:sandbox.run` and its like. Without a subscriber they cost nothing.
import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";

/** The steps that have a tracing channel. */
export type TracedOperation =
  | "sandbox.create"
  | "sandbox.run"
  | "sandbox.evaluate"
  | "sandbox.hotReload"
  | "sandbox.restart"
  | "sandbox.destroy";

/** What a subscriber gets at the start, and again, with a result or an error, at the end. */
export interface TracedContext {
  readonly sandboxId: string;
  /** With a run: what is called. */
  readonly target?: string;
}

const channels: Readonly<Record<TracedOperation, TracingChannel<TracedContext>>> = {
  "sandbox.create": tracingChannel("vivarium:sandbox.create"),
  "sandbox.run": tracingChannel("vivarium:sandbox.run"),
  "sandbox.evaluate": tracingChannel("vivarium:sandbox.evaluate"),
  "sandbox.hotReload": tracingChannel("vivarium:sandbox.hotReload"),
  "sandbox.restart": tracingChannel("vivarium:sandbox.restart"),
  "sandbox.destroy": tracingChannel("vivarium:sandbox.destroy"),
};

/** Does an operation, and publishes it to its channel. The context is put together only for subscribers. */
export function traced<T>(
  operation: TracedOperation,
  about: () => TracedContext,
  act: () => Promise<T>,
): Promise<T> {
  const channel = channels[operation];
  return channel.hasSubscribers ? channel.tracePromise(act, { ...about() }) : act();
}
