// From sources to modules that can be loaded: compile, pass the gate, link. All code takes this way.
import type { Artifact, Compilation, CompileRequest } from "../../code/modules/artifact.ts";
import { compileOwnerOf } from "../../code/compiler/compile-owner.ts";
import { admitCompiled } from "../../code/compiler/compiler.ts";
import { unboundImports, type UnboundImport } from "../../code/modules/link-check.ts";
import { loadOrder, type LoadOrder } from "../../code/modules/load-order.ts";
import { planLinking, type MissingImport } from "../../code/modules/module-graph.ts";
import type { Revision, Version } from "../../code/modules/version-log.ts";
import type { IndividualBody } from "../../model/sandboxes/individual.ts";
import { LoadError } from "../../model/errors.ts";
import { isOwnModuleName } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { Placement } from "../../model/sandboxes/placement.ts";
import { resolveSpecifier } from "../../model/code/specifier.ts";
import type { Profile } from "../../security/profile.ts";
import type { CodeOwner, Gatekeeper, IsOwn } from "./gatekeeper.ts";
import type { Packages } from "./packages.ts";

/** The module that gives guests processes. */
export const guestModule = "vivarium/guest";
/** The module that is in every sandbox. */
const capabilitiesModule = "vivarium/capabilities";

/** How many imports an error names, and how many exports beside each. */
const unboundMax = 5;
const exportsShownMax = 20;

/** How much code one sandbox may have in all: it must fit into one frame, quoted. */
const codeLengthMax = 64 * 2 ** 20;

/** Whether any of the modules wants processes. */
export function wantProcesses(modules: ReadonlyMap<string, Artifact>): boolean {
  return [...modules.values()].some(({ imports, dynamicImports }) => {
    return imports.includes(guestModule) || dynamicImports.includes(guestModule);
  });
}

/** The limits that say how code is compiled. */
export type CodeLimits = Pick<Limits, "compileMs" | "sourceBytes" | "fuel">;

export type Compile = (request: CompileRequest) => Promise<Compilation>;

/** What compiles code and checks it. */
export interface BuildParts {
  readonly compile: Compile;
  readonly gatekeeper: Gatekeeper;
  readonly packages: Packages;
}

/** The sandbox that modules belong to, and how they may be compiled. */
export interface ModuleOwner extends CodeOwner {
  readonly placement: Placement;
  readonly limits: CodeLimits;
  /** The modules that it has already. */
  readonly modules: ReadonlyMap<string, unknown>;
}

/** Compiles what is not compiled yet; rejects with a `LoadError` for the first module that is not a program. */
export async function compileEach(
  given: ReadonlyMap<string, string | Artifact>,
  owner: Pick<ModuleOwner, "id" | "placement" | "profile" | "limits">,
  { compile, packages }: Pick<BuildParts, "compile" | "packages">,
): Promise<Map<string, Artifact>> {
  const { compileMs, fuel } = owner.limits;
  const isMetered = fuel !== null;
  const forWhom = compileOwnerOf(owner);
  const results = await Promise.all(
    [...given].map(async ([name, module]) => {
      const isReady = typeof module !== "string" && module.metered === isMetered;
      const source = typeof module === "string" ? module : module.source;
      const sourceBytes = packages.bytesMaxOf({ name, source }, owner);
      const request = { name, source, compileMs, sourceBytes, isMetered, owner: forWhom };
      return { name, result: isReady ? admitCompiled(module, request) : await compile(request) };
    }),
  );
  const modules = new Map<string, Artifact>();
  for (const { name, result } of results) {
    if (!result.ok) throw new LoadError(result.message, result);
    modules.set(name, result.artifact);
  }
  return modules;
}

/**
 * Compiles what is not compiled yet and has all of it pass the gate; rejects with a `LoadError` for the first module that
 * is not a program, or that the owner's profile does not admit.
 */
async function compileModules(
  given: ReadonlyMap<string, string | Artifact>,
  owner: ModuleOwner,
  parts: BuildParts,
): Promise<Map<string, Artifact>> {
  return admitModules(await compileEach(given, owner, parts), owner, parts);
}

