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

const channels: Readonly<Record<TracedStep, TracingChannel<TracedContext>>> = {
  "sandbox.create": tracingChannel("vivarium:sandbox.create"),
  "sandbox.run": tracingChannel("vivarium:sandbox.run"),
  "sandbox.hotReload": tracingChannel("vivarium:sandbox.hotReload"),
  "sandbox.restart": tracingChannel("vivarium:sandbox.restart"),
  "sandbox.destroy": tracingChannel("vivarium:sandbox.destroy"),
};

/** Does a step, and tells whoever listens to its channel. What it is about is put together only for listeners. */
export function traced<T>(step: TracedStep, about: () => TracedContext, act: () => Promise<T>): Promise<T> {
  const channel = channels[step];
  return channel.hasSubscribers ? channel.tracePromise(act, { ...about() }) : act();
}
