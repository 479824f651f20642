// A caller's wish for a sandbox, checked and completed into a plan.
import type { Artifact } from "../../code/modules/artifact.ts";
import { isFindings } from "../../code/compiler/compiler-protocol.ts";
import type { Character } from "../../execution/protocol/messages.ts";
import { mutationBytesMax, parentsMax, seedAncestry, type Ancestry } from "../../model/ancestry.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import { parseModuleName, parseSandboxId, type SandboxId } from "../../model/ids.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import type { Profiles } from "../../security/profiles.ts";
import { limitsUnder } from "../../security/profiles.ts";
import { checkMetering, readPlacement } from "./security-options.ts";
import {
  restartKinds,
  type CheckpointMode,
  type ProcessSettings,
  type RestartRule,
} from "../../model/process.ts";
import { show } from "../../model/show.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { Profile } from "../../security/profile.ts";
import { randomName } from "../../std/random.ts";
import { readGrants } from "./capability-options.ts";
import { readBoolean, readFields, readInteger, readSignal, readTexts, type Fields } from "./options.ts";

const specNames = [
  "supervisor",
  "checkpoint",
  "restart",
  "modules",
  "path",
  "autoReload",
  "limits",
  "profile",
  "placement",
  "deterministic",
  "ancestry",
  "labels",
  "capabilities",
  "signal",
];

export interface SpecContext {
  readonly profiles: Profiles;
  /** The limits that the runtime sets itself. */
  readonly ownLimits: Partial<Limits>;
  readonly now: () => number;
  /** What the runtime has to grant. */
  readonly capabilities: readonly string[];
  /** How deep below its seeds a parent is. */
  readonly depthOf: (parentId: string) => number;
}

/** A wish that is complete but for the files that are still to be read. */
export interface PathPlan {
  readonly path: string | undefined;
  readonly isFollowing: boolean;
  readonly plan: SandboxPlan;
}

/** A wish that may name a file or folder instead of modules. */
export function completePathSpec(id: unknown, spec: unknown, context: SpecContext): PathPlan {
  const { path, autoReload, ...rest } = readFields(spec, "spec", specNames);
  const isFollowing = readBoolean({ autoReload }, { path: "spec", name: "autoReload" }, false);
  if (path === undefined) {
    if (isFollowing)
      throw new InvalidOptionsError(
        "Cannot use autoReload as it must come with a path: there is none",
        "autoReload",
      );
    return { path, isFollowing, plan: completeSpec(id, rest, context) };
  }
  if (typeof path !== "string" || rest["modules"] !== undefined) {
    const what = typeof path === "string" ? "both" : show(path);
    throw new InvalidOptionsError(
      `Cannot use path as it must be a text, and stand instead of modules: got ${what}`,
      "path",
    );
  }
  return { path, isFollowing, plan: completeSpec(id, { ...rest, modules: toBeRead }, context) };
}

const toBeRead = { main: "" };

export function completeSpec(id: unknown, spec: unknown, context: SpecContext): SandboxPlan {
  const given = readFields(spec, "spec", specNames);
  const { profiles, ownLimits } = context;
  const profile = given["profile"] === undefined ? profiles.usual : profiles.find(given["profile"]);
  const limits = resolveLimits(
    limitsUnder(profile, ownLimits),
    given["limits"] as Partial<Limits> | undefined,
  );
  checkMetering(profile, limits);
  return {
    id: id === undefined ? (randomName("sandbox") as SandboxId) : parseSandboxId(id),
    code: readModules(given["modules"]),
    limits,
    profile,
    placement: readPlacement(given["placement"], profile),
    character: { deterministic: readDeterministic(given["deterministic"], context.now) },
    ancestry: readAncestry(given["ancestry"], context.depthOf),
    labels: readTexts(given["labels"], "labels"),
    processes: readProcesses(given),
    capabilities: readSpecGrants(given, context.capabilities, profile),
    restart: readRestart(given["restart"]),
    signal: readSignal(given["signal"], "signal"),
  };
}

// What happens in a deterministic sandbox comes from its seed and its arguments alone.
function readSpecGrants(
  given: Fields,
  names: readonly string[],
  profile: Profile,
): SandboxPlan["capabilities"] {
  const grants = readGrants(given["capabilities"], names, profile);
  if (grants.size === 0 || given["deterministic"] === undefined) return grants;
  throw new InvalidOptionsError(
    "Cannot grant capabilities as the sandbox must not be deterministic: it is",
    "capabilities",
  );
}

