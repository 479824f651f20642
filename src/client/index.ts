// The "./client" entry: a runtime on a server, for every machine that has `fetch`. It imports nothing of Node's.
export { connect } from "./connect.ts";
export type {
  ConnectOptions,
  EventConnection,
  EventGap,
  IndividualsOptions,
  LineageOptions,
  PopulationOptions,
  RemoteEvents,
  RemoteRuntime,
  RemoteSubscriptionOptions,
} from "./types.ts";
export type { RetryOptions } from "./transport/retry.ts";
export type { Fetch } from "./transport/transport.ts";
export type { About } from "../contract/bodies.ts";
export type {
  IndividualEntry,
  IndividualReport,
  IndividualsPage,
  RunEntry,
} from "../contract/evolution-bodies.ts";
export type { Scope } from "../contract/operations.ts";
export type { LineageEntry, LineageReport, PopulationReport } from "../evolution/reports.ts";
export * from "../model/errors.ts";
