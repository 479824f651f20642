// The plan of an imported individual. It comes from outside: its code passes the gate, and what it says of its own limits,
// profile and tenant is bounded by what the runtime or the caller of import() allows.
import { checkIndividual } from "../../code/individuals/individual.ts";
import { parseSandboxId } from "../../model/ids.ts";
import { boundLimits, lowerOf, resolveLimits, type LoweredLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import { custom, fields, isRecord, optional, unread, type Shape } from "../../model/schema.ts";
import type { SandboxPlan } from "../../orchestration/sandboxes/sandbox-plan.ts";
import type { Profile } from "../../security/profile.ts";
import { limitsUnder } from "../../security/profiles.ts";
import { readGrants } from "../options/capability-options.ts";
import type { Config } from "../options/config.ts";
import { cancelTable, type WaitBounds } from "../options/cancellation.ts";
import { placementOfImport, profileOfImport } from "../options/security-options.ts";
import type { ImportOptions } from "../types/spec.ts";
import { planOf } from "../wiring/restore.ts";

const importOptions = fields({
  id: optional(custom(parseSandboxId)),
  limits: unread,
  profile: unread,
  placement: unread,
  capabilities: unread,
  ...cancelTable,
} satisfies Shape<ImportOptions>);

export interface ImportPlan {
  readonly plan: SandboxPlan;
  /** How its caller bounds it. */
  readonly bounds: WaitBounds;
  /** The limits that the individual does not get as it has them. */
  readonly lowered: LoweredLimits;
}

/** Checks an individual and the options of its import. */
export function planImport(individual: unknown, options: unknown, config: Config): ImportPlan {
  const given = importOptions.read(options, "options");
  const body = checkIndividual(individual, config.signingKey);
  const profile = profileOfImport(given.profile, body.profile, config.profiles);
  const ceilings = ceilingsOf(profile, given.profile !== undefined, config);
  const bounded = boundLimits(resolveLimits(ceilings, body.limits), ceilings);
  const limits = resolveLimits(bounded.limits, given.limits);
  const capabilities = readGrants(given.capabilities, [...config.capabilities.keys()], profile);
  const placement = placementOfImport(given.placement, body.placement, profile);
  const plan = planOf({ ...body, placement }, { profile, limits }, given.id);
  return {
    plan: { ...plan, capabilities },
    bounds: { signal: given.signal, deadlineMs: given.deadlineMs },
    lowered: withoutSet(bounded.lowered, given.limits),
  };
}

// An individual may name a profile of the runtime's, but gets no higher limits by that: only a caller who names it raises them.
function ceilingsOf(profile: Profile, isNamed: boolean, { profiles, ownLimits }: Config): Limits {
  const own = limitsUnder(profile, ownLimits);
  return isNamed ? own : lowerOf(own, limitsUnder(profiles.usual, ownLimits));
}

// What the caller set is as the caller wants it.
function withoutSet(lowered: LoweredLimits, given: unknown): LoweredLimits {
  const set = isRecord(given) ? given : {};
  return Object.fromEntries(Object.entries(lowered).filter(([name]) => set[name] === undefined));
}