export function readModules(value: unknown): Map<string, string | Artifact> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  if (entries.length === 0) {
    throw new InvalidOptionsError(
      `Cannot use modules as they must be an object with at least one module: got ${show(value)}`,
      "modules",
    );
  }
  const modules = new Map<string, string | Artifact>();
  for (const [name, module] of entries)
    modules.set(parseModuleName(name), readModule(module, `modules.${name}`));
  return modules;
}

// A tree of processes, and when their states are written down.
function readProcesses(given: Fields): ProcessSettings | null {
  const { supervisor, checkpoint } = given;
  if (supervisor === undefined) {
    if (checkpoint === undefined) return null;
    throw new InvalidOptionsError(
      "Cannot use checkpoint as there must be a supervisor: there is none",
      "checkpoint",
    );
  }
  return { supervisor: parseModuleName(supervisor), checkpoint: readCheckpoint(checkpoint) };
}

function readCheckpoint(value: unknown): CheckpointMode {
  if (value === undefined || value === null) return null;
  if (value === "message") return value;
  const path = "checkpoint";
  if (typeof value === "string") {
    throw new InvalidOptionsError(
      `Cannot use ${path} as it must be "message" or { everyMs }: got ${show(value)}`,
      path,
    );
  }
  const fields = readFields(value, path, ["everyMs"]);
  return {
    everyMs: readInteger(fields, { path, name: "everyMs" }, { min: 10, max: 86_400_000, default: 60_000 }),
  };
}

function readRestart(value: unknown): RestartRule | null {
  if (value === undefined || value === null) return null;
  const path = "restart";
  const fields = readFields(value, path, ["on", "max", "windowMs"]);
  const on = fields["on"] ?? restartKinds.filter((kind) => kind !== "load");
  if (!Array.isArray(on) || !on.every((kind) => (restartKinds as readonly unknown[]).includes(kind))) {
    const rule = `it must be a list of ${restartKinds.join(", ")}`;
    throw new InvalidOptionsError(`Cannot use ${path}.on as ${rule}: got ${show(on)}`, `${path}.on`);
  }
  return {
    on: on as RestartRule["on"],
    max: readInteger(fields, { path, name: "max" }, { min: 1, max: 1_000, default: 3 }),
    windowMs: readInteger(fields, { path, name: "windowMs" }, { min: 1, max: 86_400_000, default: 60_000 }),
  };
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
  if (typeof value !== "object" || value === null) return false;
  const given = value as Record<keyof Artifact, unknown>;
  const isText = (part: unknown): boolean => typeof part === "string";
  const isTexts = (part: unknown): boolean => Array.isArray(part) && part.every(isText);
  return (
    [given.checksum, given.source, given.code].every(isText) &&
    [given.imports, given.dynamicImports, given.exports, given.sourceMaps].every(isTexts) &&
    isFindings(given.findings) &&
    Array.isArray(given.warnings)
  );
}

export function readDeterministic(value: unknown, now: () => number): Character["deterministic"] {
  if (value === undefined) return null;
  const path = "deterministic";
  const given = readFields(value, path, ["seed", "now"]);
  if (given["seed"] === undefined)
    throw new InvalidOptionsError(`Cannot use ${path} as it must have a seed: got none`, `${path}.seed`);
  return {
    seed: readInteger(given, { path, name: "seed" }, { min: 0, max: 2 ** 32 - 1, default: 0 }),
    now: readInteger(given, { path, name: "now" }, { min: 0, max: 8.64e15, default: now() }),
  };
}

function readAncestry(value: unknown, depthOf: (parentId: string) => number): Ancestry {
  if (value === undefined) return seedAncestry;
  const path = "ancestry";
  const given = readFields(value, path, ["parentIds", "generation", "mutation"]);
  const parentIds = given["parentIds"] ?? [];
  if (!Array.isArray(parentIds) || parentIds.length > parentsMax) {
    throw new InvalidOptionsError(
      `Cannot use ${path}.parentIds as it must be a list of at most ${parentsMax} ids: got ${show(parentIds)}`,
      `${path}.parentIds`,
    );
  }
  const parents = parentIds.map((id) => parseSandboxId(id));
  return Object.freeze({
    parentIds: parents,
    generation: readInteger(given, { path, name: "generation" }, { min: 0, max: 2 ** 31, default: 0 }),
    mutation: readMutation(given["mutation"]),
    depth: parents.reduce((deepest, parent) => Math.max(deepest, depthOf(parent) + 1), 0),
  });
}

/** A mutation record is kept with the sandbox and must be plain, small data. */
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
