// A user's options become one complete, frozen configuration; inner code never sees a missing value.
import { availableParallelism, totalmem } from "node:os";
import { backendNames, type BackendName } from "../../code/compiler-host/backends/backend.ts";
import { programUrl } from "../../execution/programs.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { readPartialLimits } from "../../model/limit-checks.ts";
import { defaultLimits, limitNames, type Limits } from "../../model/limits.ts";
import {
  at,
  boolean,
  custom,
  either,
  fields,
  integer,
  methods,
  named,
  names,
  required,
  text,
  unread,
  type Read,
  type Shape,
} from "../../model/schema.ts";
import { defaultProfileName } from "../../security/presets.ts";
import type { ProfileSpec } from "../../security/profile.ts";
import { limitsUnder, Profiles } from "../../security/profiles.ts";
import { idleClock, type Clock } from "../../std/clock.ts";
import { openDataFolder, type DataFolderOptions } from "../../store/folder/data-folder.ts";
import { MemoryStore } from "../../store/memory.ts";
import { OrderedStore } from "../../store/ordered.ts";
import type { Store } from "../../store/store.ts";
import { readCapabilities, type Capabilities } from "./capability-options.ts";
import { jailOptions, type JailOptions } from "./jail-options.ts";
import { readNpmFolder } from "./npm-folder.ts";
import { readSigningKey } from "./signing-key.ts";

export interface CellOptions {
  /** Cells that sandboxes share. Default: one per core, at least two. */
  readonly count?: number;
  /** Extra cells that are running and ready to take over. */
  readonly spare?: number;
  /** The most sandboxes in one cell; when all cells are full, another is started. */
  readonly sandboxesMax?: number;
  /** Isolates that each cell boots in advance. */
  readonly warm?: number;
  /** The most cells for tenants and exclusive sandboxes; one more has to wait. */
  readonly ownedMax?: number;
  /** How many long runs one cell works on at a time. Default: one per core, 2–16. */
  readonly lanes?: number;
  /** How long a first run may hold a cell's main lane before it moves to a lane of its own. */
  readonly sliceMs?: number;
  /** How long a cell may take to start. */
  readonly startMs?: number;
  /** How long a run may wait for a lane, or a sandbox for a cell. */
  readonly waitMs?: number;
  /** The most memory that one cell process may use. Default: half of the machine's. */
  readonly memoryBytesMax?: number;
}

/** A data folder, and when what is written to it is acknowledged. */
export interface DataOptions {
  readonly path: string;
  /**
   * What an acknowledged write survives. `process`: the end of this process in any way, `kill -9` included; a power cut or a
   * crash of the system may take the last moments before it, but never damages the folder. `power`: those too; each
   * acknowledgement waits for the disk. Default: `process`.
   */
  readonly durability?: "process" | "power";
}

