// Steps as Node's own tracing channels: `vivarium:sandbox.run` and its like. What nobody listens to costs nothing.
import { tracingChannel, type TracingChannel } from "node:diagnostics_channel";

/** The steps that have a tracing channel. */
export type TracedStep =
  | "sandbox.create"
  | "sandbox.run"
  | "sandbox.hotReload"
  | "sandbox.restart"
  | "sandbox.destroy";

/** What a subscriber gets at the start, and again, with a result or an error, at the end. */
export interface TracedContext {
  readonly sandboxId: string;
  /** With a run: what is called. */
  readonly target?: string;
}

const channels = new Map<TracedStep, TracingChannel<TracedContext>>();

/** Does a step, and tells whoever listens to its channel. */
export function traced<T>(step: TracedStep, context: TracedContext, act: () => Promise<T>): Promise<T> {
  const channel = channels.get(step) ?? tracingChannel<TracedContext>(`vivarium:${step}`);
  channels.set(step, channel);
  return channel.hasSubscribers ? channel.tracePromise(act, { ...context }) : act();
}
