// The "./server" entry: a runtime over HTTP, as a function that answers requests.
export type { AccessOptions } from "./access/access.ts";
export type { AnswerForm, Operation } from "../contract/operations.ts";
export type { Quotas, TokenSpec } from "./access/token-specs.ts";
export type { Caller, Gate, Granted, Need } from "./gate.ts";
export {
  dashboardFiles,
  type DashboardFile,
  type DashboardFiles,
  type DashboardOptions,
  type DashboardSource,
} from "./dashboard.ts";
export { openGate } from "./gate.ts";
export { createServer, type Server, type ServerCloseOptions } from "./server.ts";
export type { ServerBounds, ServerOptions } from "./options.ts";
export { readTokensFile } from "./access/tokens-file.ts";
export { listen, type Listening, type Served } from "./listen.ts";
export type { ListenBounds, ListenOptions, Refusal } from "./listening/options.ts";
export type { DrainReport } from "./listening/drain.ts";
export type { RefusalReason } from "./guard/guard.ts";
export { closeOnSignals, type SignalOptions } from "./listening/signals.ts";
