// A caller's spec of a sandbox, checked and completed into a plan.
import type { Artifact } from "../../code/modules/artifact.ts";
import { isFindings } from "../../code/compiler/compiler-protocol.ts";
import { isLinkage } from "../../code/modules/linkage.ts";
import type { Character } from "../../execution/protocol/messages.ts";
import {
  ancestryAmong,
  mutationBytesMax,
  parentsMax,
  type AncestrySpec,
} from "../../model/sandboxes/ancestry.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { parseModuleName, parseSandboxId, type SandboxId } from "../../model/ids.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import { limitNames, type Limits } from "../../model/limits.ts";
import {
  restartBounds,
  restartKinds,
  type CheckpointMode,
  type ProcessSettings,
  type RestartRule,
} from "../../model/sandboxes/process.ts";
import {
  at,
  boolean,
  custom,
  fields,
  integer,
  isRecord,
  named,
  refuseOption,
  unread,
  type Read,
  type Shape,
} from "../../model/schema.ts";
import { labelsOption } from "../../model/sandboxes/labels.ts";
import { show } from "../../model/show.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { Profile } from "../../security/profile.ts";
import { limitsUnder, type Profiles } from "../../security/profiles.ts";
import { randomName } from "../../std/random.ts";
import type { SandboxSpec } from "../types/spec.ts";
import { readGrants } from "./capability-options.ts";
import { readPath } from "../../model/module-path.ts";
import { checkMetering, placementOptions, readPlacement } from "./security-options.ts";
import { cancelTable, type WaitBounds } from "./cancellation.ts";

const dayMs = 86_400_000;
const namesShownMax = 20;
const checkpointOptions = fields({ everyMs: integer({ min: 10, max: dayMs, default: 60_000 }) });

const restartOptions = fields({
  on: custom((value: unknown = restartKinds.filter((kind) => kind !== "load"), path) => {
    // The list may have holes, and is the caller's: what counts is a copy.
    const kinds: unknown = Array.isArray(value) ? Array.from(value) : undefined;
    if (isRestartKinds(kinds)) return Object.freeze(kinds);
    throw refuseOption({ verb: "use", path, rule: `a list of ${restartKinds.join(", ")}`, got: value });
  }),
  max: integer({ min: 1, max: restartBounds.max, default: 3 }),
  windowMs: integer({ min: 1, max: restartBounds.windowMs, default: 60_000 }),
} satisfies Shape<RestartRule>);

function isRestartKinds(value: unknown): value is RestartRule["on"] {
  return Array.isArray(value) && value.every((kind) => (restartKinds as readonly unknown[]).includes(kind));
}

const ancestryOptions = fields({
  parentIds: custom((value = [], path) => {
    if (Array.isArray(value) && value.length <= parentsMax)
      return Array.from(value, (id) => parseSandboxId(id));
    const rule = `it must be a list of at most ${parentsMax} ids`;
    throw new InvalidOptionsError(`Cannot use ${path} as ${rule}: got ${show(value)}`, path);
  }),
  generation: integer({ min: 0, max: 2 ** 31 }),
  mutation: custom(readMutation),
} satisfies Shape<AncestrySpec>);

const deterministicOptions = fields({
  seed: integer({ min: 0, max: 2 ** 32 - 1 }),
  now: integer({ min: 0, max: 8.64e15 }),
});

const specOptions = fields(
  {
    supervisor: unread,
    checkpoint: at("checkpoint", custom(readCheckpoint)),
    restart: at(
      "restart",
      custom((value, path) => (isLeftOut(value) ? null : restartOptions.read(value, path))),
    ),
    modules: unread,
    path: unread,
    autoReload: boolean(false),
    limits: named(limitNames, unread),
    profile: unread,
    placement: named(placementOptions.names, unread),
    deterministic: named(deterministicOptions.names, unread),
    ancestry: at("ancestry", ancestryOptions),
    labels: at("labels", labelsOption),
    capabilities: unread,
    ...cancelTable,
  } satisfies Shape<SandboxSpec>,
  "create()",
);

type CompleteSpec = Read<typeof specOptions>;

/** The names of a spec's options, and of those inside of them. */
export const { names: specNames, inner: specInner } = specOptions;

export interface SpecContext {
  readonly profiles: Profiles;
  /** The limits that the runtime sets itself. */
  readonly ownLimits: Partial<Limits>;
  readonly now: () => number;
  /** What the runtime has to grant. */
  readonly capabilities: readonly string[];
  /** How deep below its seeds a parent is, and its generation, as far as sandboxes of a tenant may know them. */
  readonly depthOf: (parentId: string, tenant: string | null) => number;
  readonly generationOf: (parentId: string, tenant: string | null) => number | undefined;
}

/** A plan that is complete but for the files that are still to be read. */
export interface PathPlan {
  readonly path: string | undefined;
  readonly isFollowing: boolean;
  readonly plan: SandboxPlan;
  /** How its caller bounds its creation. */
  readonly bounds: WaitBounds;
}

/** The plan of a spec that may name a file or folder instead of modules. */
export function completePathSpec(id: unknown, spec: unknown, context: SpecContext): PathPlan {
  const given = specOptions.read(spec, "spec");
  const { path, autoReload: isFollowing, signal, deadlineMs } = given;
  const bounds = { signal, deadlineMs };
  if (path === undefined) {
    if (isFollowing)
      throw new InvalidOptionsError(
        "Cannot use autoReload as it must come with a path: there is none",
        "autoReload",
      );
    if (given.modules === undefined) {
      const message = "Cannot use spec as it must have modules, or a path to read them from: it has neither";
      throw new InvalidOptionsError(message, "modules");
    }
    return { path, isFollowing, bounds, plan: toPlan(id, given, context) };
  }
  return {
    path: readPath(path, given.modules),
    isFollowing,
    bounds,
    plan: toPlan(id, { ...given, modules: toBeRead }, context),
  };
}

