// The "./telemetry" entry: a runtime's events and figures for the tools that others have.
export { Journal, type JournalOptions } from "./journal.ts";
export type { JournalEntry } from "../observability/journalled.ts";
export { instrument, type OtelApi } from "./opentelemetry.ts";
export { prometheusContentType, prometheusText } from "./prometheus.ts";