/** The same, with the packages that these modules import and the owner does not have. */
export async function compileWithPackages(
  given: ReadonlyMap<string, string | Artifact>,
  owner: ModuleOwner,
  parts: BuildParts,
): Promise<Map<string, Artifact>> {
  const modules = await compileEach(given, owner, parts);
  for (const [name, artifact] of await packagesFor(modules, owner, parts)) modules.set(name, artifact);
  return admitModules(modules, owner, parts);
}

/** Modules that import something, by name. */
export type Importers = ReadonlyMap<string, Pick<Artifact, "imports" | "dynamicImports">>;

/**
 * The npm packages that modules import by names which neither they nor the owner have, as modules of those names: those that
 * the owner's profile admits, found from `npmFolder`; without that there are none. They have not passed the gate yet. Rejects
 * with a `LoadError` for one that is admitted and cannot be had.
 */
export async function packagesFor(
  importers: Importers,
  owner: ModuleOwner,
  { packages }: Pick<BuildParts, "packages">,
): Promise<Map<string, Artifact>> {
  const has = (name: string): boolean => importers.has(name) || owner.modules.has(name);
  let wanted = new Set<string>();
  for (const [importer, { imports, dynamicImports }] of importers) {
    for (const specifier of [...imports, ...dynamicImports]) {
      const isThere = resolveSpecifier(specifier, importer, has) !== undefined;
      if (!isThere && packages.hasFolder && packages.admits(specifier, owner.profile)) wanted.add(specifier);
    }
  }
  const forWhom = { compileOwner: compileOwnerOf(owner), isMetered: owner.limits.fuel !== null };
  const found = new Map<string, Artifact>();
  while (wanted.size > 0) {
    const names = [...wanted];
    const artifacts = await Promise.all(names.map((name) => packages.moduleOf(name, forWhom)));
    for (const [i, artifact] of artifacts.entries()) found.set(names[i] ?? "", artifact);
    // What a package shares with others is a module of its own, and as admitted as the package that needs it.
    const shared = artifacts.flatMap(({ imports }) => imports.filter((name) => !isOwnModuleName(name)));
    wanted = new Set(shared.filter((name) => !found.has(name) && !has(name)));
  }
  return found;
}

function admitModules(
  modules: Map<string, Artifact>,
  owner: ModuleOwner,
  { gatekeeper }: BuildParts,
): Map<string, Artifact> {
  const isOwn: IsOwn = (specifier, importer) => {
    const has = (name: string): boolean => modules.has(name) || owner.modules.has(name);
    return resolveSpecifier(specifier, importer, has) !== undefined;
  };
  // No module is admitted, or recorded as admitted, before it is known that none is rejected.
  const judged = Array.from(modules, ([name, artifact]) => {
    return { name, artifact, objections: gatekeeper.assertAdmissible(name, artifact, { owner, isOwn }) };
  });
  for (const { name, artifact, objections } of judged)
    modules.set(name, gatekeeper.admit(name, artifact, { owner, isOwn, objections }));
  return modules;
}

/** The versions of an earlier sandbox, with their sources. */
export interface VersionHistory {
  readonly versions: readonly (Omit<Version, "artifact"> & { readonly source: string })[];
  readonly revisions: readonly Revision[];
}

/** The history of an individual. */
export function historyOf({
  modules,
  revisions,
}: Pick<IndividualBody, "modules" | "revisions">): VersionHistory {
  return {
    versions: Object.entries(modules).flatMap(([module, kept]) =>
      kept.map((entry) => ({ module, ...entry })),
    ),
    revisions: revisions.map(({ revision, heads }) => ({ revision, heads: new Map(Object.entries(heads)) })),
  };
}

/** A history cut to the stored number of versions of each module: the newest ones, and the current one however old. */
export function newestOf({ versions, revisions }: VersionHistory, versionsMax: number): VersionHistory {
  const heads = revisions.at(-1)?.heads;
  const counts = new Map<string, number>();
  const kept = versions.toReversed().filter(({ module, version }) => {
    const current = heads?.get(module);
    // One place is reserved for a current version that is older.
    const isReserved = current !== undefined && version > current;
    const count = counts.get(module) ?? 0;
    if (version !== current && count >= versionsMax - (isReserved ? 1 : 0)) return false;
    counts.set(module, count + 1);
    return true;
  });
  return { versions: kept.toReversed(), revisions };
}

