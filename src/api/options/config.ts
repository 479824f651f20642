// A user's options become one complete, frozen configuration; inner code never sees a missing value.
import { availableParallelism, totalmem } from "node:os";
import { backendNames, type BackendName } from "../../code/compiler-host/backends/backend.ts";
import type { JailSettings } from "../../jail/jail.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import { defaultLimits, type Limits } from "../../model/limits.ts";
import { show } from "../../model/show.ts";
import type { AuditBounds } from "../../security/audit.ts";
import { defaultProfileName } from "../../security/presets.ts";
import type { ProfileGiven } from "../../security/profile.ts";
import { limitsUnder, Profiles } from "../../security/profiles.ts";
import { systemClock, type Clock } from "../../std/clock.ts";
import { MemoryStore } from "../../store/memory.ts";
import { OrderedStore } from "../../store/ordered.ts";
import type { Store } from "../../store/store.ts";
import { readCapabilities, type CapabilityOptions, type CompleteCapability } from "./capability-options.ts";
import { completeJail, type JailOptions } from "./jail-options.ts";
import { readBoolean, readFields, readInteger, readObjectWith } from "./options.ts";

export interface CellOptions {
  /** Cells that sandboxes share. Default: one per core, at least two. */
  readonly count?: number;
  /** Cells that stand ready beside them. */
  readonly spare?: number;
  /** The most sandboxes in one cell; when all are full another cell is started. */
  readonly sandboxesMax?: number;
  /** Isolates that each cell keeps booted ahead. */
  readonly warm?: number;
  /** The most cells that stand for tenants, and for sandboxes that share with nobody; one more has to wait. */
  readonly ownedMax?: number;
  /** Long runs that one cell works on at a time. Default: one per core, 2–16. */
  readonly lanes?: number;
  /** How long a first run may hold a cell's main lane before it gets one of its own. */
  readonly sliceMs?: number;
  /** How long a cell may take to start. */
  readonly startMs?: number;
  /** How long a run may wait for a lane. */
  readonly waitMs?: number;
  /** The most memory that one cell process may use in all. Default: half of the machine's. */
  readonly memoryBytes?: number;
}

export interface RuntimeOptions {
  /** Limits of every sandbox that does not set its own. Default: see limits.md. */
  readonly limits?: Partial<Limits>;
  /** The security profile of every sandbox that does not name its own. Default: `medium`. */
  readonly profile?: string;
  /** Profiles of your own, by name, each based on another one. Default: none. */
  readonly profiles?: Readonly<Record<string, ProfileGiven>>;
  /** Imports that count as blocked under every profile, by name; what lies below a name is meant too. Default: none. */
  readonly blockedImports?: readonly string[];
  /** How much the audit log keeps; older entries make room. */
  readonly audit?: {
    /** The most entries that the audit log keeps; older ones make room. */
    readonly entries?: number;
    /** The most memory that its entries may take, about. */
    readonly memoryBytes?: number;
  };
  readonly cells?: CellOptions;
  /** What the runtime may hold in all. */
  readonly capacity?: {
    /** The most sandboxes at a time; one more is refused with `CAPACITY_EXCEEDED`. */
    readonly sandboxes?: number;
    /** The memory of all cells together from which on no sandbox is admitted; at nine tenths of it the collector sweeps at once. Default: 80 % of the machine's. */
    readonly memoryBytes?: number;
    /** The most runs that may be accepted and not settled; one more ends at once as `cancelled`. */
    readonly runs?: number;
  };
  readonly collector?: {
    /** How often it sweeps by itself; a failed sandbox can be inspected for as long. */
    readonly intervalMs?: number;
    /** How many destroyed sandboxes are remembered for `info`, in 64 MiB at most. */
    readonly tombstones?: number;
  };
  /** How often the memory of all cells is read, for the collector and for `resource.sampled`. */
  readonly watchIntervalMs?: number;
  readonly telemetry?: {
    /** Whether `metrics()` has what evaluations came to, by population. */
    readonly fitness?: boolean;
    /** Whether `resource.sampled` is emitted. */
    readonly resources?: boolean;
  };
  readonly compiler?: {
    /** Which tool strips types and markup; `esbuild` must be installed beside vivarium. */
    readonly backend?: BackendName;
  };
  /** npm packages that files of guests may import, by name; they are bundled into a module of their own. Default: none. */
  readonly npmImports?: readonly string[];
  /** The most memory that compiled modules may take in the cache they share. */
  readonly compileCacheBytes?: number;
  /** How many versions of each module a sandbox keeps; the current one always is. */
  readonly versionsMax?: number;
  /** What sandboxes may be granted by name; off unless granted. Default: nothing. */
  readonly capabilities?: CapabilityOptions;
  /** The jail around cells and compilers. What the system offers is always on. */
  readonly jail?: JailOptions;
  /** Where sandboxes are kept. Default: a new `MemoryStore`. */
  readonly store?: Store;
  /** Where time comes from; a test passes its own. Default: the machine's. */
  readonly clock?: Clock;
}

