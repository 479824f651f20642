// `vivarium top --json`: samples as documents, without a terminal.
import type { Clock, Runtime } from "../../index.ts";
import { pause } from "../../std/abort.ts";
import { Sampler, type Sample } from "./sample.ts";

export interface SamplesOptions {
  readonly runtime: Pick<Runtime, "metrics" | "list">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly intervalMs: number;
  readonly limit: number;
  readonly count: number;
}

/** So many samples, an interval apart; the first one comes after an interval, so that it has rates. */
export async function* samples(options: SamplesOptions): AsyncGenerator<Sample> {
  const { clock, signal, intervalMs, count } = options;
  const sampler = new Sampler(options);
  await sampler.take();
  for (let taken = 0; taken < count; taken++) {
    await pause(clock, intervalMs, signal);
    if (signal.aborted) return;
    yield await sampler.take();
  }
}
