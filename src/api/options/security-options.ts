// What a sandbox's options say about its security, checked against its profile; and what the audit log is asked.
import { InvalidOptionsError, InvalidProfileError } from "../../model/errors.ts";
import { parseSandboxId } from "../../model/ids.ts";
import { resolveLimits } from "../../model/limit-checks.ts";
import type { Limits } from "../../model/limits.ts";
import { isTenant, type Placement } from "../../model/placement.ts";
import { show } from "../../model/show.ts";
import { auditKinds, type AuditFilter } from "../../security/audit.ts";
import { fuelContradiction, laxerIn } from "../../security/consistency.ts";
import type { Profile } from "../../security/profile.ts";
import type { Profiles } from "../../security/profiles.ts";
import { readBoolean, readFields, readInteger, readWords } from "./options.ts";

/** With whom a sandbox may share a cell. */
export function readPlacement(value: unknown, profile: Profile): Placement {
  const path = "placement";
  const given = readFields(value, path, ["tenant", "exclusive"]);
  const { tenant = null } = given;
  if (tenant !== null && !isTenant(tenant)) {
    const message = `Cannot set placement.tenant as it must be 1–128 of A–Z a–z 0–9 . _ : -: got ${show(tenant)}`;
    throw new InvalidOptionsError(message, "placement.tenant");
  }
  const isAlone = profile.placement === "exclusive";
  const exclusive = readBoolean(given, { path, name: "exclusive" }, isAlone);
  if (isAlone && !exclusive) {
    const rule = `profile ${show(profile.name)} must have a cell to itself`;
    throw new InvalidProfileError(`Cannot set placement.exclusive as ${rule}: got false`, profile.name);
  }
  return Object.freeze({ tenant, exclusive });
}

/** Fuel counts only what the compiler has seen. */
export function checkMetering(profile: Profile, limits: Limits): void {
  const contradiction = limits.fuel === null ? undefined : fuelContradiction(profile);
  if (contradiction === undefined) return;
  const message = `Cannot use profile ${show(profile.name)} here as all code must be counted: ${contradiction}`;
  throw new InvalidProfileError(message, profile.name);
}

/** The profile under which an individual from elsewhere lives: the caller's word, or its own where that is no laxer. */
export function profileOfImport(named: unknown, own: string | undefined, profiles: Profiles): Profile {
  if (named !== undefined) return profiles.find(named);
  if (own === undefined) return profiles.usual;
  const profile = profiles.find(own);
  const laxer = laxerIn(profile, profiles.usual);
  if (laxer === undefined) return profile;
  const rule = `its profile ${show(own)} must be no laxer than ${show(profiles.usual.name)}, or be named by the caller`;
  throw new InvalidProfileError(`Cannot import the individual as ${rule}: it is, in ${laxer}`, own);
}

/** Where an individual from elsewhere lives. Whose tenant it is, only the caller can know. */
export function placementOfImport(given: unknown, own: Placement | undefined, profile: Profile): Placement {
  if (given === undefined && own !== undefined && own.tenant !== null) {
    const rule = `the tenant that it names, ${show(own.tenant)}, must be confirmed by the caller`;
    const message = `Cannot import the individual as ${rule}: got no placement`;
    throw new InvalidOptionsError(message, "placement");
  }
  const { tenant, exclusive } = readPlacement(given, profile);
  return Object.freeze({ tenant, exclusive: exclusive || own?.exclusive === true });
}

/** What the audit log is asked for. */
export function readAuditFilter(value: unknown): AuditFilter {
  const path = "filter";
  const names = ["sandboxId", "kind", "rule", "since", "until", "limit"];
  const given = readFields(value, path, names);
  const { sandboxId, kind, rule } = given;
  if (sandboxId !== undefined) parseSandboxId(sandboxId);
  readWords(kind, "filter.kind", auditKinds);
  if (rule !== undefined && typeof rule !== "string") {
    throw new InvalidOptionsError(
      `Cannot use filter.rule as it must be a text: got ${show(rule)}`,
      "filter.rule",
    );
  }
  for (const name of ["since", "until"])
    readInteger(given, { path, name }, { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 });
  readInteger(given, { path, name: "limit" }, { min: 1, max: 10_000_000, default: 1 });
  return given as AuditFilter;
}

/** What new limits come to, worked out when it is their turn; a mistake is told at once. */
export function limitsReader(
  sandbox: { readonly profile: Profile; readonly limits: Limits },
  given: Partial<Limits>,
): (current: Limits) => Limits {
  const resolve = (current: Limits): Limits => {
    const resolved = resolveLimits(current, given);
    checkMetering(sandbox.profile, resolved);
    return resolved;
  };
  resolve(sandbox.limits);
  return resolve;
}