export interface Config {
  /** Of sandboxes under the usual profile. */
  readonly limits: Limits;
  /** Those that the runtime sets itself. */
  readonly ownLimits: Partial<Limits>;
  readonly profiles: Profiles;
  readonly blockedImports: readonly string[];
  readonly audit: AuditBounds;
  readonly cells: Required<CellOptions>;
  readonly capacity: { readonly sandboxes: number; readonly memoryBytes: number; readonly runs: number };
  readonly collector: { readonly intervalMs: number; readonly tombstones: number };
  readonly watchIntervalMs: number;
  readonly telemetry: { readonly fitness: boolean; readonly resources: boolean };
  readonly compiler: { readonly backend: BackendName };
  readonly npmImports: readonly string[];
  readonly compileCacheBytes: number;
  readonly versionsMax: number;
  readonly capabilities: ReadonlyMap<string, CompleteCapability>;
  readonly jail: JailSettings;
  readonly store: Store;
  readonly clock: Clock;
}

const MiB = 2 ** 20;
const GiB = 2 ** 30;
const dayMs = 86_400_000;

const optionNames = [
  "limits",
  "profile",
  "profiles",
  "blockedImports",
  "audit",
  "cells",
  "capacity",
  "collector",
  "watchIntervalMs",
  "telemetry",
  "compiler",
  "npmImports",
  "compileCacheBytes",
  "versionsMax",
  "capabilities",
  "jail",
  "store",
  "clock",
];

/** Completes and checks the options of createRuntime(). */
export function completeConfig(options: RuntimeOptions | undefined): Config {
  const given = readFields(options, "options", optionNames);
  const collector = readFields(given["collector"], "collector", ["intervalMs", "tombstones"]);
  const telemetry = readFields(given["telemetry"], "telemetry", ["fitness", "resources"]);
  const profiles = new Profiles(given["profiles"], given["profile"] ?? defaultProfileName);
  const ownLimits = (given["limits"] ?? {}) as Partial<Limits>;
  resolveLimits(defaultLimits, ownLimits);
  const clock = readObjectWith<Clock>(given["clock"], "clock", ["now", "monotonic", "after"]) ?? systemClock;
  return Object.freeze({
    limits: limitsUnder(profiles.usual, ownLimits),
    ownLimits,
    profiles,
    blockedImports: readNames(given["blockedImports"], "blockedImports"),
    audit: completeAudit(given["audit"]),
    cells: completeCells(given["cells"]),
    capacity: completeCapacity(given["capacity"]),
    collector: {
      intervalMs: readInteger(
        collector,
        { path: "collector", name: "intervalMs" },
        { min: 1, max: dayMs, default: 60_000 },
      ),
      tombstones: readInteger(
        collector,
        { path: "collector", name: "tombstones" },
        { min: 0, max: 1_000_000, default: 10_000 },
      ),
    },
    watchIntervalMs: readInteger(
      given,
      { path: "options", name: "watchIntervalMs" },
      { min: 10, max: dayMs, default: 1_000 },
    ),
    telemetry: {
      fitness: readBoolean(telemetry, { path: "telemetry", name: "fitness" }, true),
      resources: readBoolean(telemetry, { path: "telemetry", name: "resources" }, true),
    },
    compileCacheBytes: readInteger(
      given,
      { path: "options", name: "compileCacheBytes" },
      { min: 0, max: 16 * GiB, default: 128 * MiB },
    ),
    compiler: { backend: readBackend(given["compiler"]) },
    npmImports: readNames(given["npmImports"], "npmImports"),
    versionsMax: readInteger(
      given,
      { path: "options", name: "versionsMax" },
      { min: 1, max: 1_000, default: 10 },
    ),
    capabilities: readCapabilities(given["capabilities"]),
    jail: completeJail(given["jail"]),
    store: readStore(given["store"], clock),
    clock,
  });
}

