// What a sandbox's options say about its security, checked against its profile.
import { lastingFeatures } from "../../model/code/finding.ts";
import { InvalidOptionsError, InvalidProfileError } from "../../model/errors.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import { isTenant, type Placement } from "../../model/sandboxes/placement.ts";
import { boolean, fields, leaf, type Shape } from "../../model/schema.ts";
import { show } from "../../model/show.ts";
import { fuelContradiction, laxerIn } from "../../security/consistency.ts";
import type { Profile } from "../../security/profile.ts";
import type { Profiles } from "../../security/profiles.ts";
import type { PlacementSpec } from "../types/spec.ts";

export const placementOptions = fields({
  tenant: leaf<string | null>({
    kind: "text",
    verb: "set",
    rule: "1–128 of A–Z a–z 0–9 . _ : -",
    default: null,
    accepts: (value) => value === null || isTenant(value),
  }),
  exclusive: boolean(),
  dense: boolean(),
} satisfies Shape<PlacementSpec>);

/** Which sandboxes may share a cell with this one. */
export function readPlacement(value: unknown, profile: Profile): Placement {
  const isAlone = profile.placement === "exclusive";
  const { tenant, exclusive = isAlone, dense = false } = placementOptions.read(value, "placement");
  if (isAlone && !exclusive) {
    const rule = `profile ${show(profile.name)} must have a cell to itself`;
    throw new InvalidProfileError(`Cannot set placement.exclusive as ${rule}: got false`, profile.name);
  }
  if (dense) checkDense(exclusive, profile);
  return Object.freeze({ tenant, exclusive, dense });
}

function checkDense(exclusive: boolean, { name, features }: Profile): void {
  if (exclusive) {
    const rule = "a dense sandbox must not have a cell to itself";
    throw new InvalidOptionsError(
      `Cannot set placement.dense as ${rule}: it is exclusive`,
      "placement.dense",
    );
  }
  const feature = lastingFeatures.find((each) => features[each]);
  if (feature === undefined) return;
  const rule = `the profile of a dense sandbox must not enable ${feature}, which needs an isolate of its own`;
  throw new InvalidProfileError(`Cannot set placement.dense as ${rule}: ${show(name)} does`, name);
}

/** Fuel counts only what the compiler has seen. */
export function checkMetering(profile: Profile, limits: Limits): void {
  const contradiction = limits.fuel === null ? undefined : fuelContradiction(profile);
  if (contradiction === undefined) return;
  const message = `Cannot use profile ${show(profile.name)} here as all code must be counted: ${contradiction}`;
  throw new InvalidProfileError(message, profile.name);
}

/** The profile of an imported individual: the one that the caller names, or its own where that is no laxer. */
export function profileOfImport(named: unknown, own: string | undefined, profiles: Profiles): Profile {
  if (named !== undefined) return profiles.find(named);
  if (own === undefined) return profiles.usual;
  const profile = profiles.find(own);
  const laxer = laxerIn(profile, profiles.usual);
  if (laxer === undefined) return profile;
  const rule = `its profile ${show(own)} must be no laxer than ${show(profiles.usual.name)}, or be named by the caller`;
  throw new InvalidProfileError(`Cannot import the individual as ${rule}: it is, in ${laxer}`, own);
}

/** The placement of an imported individual. Which tenant it belongs to, only the caller can know. */
export function placementOfImport(given: unknown, own: Placement | undefined, profile: Profile): Placement {
  if (given === undefined && own !== undefined && own.tenant !== null) {
    const rule = `the tenant that it names, ${show(own.tenant)}, must be confirmed by the caller`;
    const message = `Cannot import the individual as ${rule}: got no placement`;
    throw new InvalidOptionsError(message, "placement");
  }
  const { tenant, exclusive, dense } = readPlacement(given, profile);
  const isExclusive = exclusive || own?.exclusive === true;
  return Object.freeze({ tenant, exclusive: isExclusive, dense: dense && !isExclusive });
}

/** Resolves new limits when it is their turn; a mistake is thrown at once. */
export function limitsReader(
  sandbox: { readonly profile: Profile; readonly limits: Limits },
  given: unknown,
): (current: Limits) => Limits {
  const resolve = (current: Limits): Limits => {
    const resolved = resolveLimits(current, given);
    checkMetering(sandbox.profile, resolved);
    return resolved;
  };
  resolve(sandbox.limits);
  return resolve;
}