const toBeRead = { main: "" };

export function completeSpec(id: unknown, spec: unknown, context: SpecContext): SandboxPlan {
  return toPlan(id, specOptions.read(spec, "spec"), context);
}

function toPlan(id: unknown, spec: CompleteSpec, context: SpecContext): SandboxPlan {
  const { profiles, ownLimits } = context;
  const profile = spec.profile === undefined ? profiles.usual : profiles.find(spec.profile);
  const limits = resolveLimits(limitsUnder(profile, ownLimits), spec.limits);
  checkMetering(profile, limits);
  const placement = readPlacement(spec.placement, profile);
  const code = readModules(spec.modules);
  return {
    id: id === undefined ? (randomName("sandbox") as SandboxId) : parseSandboxId(id),
    code,
    limits,
    profile,
    placement,
    character: { deterministic: readDeterministic(spec.deterministic, context.now) },
    ancestry: ancestryAmong(context, placement.tenant, spec.ancestry),
    labels: spec.labels,
    processes: readProcesses(spec, spec.modules === toBeRead ? undefined : code),
    capabilities: readSpecGrants(spec, context.capabilities, profile),
    restart: spec.restart,
    signal: spec.signal,
  };
}

// What happens in a deterministic sandbox comes from its seed and its arguments alone.
function readSpecGrants(
  { capabilities, deterministic }: CompleteSpec,
  names: readonly string[],
  profile: Profile,
): SandboxPlan["capabilities"] {
  const grants = readGrants(capabilities, names, profile);
  if (grants.size === 0 || deterministic === undefined) return grants;
  throw new InvalidOptionsError(
    "Cannot grant capabilities as the sandbox must not be deterministic: it is",
    "capabilities",
  );
}

export function readModules(value: unknown): Map<string, string | Artifact> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  if (entries.length === 0) {
    const rule = 'an object of at least one name and its source, as in { main: "export const f = () => 1;" }';
    const got = value === undefined ? "none" : isRecord(value) ? "an empty object" : show(value);
    throw new InvalidOptionsError(`Cannot use modules as they must be ${rule}: got ${got}`, "modules");
  }
  const modules = new Map<string, string | Artifact>();
  for (const [name, module] of entries)
    modules.set(parseModuleName(name), readModule(module, `modules.${name}`));
  return modules;
}

// A tree of processes, and when their states are persisted.
function readProcesses(
  { supervisor, checkpoint }: CompleteSpec,
  modules: ReadonlyMap<string, unknown> | undefined,
): ProcessSettings | null {
  if (supervisor !== undefined) {
    const name = parseModuleName(supervisor, "supervisor");
    if (modules !== undefined) checkSupervisor(name, modules);
    return { supervisor: name, checkpoint: checkpoint ?? null };
  }
  if (checkpoint === undefined) return null;
  throw new InvalidOptionsError(
    "Cannot use checkpoint as there must be a supervisor: there is none",
    "checkpoint",
  );
}

/** Throws for a supervisor that is none of the modules. */
export function checkSupervisor(name: string, modules: ReadonlyMap<string, unknown>): void {
  if (modules.has(name)) return;
  const rule = `it must be one of the modules, ${[...modules.keys()].slice(0, namesShownMax).join(", ")}`;
  throw new InvalidOptionsError(`Cannot use supervisor as ${rule}: got ${show(name)}`, "supervisor");
}

function readCheckpoint(value: unknown, path: string): CheckpointMode | undefined {
  if (isLeftOut(value) || value === "message") return value;
  if (!isRecord(value)) {
    const message = `Cannot use ${path} as it must be "message" or { everyMs }: got ${show(value)}`;
    throw new InvalidOptionsError(message, path);
  }
  return checkpointOptions.read(value, path);
}

function isLeftOut(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** A source, or what runtime.compile made of one. */
export function readModule(value: unknown, path: string): string | Artifact {
  if (typeof value === "string") return value;
  if (isArtifact(value)) return value;
  throw new InvalidOptionsError(
    `Cannot use ${path} as it must be a source or a compiled module: got ${show(value)}`,
    path,
  );
}

function isArtifact(value: unknown): value is Artifact {
  if (!isRecord(value)) return false;
  const given: { readonly [K in keyof Artifact]?: unknown } = value;
  const isText = (part: unknown): boolean => typeof part === "string";
  const isTexts = (part: unknown): boolean => Array.isArray(part) && part.every(isText);
  return (
    [given.checksum, given.source, given.code].every(isText) &&
    [given.imports, given.dynamicImports, given.exports, given.sourceMaps].every(isTexts) &&
    isLinkage(given.linkage) &&
    isFindings(given.findings) &&
    Array.isArray(given.warnings)
  );
}

export function readDeterministic(value: unknown, now: () => number): Character["deterministic"] {
  if (value === undefined) return null;
  const path = "deterministic";
  const given = deterministicOptions.read(value, path);
  if (given.seed === undefined)
    throw new InvalidOptionsError(`Cannot use ${path} as it must have a seed: got none`, `${path}.seed`);
  return { seed: given.seed, now: given.now ?? now() };
}

/** A mutation record is stored with the sandbox and must be plain, small data. */
export function readMutation(value: unknown): unknown {
  if (value === undefined) return null;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  if (text !== undefined && text.length <= mutationBytesMax) return JSON.parse(text) as unknown;
  throw new InvalidOptionsError(
    `Cannot use mutation as it must be JSON of at most ${mutationBytesMax} bytes: got ${show(value)}`,
    "mutation",
  );
}
