// Checks an imported individual field by field: a correct checksum proves nothing about its origin.
import { mutationBytesMax, parentsMax } from "../../model/sandboxes/ancestry.ts";
import { InvalidIndividualError } from "../../model/errors.ts";
import { parseModuleName, parseSandboxId } from "../../model/ids.ts";
import {
  individualFormat,
  type IndividualBody,
  type IndividualVersion,
} from "../../model/sandboxes/individual.ts";
import { areLabelsShort, labelsRule } from "../../model/sandboxes/labels.ts";
import { isTenant } from "../../model/sandboxes/placement.ts";
import { isStateCapture, restartBounds, restartKinds } from "../../model/sandboxes/process.ts";
import { show } from "../../model/show.ts";
import { checksumOf } from "../compiler/compiler.ts";

const versionsMax = 10_000;
const everyMsMin = 10;
const everyMsMax = 86_400_000;
const seedMax = 2 ** 32 - 1;
const timeMax = 8.64e15;

type Given<T> = { readonly [K in keyof T]?: unknown };

/** Checks everything but the checksum. */
export function checkShape(individual: IndividualBody): void {
  const given: Given<IndividualBody> = isRecord(individual) ? individual : {};
  if (given.format !== individualFormat) refuse(`of the format ${individualFormat}`, given.format);
  parseSandboxId(given.id);
  if (!isRecord(given.limits)) refuse("complete, with limits", given.limits);
  if (!isWhole(given.createdAt, timeMax)) refuse("with the time of its creation", given.createdAt);
  checkSecurity(given);
  checkOrigin(given);
  checkProcesses(given);
  checkModules(given.modules);
  checkRevisions(given.revisions);
  checkHead(individual);
}

function checkSecurity({ profile, placement }: Given<IndividualBody>): void {
  if (profile !== undefined && typeof profile !== "string") refuse("with the name of its profile", profile);
  if (placement === undefined) return;
  const { tenant, exclusive } = isRecord(placement) ? placement : {};
  const isPlaced = (tenant === null || isTenant(tenant)) && typeof exclusive === "boolean";
  if (!isPlaced) refuse("with a placement: a tenant or null, and whether it is exclusive", placement);
}

function checkOrigin({ ancestry, labels, deterministic }: Given<IndividualBody>): void {
  if (!isRecord(labels) || !Object.values(labels).every((label) => typeof label === "string"))
    refuse("with labels that are texts", labels);
  if (!areLabelsShort(labels as Record<string, string>)) refuse(`with labels: ${labelsRule}`, labels);
  const { parentIds, generation, depth, mutation } = isRecord(ancestry) ? ancestry : {};
  const isList = Array.isArray(parentIds) && parentIds.length <= parentsMax;
  if (!isList || !isWhole(generation) || !isWhole(depth) || !isMutation(mutation))
    refuse("with its ancestry: parents, generation, depth and a small mutation", ancestry);
  for (const id of parentIds as unknown[])
    if (!isAdmitted(() => parseSandboxId(id))) refuse("with the ids of its parents", id);
  if (deterministic === null) return;
  const { seed, now } = isRecord(deterministic) ? deterministic : {};
  if (!isWhole(seed, seedMax) || !isWhole(now, timeMax))
    refuse("with a seed and a time, or null", deterministic);
}

function checkProcesses({ processes, state, restart }: Given<IndividualBody>): void {
  if (state !== undefined && state !== null && !isStateCapture(state))
    refuse("with states as they were captured, or none", state);
  if (restart !== undefined && !isRestartRule(restart))
    refuse("with a valid rule for restarts, or none", restart);
  if (processes === undefined) return;
  const { supervisor, checkpoint } = isRecord(processes) ? processes : {};
  const isNamed = supervisor === null || isAdmitted(() => parseModuleName(supervisor));
  if (!isNamed || !isCheckpointMode(checkpoint)) refuse("with settings of its processes, or none", processes);
}

function isCheckpointMode(value: unknown): boolean {
  if (value === null || value === "message") return true;
  const { everyMs } = isRecord(value) ? value : {};
  return isWhole(everyMs, everyMsMax) && everyMs >= everyMsMin;
}

function isRestartRule(value: unknown): boolean {
  const { on, max, windowMs } = isRecord(value) ? value : {};
  const isKind = (kind: unknown): boolean => (restartKinds as readonly unknown[]).includes(kind);
  const isBounded = isNumber(max, restartBounds.max) && isNumber(windowMs, restartBounds.windowMs);
  return Array.isArray(on) && on.every(isKind) && isBounded;
}

function checkModules(modules: unknown): void {
  if (!isRecord(modules) || Object.keys(modules).length === 0) refuse("with at least one module", modules);
  let count = 0;
  for (const [name, versions] of Object.entries(modules as Record<string, unknown>)) {
    parseModuleName(name);
    if (!Array.isArray(versions) || versions.length === 0)
      refuse(`with a list of versions for module ${show(name)}`, versions);
    checkVersions(name, versions as unknown[]);
    count += (versions as unknown[]).length;
  }
  if (count > versionsMax) refuse(`of at most ${versionsMax} versions`, count);
}

function checkVersions(name: string, versions: readonly unknown[]): void {
  let last = 0;
  for (const entry of versions) {
    const { version, source, checksum, parent, mutation, createdAt } = (
      isRecord(entry) ? entry : {}
    ) as Given<IndividualVersion>;
    const isComplete =
      isNumber(version) &&
      typeof source === "string" &&
      (parent === null || isNumber(parent)) &&
      isMutation(mutation) &&
      isWhole(createdAt, timeMax);
    if (!isComplete) refuse(`with number, source, parent and time for each version of ${show(name)}`, entry);
    if ((version as number) <= last) refuse(`with the versions of ${show(name)} in order`, version);
    last = version as number;
    if (checksumOf(source as string) !== checksum)
      refuse(`whole, but version ${last} of ${show(name)} does not match its checksum`, checksum);
  }
}

function checkRevisions(revisions: unknown): void {
  if (!Array.isArray(revisions) || revisions.length === 0 || revisions.length > versionsMax)
    refuse("with a current revision", revisions);
  let last = 0;
  for (const entry of revisions as unknown[]) {
    const { revision, heads } = isRecord(entry) ? entry : {};
    const isComplete =
      isNumber(revision) && isRecord(heads) && Object.values(heads).every((number) => isNumber(number));
    if (!isComplete || (revision as number) <= last)
      refuse("with revisions in order, each with the versions of its modules", entry);
    last = revision as number;
  }
}

// Earlier revisions may refer to versions that were dropped; the current one may not.
function checkHead({ revisions, modules }: IndividualBody): void {
  for (const [name, number] of Object.entries(revisions.at(-1)?.heads ?? {})) {
    const isThere = Object.hasOwn(modules, name) && modules[name]?.some(({ version }) => version === number);
    if (isThere !== true) refuse(`with the current version of ${show(name)}`, number);
  }
}

export function refuse(rule: string, got: unknown): never {
  throw new InvalidIndividualError(rule, got);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isWhole = (value: unknown, max: number = Number.MAX_SAFE_INTEGER): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;

const isNumber = (value: unknown, max?: number): boolean => isWhole(value, max) && value !== 0;

const isMutation = (value: unknown): boolean =>
  value !== undefined && JSON.stringify(value).length <= mutationBytesMax;

function isAdmitted(admit: () => unknown): boolean {
  try {
    admit();
    return true;
  } catch {
    return false;
  }
}
