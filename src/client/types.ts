// What callers of a runtime that is elsewhere hold: the runtime, and a little more.
import type { About } from "../contract/bodies.ts";
import type { IndividualReport, IndividualsPage, RunEntry } from "../contract/evolution-bodies.ts";
import type { LineageReport, PopulationReport } from "../evolution/reports.ts";
import type {
  AnyEvent,
  CancelOptions,
  EventMap,
  EventName,
  Events,
  ExternalEventName,
  Runtime,
  SubscriptionOptions,
} from "../index.ts";
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
  /** Called when the stream of events is open, and when it broke; it is opened again by itself. */
  readonly onConnection?: (connection: EventConnection) => void;
}

/** Whether events arrive. */
export interface EventConnection {
  readonly open: boolean;
  /** Why it broke; null where the server ended it, and where it is open. */
  readonly error: Error | null;
}

/** How events are listened to. */
export interface RemoteSubscriptionOptions extends SubscriptionOptions {
  /** Which events are to be told: the server sends no others. Default: all. */
  readonly names?: readonly EventName[];
}

/** Events that listeners did not hear of. */
export interface EventGap {
  /** How many; null where that is not known, as after a restart of the server. */
  readonly missed: number | null;
  /** Why there will be no more of them; null where they go on. */
  readonly error: VivariumError | null;
}

export interface RemoteEvents extends Events {
  /** Calls `act` at every event, or at those of some names. */
  onAny(act: (event: AnyEvent) => void, options?: RemoteSubscriptionOptions): () => void;
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

export interface IndividualsOptions extends CancelOptions {
  /** The place that the page begins at: `next` of the one before. Default: 0. */
  readonly after?: number;
  /** How many it has at most, 1–10,000. Default: what the server says. */
  readonly limit?: number;
  /** Whether it tells the components of scores; without them it is made in less time. Default: true. */
  readonly details?: boolean;
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
  /** A page of all individuals that are remembered, living, gone and awaited, in the order of their births. */
  individuals(options?: IndividualsOptions): Promise<IndividualsPage>;
  /** All that is remembered of one individual, living or gone, with its code. */
  individual(id: string, options?: CancelOptions): Promise<IndividualReport>;
  /** What evolutions say of themselves in the documents of the runtime: at most 1,000 of them. */
  runs(options?: CancelOptions): Promise<readonly RunEntry[]>;
}
