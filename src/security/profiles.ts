// The profiles of one runtime: the presets, and what its user adds to them, checked field by field.
import { InvalidLimitsError, InvalidProfileError } from "../model/errors.ts";
import { readPartialLimits, resolveLimits, withoutUndefined } from "../model/limit-checks.ts";
import { defaultLimits, type Limits } from "../model/limits.ts";
import {
  at,
  boolean,
  custom,
  fields,
  isRecord,
  isTexts,
  list,
  oneOf,
  optional,
  refuseOption,
  required,
  unread,
  type Refuse,
  type Shape,
} from "../model/schema.ts";
import { show } from "../model/show.ts";
import { isFindingName, findingNames } from "../model/code/finding.ts";
import { contradictionIn } from "./consistency.ts";
import { presets } from "./presets.ts";
import {
  auditLevels,
  gateDecisions,
  npmPolicies,
  type Features,
  type Profile,
  type ProfileSpec,
  type ScanJudge,
  type ScanPolicy,
  type ScanRule,
} from "./profile.ts";

const profilesMax = 100;
const nameForm = /^[A-Za-z0-9._-]{1,64}$/;

/** Every profile of a runtime by name. */
export class Profiles {
  readonly #profiles: ReadonlyMap<string, Profile>;
  /** Of sandboxes that name none. */
  readonly usual: Profile;

  /** Throws `INVALID_PROFILE` for what is of the wrong form, contradicts itself, or has the name of a preset. */
  constructor(given: unknown, usual: unknown) {
    const profiles = new Map<string, Profile>(Object.entries(presets));
    if (given !== undefined && !isRecord(given)) throw wrong("profiles", "be made of objects", given);
    const own = Object.entries(given ?? {});
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
  const { timeoutMs, timeoutMsMax } = merged;
  // A deadline of the runtime's that a profile's ceiling does not allow comes down to it.
  const isOver = timeoutMs !== undefined && timeoutMsMax !== undefined && timeoutMs > timeoutMsMax;
  return resolveLimits(defaultLimits, isOver ? { ...merged, timeoutMs: timeoutMsMax } : merged);
}

const granted = boolean();

// What is left out is as in the profile that this one is based on.
const profileOptions = fields({
  base: custom((value = "medium") => value),
  limits: unread,
  features: at(
    "features",
    fields({
      dynamicCode: granted,
      webAssembly: granted,
      sharedMemory: granted,
      resizableBuffers: granted,
    } satisfies Shape<Features>),
  ),
  capabilities: custom((value, path, refuse = refuseOption) => {
    if (value === undefined || value === "none" || value === "any") return value;
    if (isTexts(value)) return Object.freeze([...value]);
    throw refuse({ verb: "use", path, rule: '"none", "any" or a list of names', got: value });
  }),
  npmImports: oneOf(npmPolicies),
  scan: at(
    "scan",
    fields({
      blocked: oneOf(gateDecisions),
      suspicious: oneOf(gateDecisions),
      rules: optional(list(unread)),
      explain: boolean(),
    } satisfies Shape<ScanPolicy>),
  ),
  audit: oneOf(auditLevels),
  placement: oneOf(["shared", "exclusive"]),
} satisfies Shape<ProfileSpec>);

function complete(name: string, value: unknown, known: ReadonlyMap<string, Profile>): Profile {
  const given = profileOptions.read(value, "", refusing(name));
  const below = typeof given.base === "string" ? known.get(given.base) : undefined;
  if (below === undefined)
    throw wrong(name, `have a base that is one of ${[...known.keys()].join(", ")}`, given.base);
  const { limits, features, scan, base: _, ...rest } = given;
  const { rules = below.scan.rules, ...policy } = scan;
  const profile: Profile = Object.freeze({
    ...over(below, rest),
    name,
    limits: readLimits(name, below, limits),
    features: over(below.features, features),
    scan: Object.freeze({
      ...over(below.scan, policy),
      rules: Object.freeze(Array.from(rules, (rule) => readRule(name, rule))),
    }),
  });
  const contradiction = contradictionIn(profile);
  if (contradiction === undefined) return profile;
  throw new InvalidProfileError(
    `Cannot use profile ${show(name)} as it must not contradict itself: ${contradiction}`,
    name,
  );
}

// What was given, laid over what the profile is based on.
function over<T extends object>(below: T, given: { readonly [K in keyof T]?: T[K] | undefined }): T {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.freeze({ ...below, ...Object.fromEntries(entries) });
}

function readLimits(name: string, below: Profile, given: unknown = {}): Partial<Limits> {
  if (!isRecord(given)) throw wrong(name, "be made of objects", given);
  try {
    return readPartialLimits({ ...below.limits, ...withoutUndefined(given) }, defaultLimits);
  } catch (error) {
    if (!(error instanceof InvalidLimitsError)) throw error;
    const message = `Cannot use profile ${show(name)} as its limits must be valid: ${error.message}`;
    throw new InvalidProfileError(message, name);
  }
}

const ruleOptions = fields({ name: unread, sees: unread, what: unread, decision: unread, judge: unread });

function readRule(profile: string, value: unknown): ScanRule | ScanJudge {
  const { name, sees, what, decision, judge } = ruleOptions.read(value, "", refusing(profile));
  if (typeof name !== "string" || !nameForm.test(name))
    throw wrong(profile, "have a name of 1–64 of A–Z a–z 0–9 . _ - for each of scan.rules", name);
  if (judge !== undefined) {
    const isAlone = typeof judge === "function" && [sees, what, decision].every((part) => part === undefined);
    if (isAlone) return Object.freeze({ name, judge: judge as ScanJudge["judge"] });
    throw wrong(profile, `have a function, and nothing beside it, as judge of rule ${name}`, judge);
  }
  if (!isFindingName(sees))
    throw wrong(profile, `have one of ${findingNames.join(", ")} as sees of ${name}`, sees);
  if (what !== undefined && !isTexts(what))
    throw wrong(profile, `have a list of texts as what of rule ${name}`, what);
  const path = `decision of rule ${name}`;
  const rule = {
    name,
    sees,
    decision: required(oneOf(gateDecisions)).read(decision, path, refusing(profile)),
  };
  return Object.freeze(what === undefined ? rule : { ...rule, what: [...what] });
}

// Mistakes in a profile name the profile, and the field that is wrong.
function refusing(profile: string): Refuse {
  return ({ path, rule, got, names }) => {
    if (names !== undefined) return wrong(profile, `have no fields but ${names.join(", ")}`, got);
    if (rule === "an object") return wrong(profile, "be made of objects", got);
    return wrong(profile, `have ${rule.replace(/^among /, "")} as ${path.replace(/^\./, "")}`, got);
  };
}

function wrong(profile: string, rule: string, got: unknown): InvalidProfileError {
  return new InvalidProfileError(
    `Cannot use profile ${show(profile)} as it must ${rule}: got ${show(got)}`,
    profile,
  );
}
