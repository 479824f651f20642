// The profiles of one runtime: the presets, and what its user adds to them, checked field by field.
import { InvalidLimitsError, InvalidProfileError } from "../model/errors.ts";
import { resolveLimits } from "../model/limit-checks.ts";
import { defaultLimits, type Limits } from "../model/limits.ts";
import { show } from "../model/show.ts";
import { isFindingName, findingNames } from "../model/finding.ts";
import { contradictionIn } from "./consistency.ts";
import { presets } from "./presets.ts";
import {
  auditLevels,
  gateDecisions,
  npmPolicies,
  type Features,
  type Profile,
  type ScanJudge,
  type ScanPolicy,
  type ScanRule,
} from "./profile.ts";

const profilesMax = 100;
const nameForm = /^[A-Za-z0-9._-]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;

/** Every profile of a runtime by name. */
export class Profiles {
  readonly #profiles: ReadonlyMap<string, Profile>;
  /** Of sandboxes that name none. */
  readonly usual: Profile;

  /** Throws `INVALID_PROFILE` for what is of the wrong form, contradicts itself, or has the name of a preset. */
  constructor(given: unknown, usual: unknown) {
    const profiles = new Map<string, Profile>(Object.entries(presets));
    const own = Object.entries(fieldsOf(given, "profiles", undefined));
    if (own.length > profilesMax) throw wrong("profiles", `have at most ${profilesMax} of them`, own.length);
    for (const [name, profile] of own) {
      if (!nameForm.test(name)) throw wrong(name, "have a name of 1–64 of A–Z a–z 0–9 . _ -", name);
      if (profiles.has(name)) throw wrong(name, "have a name that is not taken", name);
      profiles.set(name, complete(name, profile, profiles));
    }
    this.#profiles = profiles;
    this.usual = this.find(usual);
  }

