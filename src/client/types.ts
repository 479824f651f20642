// What callers of a runtime that is elsewhere hold: the runtime, and a little more.
import type { About } from "../contract/bodies.ts";
import type { LineageReport, PopulationReport } from "../evolution/reports.ts";
import type { CancelOptions, EventMap, Events, ExternalEventName, Runtime } from "../index.ts";
import type { VivariumError } from "../model/errors.ts";
import type { RetryOptions } from "./transport/retry.ts";
import type { Fetch } from "./transport/transport.ts";

export interface ConnectOptions extends CancelOptions {
  /** The token that the server knows. Default: none, for a server that wants none. */
  readonly token?: string;
  /** What sends requests. Default: the `fetch` of the machine. */
  readonly fetch?: Fetch;
  /** How requests are repeated whose connection broke before there was an answer. */
  readonly retry?: RetryOptions;
  /**
   * Called where events were missed by those who listen, as the connection was broken for longer than the server remembers, and
   * where the server refuses to tell any more.
   */
  readonly onMissed?: (gap: EventGap) => void;
}

/** Events that listeners did not hear of. */
export interface EventGap {
  /** How many; null where that is not known, as after a restart of the server. */
  readonly missed: number | null;
  /** Why there will be no more of them; null where they go on. */
  readonly error: VivariumError | null;
}

export interface RemoteEvents extends Events {
  /** Emits what was found out beside the runtime. Resolves when the server has it; who does not wait is not told of a failure. */
  // oxlint-disable-next-line typescript/no-misused-promises -- who has the type of a local runtime need not wait
  publish<N extends ExternalEventName>(name: N, event: EventMap[N]): Promise<void>;
}

export interface LineageOptions extends CancelOptions {
  /** How many ancestors, and how many descendants, 1–10,000. Default: what the server says. */
  readonly limit?: number;
}

export interface PopulationOptions extends CancelOptions {
  /** How many of the best are named. Default: what the server says. */
  readonly best?: number;
  /** What is better. Default: `maximise`. */
  readonly direction?: "maximise" | "minimise";
}

/**
 * A runtime on a server. All that it does means what it means in a local one, but for what only the server's own process has:
 * functions and folders of its own are refused with `NOT_REMOTE`. Closing it ends the connection, not the runtime.
 */
export interface RemoteRuntime extends Runtime {
  /** Which server this is, and what the token may do. */
  readonly about: About;
  readonly events: RemoteEvents;
  /** Where a sandbox, living or gone, comes from, and what became of it. */
  lineage(id: string, options?: LineageOptions): Promise<LineageReport>;
  /** Scores and outcomes of the living, and the best of them. */
  population(options?: PopulationOptions): Promise<PopulationReport>;
}