function readStore(value: unknown, clock: Clock): Store {
  const given = readObjectWith<Store>(value, "store", ["open", "save", "remove", "close"]);
  return given === undefined ? new MemoryStore() : new OrderedStore(given, clock);
}

function readBackend(value: unknown): BackendName {
  const { backend = "rolldown" } = readFields(value, "compiler", ["backend"]);
  if (backendNames.includes(backend as BackendName)) return backend as BackendName;
  const message = `Cannot set compiler.backend as it must be ${backendNames.join(" or ")}: got ${show(backend)}`;
  throw new InvalidOptionsError(message, "compiler.backend");
}

function completeCapacity(value: unknown): Config["capacity"] {
  const path = "capacity";
  const given = readFields(value, path, ["sandboxes", "memoryBytes", "runs"]);
  const memory = { min: 64 * MiB, max: 1_024 * GiB, default: Math.floor(totalmem() * 0.8) };
  return {
    sandboxes: readInteger(given, { path, name: "sandboxes" }, { min: 1, max: 1_000_000, default: 100_000 }),
    memoryBytes: readInteger(given, { path, name: "memoryBytes" }, memory),
    runs: readInteger(given, { path, name: "runs" }, { min: 1, max: 10_000_000, default: 100_000 }),
  };
}

function completeAudit(value: unknown): AuditBounds {
  const path = "audit";
  const given = readFields(value, path, ["entries", "memoryBytes"]);
  return {
    entries: readInteger(given, { path, name: "entries" }, { min: 1, max: 10_000_000, default: 10_000 }),
    memoryBytes: readInteger(
      given,
      { path, name: "memoryBytes" },
      { min: 16 * 1_024, max: 4 * GiB, default: 16 * MiB },
    ),
  };
}

function readNames(value: unknown, option: string): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw new InvalidOptionsError(
    `Cannot set ${option} as it must be a list of names: got ${show(value)}`,
    option,
  );
}

function completeCells(value: unknown): Required<CellOptions> {
  const path = "cells";
  const given = readFields(value, path, [
    "count",
    "spare",
    "sandboxesMax",
    "warm",
    "ownedMax",
    "lanes",
    "sliceMs",
    "startMs",
    "waitMs",
    "memoryBytes",
  ]);
  const integer = (
    name: string,
    min: number,
    rule: { readonly max: number; readonly default: number },
  ): number => readInteger(given, { path, name }, { min, ...rule });
  return Object.freeze({
    count: integer("count", 1, { max: 64, default: Math.max(2, availableParallelism()) }),
    spare: integer("spare", 0, { max: 8, default: 1 }),
    // Each isolate takes about eleven memory mappings of the kernel's 65,530 per process.
    sandboxesMax: integer("sandboxesMax", 1, { max: 4_000, default: 2_000 }),
    warm: integer("warm", 0, { max: 256, default: 16 }),
    ownedMax: integer("ownedMax", 1, { max: 256, default: 32 }),
    lanes: integer("lanes", 1, { max: 16, default: Math.min(16, Math.max(2, availableParallelism())) }),
    sliceMs: integer("sliceMs", 1, { max: 1_000, default: 25 }),
    startMs: integer("startMs", 100, { max: 300_000, default: 20_000 }),
    waitMs: integer("waitMs", 1, { max: 3_600_000, default: 60_000 }),
    memoryBytes: integer("memoryBytes", 64 * MiB, {
      max: 1_024 * GiB,
      default: Math.floor(totalmem() * 0.5),
    }),
  });
}