  get names(): readonly string[] {
    return [...this.#profiles.keys()];
  }

  all(): Iterable<Profile> {
    return this.#profiles.values();
  }

  /** The profile of a name; throws `INVALID_PROFILE` where there is none. */
  find(name: unknown): Profile {
    const profile = typeof name === "string" ? this.#profiles.get(name) : undefined;
    if (profile !== undefined) return profile;
    throw wrong(String(name), `be one of ${this.names.join(", ")}`, name);
  }
}

/** The limits of a profile's sandboxes in a runtime that sets some of its own. */
export function limitsUnder({ limits }: Pick<Profile, "limits">, runtime: Partial<Limits>): Limits {
  const merged: Partial<Limits> = { ...limits, ...runtime };
  const { timeoutMs, maxTimeoutMs } = merged;
  // A deadline of the runtime's that a profile's ceiling does not allow comes down to it.
  const isOver = timeoutMs !== undefined && maxTimeoutMs !== undefined && timeoutMs > maxTimeoutMs;
  return resolveLimits(defaultLimits, isOver ? { ...merged, timeoutMs: maxTimeoutMs } : merged);
}

const fields = ["base", "limits", "features", "capabilities", "npmImports", "scan", "audit", "placement"];

function complete(name: string, value: unknown, known: ReadonlyMap<string, Profile>): Profile {
  const given = fieldsOf(value, name, fields);
  const { base = "medium", audit, placement, npmImports } = given;
  const below = typeof base === "string" ? known.get(base) : undefined;
  if (below === undefined)
    throw wrong(name, `have a base that is one of ${[...known.keys()].join(", ")}`, base);
  const profile: Profile = Object.freeze({
    name,
    limits: readLimits(name, below, given["limits"]),
    features: readGrants(name, below.features, given["features"]),
    capabilities: readCapabilities(name, given["capabilities"] ?? below.capabilities),
    npmImports: oneOf(npmImports ?? below.npmImports, npmPolicies, { name, field: "npmImports" }),
    scan: readScan(name, below.scan, given["scan"]),
    audit: oneOf(audit ?? below.audit, auditLevels, { name, field: "audit" }),
    placement: oneOf(placement ?? below.placement, ["shared", "exclusive"] as const, {
      name,
      field: "placement",
    }),
  });
  const contradiction = contradictionIn(profile);
  if (contradiction === undefined) return profile;
  throw new InvalidProfileError(
    `Cannot use profile ${show(name)} as it must not contradict itself: ${contradiction}`,
    name,
  );
}

function readLimits(name: string, below: Profile, value: unknown): Partial<Limits> {
  const given = fieldsOf(value, name, undefined) as Partial<Limits>;
  const merged = { ...below.limits, ...given };
  try {
    resolveLimits(defaultLimits, merged);
  } catch (error) {
    if (!(error instanceof InvalidLimitsError)) throw error;
    const message = `Cannot use profile ${show(name)} as its limits must be valid: ${error.message}`;
    throw new InvalidProfileError(message, name);
  }
  return Object.freeze(merged);
}

function readGrants(name: string, below: Features, value: unknown): Features {
  const given = fieldsOf(value, name, Object.keys(below));
  for (const [grant, isGranted] of Object.entries(given))
    if (typeof isGranted !== "boolean")
      throw wrong(name, `have true or false as features.${grant}`, isGranted);
  return Object.freeze({ ...below, ...given });
}

function readCapabilities(name: string, value: unknown): Profile["capabilities"] {
  if (value === "none" || value === "any") return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  if (isList) return Object.freeze([...(value as string[])]);
  throw wrong(name, 'have "none", "any" or a list of names as capabilities', value);
}

function readScan(name: string, below: ScanPolicy, value: unknown): ScanPolicy {
  const given = fieldsOf(value, name, ["blocked", "suspicious", "rules", "explain"]);
  const { explain = below.explain, rules = below.rules } = given;
  if (typeof explain !== "boolean") throw wrong(name, "have true or false as scan.explain", explain);
  if (!Array.isArray(rules)) throw wrong(name, "have a list as scan.rules", rules);
  return Object.freeze({
    blocked: oneOf(given["blocked"] ?? below.blocked, gateDecisions, { name, field: "scan.blocked" }),
    suspicious: oneOf(given["suspicious"] ?? below.suspicious, gateDecisions, {
      name,
      field: "scan.suspicious",
    }),
    rules: Object.freeze(rules.map((rule: unknown) => readRule(name, rule))),
    explain,
  });
}

function readRule(profile: string, value: unknown): ScanRule | ScanJudge {
  const given = fieldsOf(value, profile, ["name", "sees", "what", "decision", "judge"]);
  const { name, sees, what, decision, judge } = given;
  if (typeof name !== "string" || !nameForm.test(name))
    throw wrong(profile, "have a name of 1–64 of A–Z a–z 0–9 . _ - for each of scan.rules", name);
  if (judge !== undefined) {
    const isAlone = typeof judge === "function" && [sees, what, decision].every((part) => part === undefined);
    if (isAlone) return Object.freeze({ name, judge: judge as ScanJudge["judge"] });
    throw wrong(profile, `have a function, and nothing beside it, as judge of rule ${name}`, judge);
  }
  if (!isFindingName(sees))
    throw wrong(profile, `have one of ${findingNames.join(", ")} as sees of ${name}`, sees);
  const isList =
    what === undefined || (Array.isArray(what) && what.every((item) => typeof item === "string"));
  if (!isList) throw wrong(profile, `have a list of texts as what of rule ${name}`, what);
  const checked = oneOf(decision, gateDecisions, { name: profile, field: `decision of rule ${name}` });
  const rule = { name, sees, decision: checked };
  return Object.freeze(what === undefined ? rule : { ...rule, what: [...(what as string[])] });
}

function oneOf<T extends string>(
  value: unknown,
  allowed: readonly T[],
  { name, field }: { readonly name: string; readonly field: string },
): T {
  if (allowed.includes(value as T)) return value as T;
  throw wrong(name, `have ${allowed.join(", ")} as ${field}`, value);
}

// An object with no fields but these; undefined stands for an empty one, and no list of names for any.
function fieldsOf(value: unknown, profile: string, names: readonly string[] | undefined): Fields {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(profile, "be made of objects", value);
  const unknown = names && Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value as Fields;
  throw wrong(profile, `have no fields but ${(names as string[]).join(", ")}`, unknown);
}

function wrong(profile: string, rule: string, got: unknown): InvalidProfileError {
  return new InvalidProfileError(
    `Cannot use profile ${show(profile)} as it must ${rule}: got ${show(got)}`,
    profile,
  );
}
