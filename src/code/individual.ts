// Sandboxes as plain data: how a version log is written down, and how what comes from elsewhere is checked before any of
// it is believed.
import { createHash } from "node:crypto";
import { InvalidIndividualError } from "../model/errors.ts";
import { parseModuleName, parseSandboxId } from "../model/ids.ts";
import {
  individualFormat,
  type Individual,
  type IndividualBody,
  type IndividualVersion,
} from "../model/individual.ts";
import { show } from "../model/show.ts";
import { checksumOf } from "./compiler.ts";
import type { VersionLog } from "./version-log.ts";

const bytesMax = 64 * 2 ** 20;
const versionsMax = 10_000;

/** The modules and revisions of a log, as an individual has them. */
export function writeVersions(log: VersionLog): Pick<IndividualBody, "modules" | "revisions"> {
  const modules = log.modules.map((module): [string, readonly IndividualVersion[]] => {
    const versions = log.history(module).map(({ version, artifact, parent, mutation, createdAt }) => {
      const { source, checksum } = artifact;
      return { version, source, checksum, parent, mutation, createdAt };
    });
    return [module, versions];
  });
  const revisions = log.revisions.map(({ revision, heads }) => ({
    revision,
    heads: Object.fromEntries(heads),
  }));
  return { modules: Object.fromEntries(modules), revisions };
}

/** Adds the checksum. */
export function seal(body: IndividualBody): Individual {
  return { ...body, checksum: checksumOfBody(body) };
}

/** The individual that a value is; throws `INVALID_INDIVIDUAL` for what was tampered with, is too large, or is none. */
export function checkIndividual(value: unknown): Individual {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined || text.length > bytesMax) refuse(`at most ${bytesMax} bytes of JSON`, text?.length);
  const individual = JSON.parse(text as string) as Individual;
  checkShape(individual);
  const { checksum, ...body } = individual;
  if (checksum !== checksumOfBody(body)) refuse("as it was exported, which its checksum proves", checksum);
  return individual;
}

/** Checks everything but the seal; a store's records come without one. */
export function checkShape(individual: IndividualBody): void {
  const given: { readonly [K in keyof IndividualBody]?: unknown } = isRecord(individual) ? individual : {};
  if (given.format !== individualFormat) refuse(`of the format ${individualFormat}`, given.format);
  parseSandboxId(given.id);
  if (!isRecord(given.limits) || !isRecord(given.ancestry) || !isRecord(given.labels)) {
    refuse("complete, with limits, ancestry and labels", given.limits);
  }
  checkModules(given.modules);
  checkRevisions(individual);
}

function checkModules(modules: unknown): void {
  if (!isRecord(modules) || Object.keys(modules).length === 0) refuse("with at least one module", modules);
  let count = 0;
  for (const [name, versions] of Object.entries(modules as Record<string, unknown>)) {
    parseModuleName(name);
    if (!Array.isArray(versions)) refuse(`with a list of versions for module ${show(name)}`, versions);
    for (const version of versions as unknown[]) checkVersion(name, version);
    count += (versions as unknown[]).length;
  }
  if (count > versionsMax) refuse(`of at most ${versionsMax} versions`, count);
}

function checkVersion(name: string, value: unknown): void {
  const version = (isRecord(value) ? value : {}) as Partial<IndividualVersion>;
  const { source, checksum } = version;
  if (!isNumber(version.version) || typeof source !== "string" || typeof checksum !== "string") {
    refuse(`with number, source and checksum for each version of ${show(name)}`, value);
  }
  const isWhole = checksumOf(source as string) === checksum;
  if (!isWhole)
    refuse(`whole, but version ${version.version} of ${show(name)} does not match its checksum`, checksum);
}

function checkRevisions({ revisions, modules }: IndividualBody): void {
  const head = Array.isArray(revisions) ? revisions.at(-1) : undefined;
  if (head === undefined || !isRecord(head.heads) || !isNumber(head.revision))
    refuse("with a current revision", head);
  for (const [name, number] of Object.entries(head?.heads ?? {})) {
    const isThere = Object.hasOwn(modules, name) && modules[name]?.some(({ version }) => version === number);
    if (isThere !== true) refuse(`with the current version of ${show(name)}`, number);
  }
}

// Objects are written with their names in order, so that the way it travelled does not matter.
function checksumOfBody(body: IndividualBody): string {
  return createHash("sha256").update(canonical(body)).digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const parts = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${parts.join(",")}}`;
}

function refuse(rule: string, got: unknown): never {
  throw new InvalidIndividualError(rule, got);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