/** Compiles every version; rejects with a `LoadError` for the first that is not a program or does not pass the gate. */
export async function compileHistory(
  { versions }: VersionHistory,
  { id, limits, profile, placement, grants }: ModuleOwner,
  parts: BuildParts,
): Promise<Version[]> {
  const modules = new Map(versions.map(({ module }) => [module, true]));
  const owner = { id, limits, profile, placement, modules, ...(grants !== undefined && { grants }) };
  const compiled = await Promise.all(
    versions.map(async ({ source, module, version, parent, mutation, createdAt }) => {
      const artifacts = await compileModules(new Map([[module, source]]), owner, parts);
      return [...artifacts.values()].map((artifact) => {
        return { module, version, artifact, parent, mutation, createdAt };
      });
    }),
  );
  return compiled.flat();
}

/**
 * The order in which modules are evaluated; throws a `LoadError` that names imports that no module provides, and names that
 * no module exports.
 */
export function linkModules(
  modules: ReadonlyMap<string, Artifact>,
  { hasProcesses, profile, packages }: LinkTerms,
): LoadOrder {
  const codeLength = [...modules.values()].reduce((sum, { code }) => sum + code.length, 0);
  if (codeLength > codeLengthMax) {
    const rule = `all modules together must have at most ${codeLengthMax} characters of code`;
    throw new LoadError(`Cannot load the modules as ${rule}: they have ${codeLength}`, { phase: "link" });
  }
  const plan = planLinking(modules, [capabilitiesModule, ...(hasProcesses ? [guestModule] : [])]);
  if (plan.ok) {
    const unbound = unboundImports(modules, plan.graph, unboundMax);
    if (unbound.length === 0) return loadOrder(modules, plan.graph);
    throw new LoadError(unboundMessage(unbound), { phase: "link" });
  }
  if (plan.missing.every(({ specifier }) => specifier === guestModule)) {
    const rule = "the sandbox must have had processes from its creation";
    const advice = "it was created without; destroy it and create it again with the new code";
    throw new LoadError(`Cannot import "${guestModule}" by a reload as ${rule}: ${advice}`, {
      phase: "link",
    });
  }
  const adviceOn = (specifier: string): string | undefined => packages.adviceOn(specifier, profile);
  throw new LoadError(missingMessage(plan.missing, modules, adviceOn), { phase: "link" });
}

/** What else decides what can be imported. */
export interface LinkTerms {
  readonly hasProcesses: boolean;
  readonly profile: Profile;
  readonly packages: Pick<Packages, "adviceOn">;
}

function unboundMessage(unbound: readonly UnboundImport[]): string {
  const parts = unbound.map(({ importer, specifier, name, why, exports }) => {
    const what = `"${name}" from "${specifier}" into "${importer}"`;
    const names = exports.slice(0, exportsShownMax).join(", ");
    const has = exports.length === 0 ? "nothing" : names + (exports.length > exportsShownMax ? ", …" : "");
    return why === "missing"
      ? `${what} as that module exports ${has}`
      : `${what} as several modules export it by that name: that module exports ${has}`;
  });
  return `Cannot import ${parts.join("; ")}`;
}

function missingMessage(
  missing: readonly MissingImport[],
  modules: ReadonlyMap<string, Artifact>,
  adviceOn: (specifier: string) => string | undefined,
): string {
  const own = missing.find(({ specifier }) => isOwnModuleName(specifier) && specifier !== guestModule);
  if (own !== undefined) {
    const rule = `the runtime has only ${guestModule} and ${capabilitiesModule}`;
    return `Cannot import "${own.specifier}" into "${own.importer}" as ${rule}`;
  }
  const imports = missing.slice(0, 5).map(({ importer, specifier }) => `"${specifier}" into "${importer}"`);
  const names = [...modules.keys()].slice(0, 20).join(", ");
  const [advice] = missing.flatMap(({ specifier }) => adviceOn(specifier) ?? []);
  const hint = advice === undefined ? "" : `; ${advice}`;
  return `Cannot import ${imports.join(", ")} as the sandbox has only these modules: ${names}${hint}`;
}