export interface RuntimeOptions {
  /** Limits of every sandbox that does not set its own, and the highest that an imported one has by itself. Default: see limits.md. */
  readonly limits?: Partial<Limits>;
  /** The security profile of every sandbox that does not name its own. Default: `medium`. */
  readonly profile?: string;
  /** Profiles of your own, by name, each based on another one. Default: none. */
  readonly profiles?: Readonly<Record<string, ProfileSpec>>;
  /** Imports that are blocked under every profile, by name; a name includes every path below it. Default: none. */
  readonly blockedImports?: readonly string[];
  /** How much the audit log stores; the oldest entries are dropped first. */
  readonly audit?: {
    /** The most entries in the audit log; the oldest are dropped first. */
    readonly entriesMax?: number;
    /** The approximate upper bound on the memory of its entries. */
    readonly memoryBytesMax?: number;
  };
  readonly cells?: CellOptions;
  /** The capacity of the runtime as a whole. */
  readonly capacity?: {
    /** The most sandboxes at a time; one more is refused with `CAPACITY_EXCEEDED`. */
    readonly sandboxes?: number;
    /** The memory of all cells together at which a new sandbox is refused; at nine tenths of it the collector sweeps at once. Default: 80 % of the machine's. */
    readonly memoryBytes?: number;
    /** The most runs that are accepted and not settled; one more ends at once as `cancelled`. */
    readonly runs?: number;
  };
  readonly collector?: {
    /** How often the collector sweeps; a failed sandbox remains for one interval. */
    readonly intervalMs?: number;
    /** How many destroyed sandboxes `info` still knows, in 64 MiB at most. */
    readonly tombstonesMax?: number;
  };
  /** How often the memory of all cells is measured, for the collector and for `resource.sampled`. */
  readonly watchIntervalMs?: number;
  readonly telemetry?: {
    /** Whether `metrics()` reports the results of evaluations, by population. */
    readonly fitness?: boolean;
    /** Whether `resource.sampled` is emitted. */
    readonly resources?: boolean;
  };
  readonly compiler?: {
    /** Which tool compiles TypeScript and JSX; `esbuild` must be installed separately. */
    readonly backend?: BackendName;
    /**
     * The most processes that compile modules. One is enough as long as modules are quick; others are started where one takes
     * long while others wait, and end when they have nothing to do.
     */
    readonly processesMax?: number;
  };
  /**
   * npm packages that guests may import, by name, where the profile says `listed`; each is bundled into a module of its own.
   * Default: none.
   */
  readonly npmImports?: readonly string[];
  /**
   * The folder whose `node_modules` has the packages that modules given as text import, and those that files do not find from
   * their own folder. Default: none; then only files import packages.
   */
  readonly npmFolder?: string;
  /** The most bytes of one bundled package with all that it imports; `sourceBytes` does not count for packages. */
  readonly npmBytesMax?: number;
  /** The most memory for compiled modules in the cache that all sandboxes share. */
  readonly compileCacheBytesMax?: number;
  /** How many versions of each module a sandbox stores; the current one is always among them. */
  readonly versionsMax?: number;
  /** Capabilities that sandboxes may be granted, by name. Default: none. */
  readonly capabilities?: Capabilities;
  /** A secret of yours: what is exported is signed with it, and only what is signed with it can be imported. Default: none. */
  readonly signingKey?: string | Uint8Array;
  /** The jail around cells and compilers. Every default layer that the system supports is always on. */
  readonly jail?: JailOptions;
  /** A folder in which everything is persisted; it is created where there is none. Default: none, and all ends with the process. */
  readonly data?: string | DataOptions;
  /** The journal of a runtime with `data` or a `store`: the events of its life, for `runtime.journal`. */
  readonly journal?: {
    /** The most that it has, as JSON; the oldest events are dropped first. 0 turns it off. */
    readonly bytesMax?: number;
  };
  /** A store of your own instead, where sandboxes are persisted. Default: a new `MemoryStore`. */
  readonly store?: Store;
  /** The source of time; a test passes its own. Default: the machine's. */
  readonly clock?: Clock;
}

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const GiB = 2 ** 30;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const cores = Math.max(2, availableParallelism());

const cellOptions = fields({
  count: integer({ min: 1, max: 64, default: cores }),
  spare: integer({ min: 0, max: 8, default: 1 }),
  // Each isolate takes about eleven memory mappings of the kernel's 65,530 per process.
  sandboxesMax: integer({ min: 1, max: 4_000, default: 2_000 }),
  warm: integer({ min: 0, max: 256, default: 16 }),
  ownedMax: integer({ min: 1, max: 256, default: 32 }),
  lanes: integer({ min: 1, max: 16, default: Math.min(16, cores) }),
  sliceMs: integer({ min: 1, max: 1_000, default: 25 }),
  startMs: integer({ min: 100, max: 300_000, default: 20_000 }),
  waitMs: integer({ min: 1, max: hourMs, default: 60_000 }),
  memoryBytesMax: integer({ min: 64 * MiB, max: 1_024 * GiB, default: Math.floor(totalmem() * 0.5) }),
} satisfies Shape<CellOptions>);

const auditOptions = fields({
  entriesMax: integer({ min: 1, max: 10_000_000, default: 10_000 }),
  memoryBytesMax: integer({ min: 16 * KiB, max: 4 * GiB, default: 16 * MiB }),
});

