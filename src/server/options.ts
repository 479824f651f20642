// The options of a server, checked and completed.
import type { Runtime } from "../index.ts";
import { Tracker } from "../evolution/index.ts";
import {
  custom,
  fields,
  func,
  integer,
  methods,
  refuseOption,
  requiredMethods,
  unread,
  type Read,
  type Shape,
} from "../model/schema.ts";
import { idleClock, type Clock } from "../std/clock.ts";
import { InvalidOptionsError } from "../model/errors.ts";
import { Access, type AccessOptions } from "./access/access.ts";
import { DashboardFiles, dashboardFiles } from "./dashboard.ts";
import type { Caller, Gate } from "./gate.ts";

const MiB = 2 ** 20;
const countMax = Number.MAX_SAFE_INTEGER;
const dayMs = 86_400_000;

const bounds = fields({
  bodyBytes: integer({ min: 1, max: 2 ** 30, default: 64 * MiB }),
  replayEvents: integer({ min: 0, max: 10_000_000, default: 10_000 }),
  replayBytes: integer({ min: 1, max: countMax, default: 8 * MiB }),
  streams: integer({ min: 1, max: 1_000_000, default: 1_000 }),
  streamsPerToken: integer({ min: 1, max: 1_000_000, default: 100 }),
  sessions: integer({ min: 1, max: 1_000_000, default: 1_000 }),
  sessionsPerToken: integer({ min: 1, max: 1_000_000, default: 100 }),
  sessionIdleMs: integer({ min: 1, max: dayMs, default: 1_800_000 }),
  idempotencyKeys: integer({ min: 1, max: 10_000_000, default: 10_000 }),
  idempotencyBytes: integer({ min: 1, max: countMax, default: 64 * MiB }),
  heartbeatMs: integer({ min: 10, max: dayMs, default: 15_000 }),
  stallMs: integer({ min: 10, max: dayMs, default: 120_000 }),
});

/** How much a server keeps, and how long it waits. */
export interface ServerBounds {
  /** How long the body of a request may be. Default: 64 MiB. */
  readonly bodyBytes?: number;
  /** How many events are kept for those who come back. With 0 none are, and the runtime is listened to only for readers. Default: 10,000. */
  readonly replayEvents?: number;
  /** How much these may take. Default: 8 MiB. */
  readonly replayBytes?: number;
  /** How many streams of guests may be open, of all tokens together. Default: 1,000. */
  readonly streams?: number;
  /** The same of one token. Default: 100. */
  readonly streamsPerToken?: number;
  /** How many sessions may be open, of all tokens together. Default: 1,000. */
  readonly sessions?: number;
  /** The same of one token. Default: 100. */
  readonly sessionsPerToken?: number;
  /** How long nobody may run a script before a session is ended. Default: 1,800,000. */
  readonly sessionIdleMs?: number;
  /** How many idempotency keys are kept, for a day at most. Default: 10,000. */
  readonly idempotencyKeys?: number;
  /** How much their answers may take. Default: 64 MiB. */
  readonly idempotencyBytes?: number;
  /** After how long without an event a reader is told that there is none. Default: 15,000. */
  readonly heartbeatMs?: number;
  /** How long a reader may take nothing of what waits for it before it is disconnected. Default: 120,000. */
  readonly stallMs?: number;
}

export type Bounds = Read<typeof bounds>;

/** What a server is made with. */
export interface ServerOptions {
  /** Who may use it. Default: one token that may do everything, made up, which is the server's `token`. */
  readonly access?: AccessOptions;
  /** Instead of `access`: a gate of your own, or `openGate()` for a server that is mounted behind one. */
  readonly gate?: Gate;
  /** What answers questions of lineage. Default: one of its own, which follows the runtime and is persisted where that has a store. */
  readonly tracker?: Tracker;
  /** How much it keeps, and how long it waits. */
  readonly bounds?: ServerBounds;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Whether browsers get the dashboard at `/`, or the files of another form of it. They say nothing of the server and need no token. Default: true. */
  readonly dashboard?: boolean | DashboardFiles;
  /** Answers what comes to `/mcp`. Default: nothing is there. */
  readonly mcp?: (request: Request, caller: Caller) => Promise<Response>;
}

const serverOptions = fields({
  access: unread,
  gate: methods<Gate>("authenticate", "require", "ownsId", "requireId", "newId", "admit"),
  tracker: custom((value, path): Tracker | undefined => {
    if (value === undefined || value instanceof Tracker) return value;
    throw refuseOption({ verb: "use", path, rule: "a Tracker", got: value });
  }),
  bounds,
  clock: methods<Clock>("now", "monotonic", "after"),
  dashboard: custom((value, path): DashboardFiles | null => {
    if (value instanceof DashboardFiles) return value;
    if (value === undefined || value === true) return dashboardFiles();
    if (value === false) return null;
    throw refuseOption({ verb: "set", path, rule: "true, false or what dashboardFiles() gave", got: value });
  }),
  mcp: func<NonNullable<ServerOptions["mcp"]>>(),
} satisfies Shape<ServerOptions>);

export function readServerOptions(options: unknown) {
  const { access, gate, clock = idleClock, ...rest } = serverOptions.read(options, "options");
  if (access !== undefined && gate !== undefined) {
    const message = "Cannot use options as there must be either access or gate: got both";
    throw new InvalidOptionsError(message, "gate");
  }
  // Its own part checks what they are.
  return { access: gate ?? new Access((access as AccessOptions | undefined) ?? {}, clock), clock, ...rest };
}

const runtimeMethods = requiredMethods<Runtime>("create", "get", "info", "list", "once", "close");

export function checkRuntime(runtime: unknown): void {
  runtimeMethods.read(runtime, "runtime");
}
