// What bounds an agent: every number that an MCP session cannot exceed, with its default, in one table.
import type { LineageReport, LineageReportOptions } from "../evolution/reports.ts";
import { at, fields, func, integer, methods, text, type Read, type Shape } from "../model/schema.ts";
import { idleClock, type Clock } from "../std/clock.ts";
import { openGate, type McpGate } from "./gate.ts";

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const hourMs = 3_600_000;

export interface McpOptions {
  /** How many sandboxes of one agent may live at a time. Default: 256. */
  readonly sandboxes?: number;
  /** How many tool calls of one agent may be under way at a time. Default: 16. */
  readonly calls?: number;
  /** How long one tool call may take. Default: 600,000. */
  readonly callMs?: number;
  /** The highest `timeoutMs` of one run. Default: 60,000. */
  readonly timeoutMs?: number;
  /** The most memory of one sandbox. Default: 512 MiB. */
  readonly memoryBytes?: number;
  /** How many candidates one evaluation may have. Default: 256. */
  readonly candidates?: number;
  /** How many test cases one evaluation may have. Default: 1,000. */
  readonly tests?: number;
  /** How much of one text (a value, console output, a diff) a result shows. Default: 16,000. */
  readonly textChars?: number;
  /** How much of one text a resource shows. Default: 1 Mi. */
  readonly resourceChars?: number;
  /** How long one message of a client may be. Default: 8 MiB. */
  readonly messageBytes?: number;
  /** Over HTTP: how long a sandbox lives that nothing is asked of. Default: one hour. */
  readonly idleMs?: number;
  /** Over HTTP: how many sessions of 2025-era clients there may be at a time. Default: 256. */
  readonly sessions?: number;
  /** Over HTTP: the same of one token. Default: 64. */
  readonly sessionsPerToken?: number;
  /** Over HTTP: how long such a session lasts that asks for nothing. Default: one hour. */
  readonly sessionIdleMs?: number;
  /** What bounds callers by their tokens. What it throws is the answer. Default: nothing does. */
  readonly gate?: McpGate;
  /** Where a sandbox comes from, by its id. Default: told from the ancestry that the runtime knows. */
  readonly lineage?: (id: string, options: LineageReportOptions) => Promise<LineageReport>;
  /** The version of the server, as clients are told. Default: `unknown`. */
  readonly version?: string;
  /** Told of what went wrong on our side; nothing of it is in an answer. Default: nothing happens. */
  readonly onError?: (error: unknown) => void;
  /** Default: that of the machine. */
  readonly clock?: Clock;
}

const table = {
  sandboxes: integer({ min: 1, max: 100_000, default: 256 }),
  calls: integer({ min: 1, max: 10_000, default: 16 }),
  callMs: integer({ min: 1, max: 24 * hourMs, default: 600_000 }),
  timeoutMs: integer({ min: 1, max: hourMs, default: 60_000 }),
  memoryBytes: integer({ min: 8 * MiB, max: 4 * 1024 * MiB, default: 512 * MiB }),
  candidates: integer({ min: 1, max: 10_000, default: 256 }),
  tests: integer({ min: 1, max: 10_000, default: 1_000 }),
  textChars: integer({ min: 100, max: MiB, default: 16_000 }),
  resourceChars: integer({ min: KiB, max: 16 * MiB, default: MiB }),
  messageBytes: integer({ min: KiB, max: 64 * MiB, default: 8 * MiB }),
  idleMs: integer({ min: 1, max: 24 * hourMs, default: hourMs }),
  sessions: integer({ min: 1, max: 100_000, default: 256 }),
  sessionsPerToken: integer({ min: 1, max: 100_000, default: 64 }),
  sessionIdleMs: integer({ min: 1, max: 24 * hourMs, default: hourMs }),
};

const functions = {
  lineage: func<NonNullable<McpOptions["lineage"]>>(),
  onError: func<NonNullable<McpOptions["onError"]>>(),
};

const bounds = fields(table);
export type McpBounds = Read<typeof bounds>;

export interface McpConfig {
  readonly bounds: McpBounds;
  readonly gate: McpGate;
  readonly lineage: McpOptions["lineage"];
  readonly version: string;
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

const options = fields({
  ...table,
  ...functions,
  gate: at("gate", methods<McpGate>("admit", "countEvaluations", "openStream", "reserve", "memoryOf")),
  version: text({ max: 64, default: "unknown" }),
  clock: at("clock", methods<Clock>("now", "monotonic", "after")),
} satisfies Shape<McpOptions>);

/** Checked and complete; throws `INVALID_OPTIONS`. */
export function readConfig(given: McpOptions | undefined): McpConfig {
  const read = options.read(given, "options");
  const { gate = openGate, lineage, version, onError = () => {}, clock = idleClock, ...rest } = read;
  return { bounds: rest, gate, lineage, version, onError, clock };
}