const capacityOptions = fields({
  sandboxes: integer({ min: 1, max: 1_000_000, default: 100_000 }),
  memoryBytes: integer({ min: 64 * MiB, max: 1_024 * GiB, default: Math.floor(totalmem() * 0.8) }),
  runs: integer({ min: 1, max: 10_000_000, default: 100_000 }),
});

const compilerOptions = fields({
  backend: either(backendNames, "rolldown"),
  processesMax: integer({ min: 1, max: 16, default: 3 }),
});

const collectorOptions = fields({
  intervalMs: integer({ min: 1, max: dayMs, default: 60_000 }),
  tombstonesMax: integer({ min: 0, max: 1_000_000, default: 10_000 }),
});

const dataOptions = fields({
  path: required(text()),
  durability: either(["process", "power"], "process"),
} satisfies Shape<DataOptions>);

/** Every option of createRuntime(). */
const runtimeOptions = fields(
  {
    limits: named(
      limitNames,
      custom((value) => readPartialLimits(value, defaultLimits)),
    ),
    profile: unread,
    profiles: unread,
    blockedImports: at("blockedImports", names),
    audit: at("audit", auditOptions),
    cells: at("cells", cellOptions),
    capacity: at("capacity", capacityOptions),
    collector: at("collector", collectorOptions),
    watchIntervalMs: integer({ min: 10, max: dayMs, default: 1_000 }),
    telemetry: at("telemetry", fields({ fitness: boolean(true), resources: boolean(true) })),
    compiler: at("compiler", compilerOptions),
    npmImports: at("npmImports", names),
    npmFolder: custom(readNpmFolder),
    npmBytesMax: integer({ min: 1, max: 16 * MiB, default: 8 * MiB }),
    compileCacheBytesMax: integer({ min: 0, max: 16 * GiB, default: 128 * MiB }),
    versionsMax: integer({ min: 1, max: 1_000, default: 10 }),
    capabilities: custom(readCapabilities),
    signingKey: custom(readSigningKey),
    jail: at("jail", jailOptions),
    data: named(dataOptions.names, custom(readData)),
    journal: at("journal", fields({ bytesMax: integer({ min: 0, max: 4 * GiB, default: 16 * MiB }) })),
    store: at("store", methods<Store>("open", "save", "remove", "close")),
    clock: at("clock", methods<Clock>("now", "monotonic", "after")),
  } satisfies Shape<RuntimeOptions>,
  "createRuntime()",
);

/** The options of a runtime, complete. */
export type Config = ReturnType<typeof completeConfig>;

/** Completes and checks the options of createRuntime(). */
export function completeConfig(options: RuntimeOptions | undefined) {
  const {
    limits: ownLimits,
    profile = defaultProfileName,
    profiles: given,
    store,
    data,
    clock = idleClock,
    ...rest
  } = runtimeOptions.read(options, "options");
  const profiles = new Profiles(given, profile);
  const { tombstonesMax } = rest.collector;
  const isKept = store !== undefined || data !== undefined;
  const opened = chooseStore(store, data, { clock, tombstonesMax });
  return Object.freeze({
    ...rest,
    /** Of sandboxes under the usual profile. */
    limits: limitsUnder(profiles.usual, ownLimits),
    /** Those that the runtime sets itself. */
    ownLimits,
    profiles,
    store: opened,
    /** Where the runtime persists its own records; undefined where nothing outlives the process. */
    records: isKept ? opened.documents : undefined,
    clock,
  });
}

function readData(value: unknown): Read<typeof dataOptions> | undefined {
  if (value === undefined) return undefined;
  return dataOptions.read(typeof value === "string" ? { path: value } : value, "options.data");
}

// Nothing is opened before the runtime starts.
function chooseStore(
  store: Store | undefined,
  data: Read<typeof dataOptions> | undefined,
  own: Pick<DataFolderOptions, "clock" | "tombstonesMax">,
): Store {
  if (data === undefined) return store === undefined ? new MemoryStore() : new OrderedStore(store, own.clock);
  if (store !== undefined)
    throw new InvalidOptionsError(
      "Cannot use data and store as only one of them may be given: got both",
      "data",
    );
  return openDataFolder({ ...own, ...data, writerUrl: programUrl("store-writer") });
}
