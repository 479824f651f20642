// What a security profile is: one definition from which limits, features, the gate, the audit log and placement follow.
import type { Limits } from "../model/limits.ts";
import type { FeatureName, Finding, FindingName } from "../model/code/finding.ts";

/** What the gate does about a finding. */
export type GateDecision = "admit" | "warn" | "reject";

export const gateDecisions: readonly GateDecision[] = ["admit", "warn", "reject"];

/** What an isolate of this profile has beyond the usual. All are off unless enabled. */
export type Features = { readonly [K in FeatureName]: boolean };

/** A rule as data: findings of a kind, all or those that name one of these, get a decision of their own. */
export interface ScanRule {
  /** Names the rule in the audit log and in diagnostics. */
  readonly name: string;
  readonly sees: FindingName;
  /** The imports, globals or members that it is about; all where it names none. */
  readonly what?: readonly string[];
  readonly decision: GateDecision;
}

/** A rule as a function: a decision, or undefined to leave the finding to others. */
export interface ScanJudge {
  readonly name: string;
  readonly judge: (finding: Finding, about: { readonly module: string }) => GateDecision | undefined;
}

/** What becomes of findings. A profile's own rules come first, in their order. */
export interface ScanPolicy {
  readonly blocked: GateDecision;
  readonly suspicious: GateDecision;
  readonly rules: readonly (ScanRule | ScanJudge)[];
  /** Say also why each finding matters, and what to do instead. */
  readonly explain: boolean;
}

/** What is logged: what was rejected or warned of; also calls of capabilities; also all code admitted. */
export type AuditLevel = "violations" | "calls" | "everything";

export const auditLevels: readonly AuditLevel[] = ["violations", "calls", "everything"];

/** npm packages that guests may import: none, those named in `npmImports` of createRuntime(), or any. */
export type NpmPolicy = "none" | "listed" | "any";

export const npmPolicies: readonly NpmPolicy[] = ["none", "listed", "any"];

/** A complete security profile. */
export interface Profile {
  readonly name: string;
  /** Laid over the default limits, and under those of the runtime and the sandbox. */
  readonly limits: Partial<Limits>;
  readonly features: Features;
  /** The capabilities that its sandboxes may be given, by name. */
  readonly capabilities: "none" | "any" | readonly string[];
  readonly npmImports: NpmPolicy;
  readonly scan: ScanPolicy;
  readonly audit: AuditLevel;
  /** `exclusive`: every sandbox has a cell to itself. */
  readonly placement: "shared" | "exclusive";
}

/** A profile as a user gives it: what is left out is as in the one that it is based on. */
export interface ProfileSpec {
  /** The name of the profile that this one is based on. */
  readonly base?: string;
  readonly limits?: Partial<Limits>;
  readonly features?: Partial<Features>;
  readonly capabilities?: Profile["capabilities"];
  readonly npmImports?: NpmPolicy;
  readonly scan?: Partial<ScanPolicy>;
  readonly audit?: AuditLevel;
  readonly placement?: Profile["placement"];
}

/** Whether sandboxes of a profile may be given a capability. */
export function allowsCapability({ capabilities }: Pick<Profile, "capabilities">, name: string): boolean {
  return capabilities === "any" || (capabilities !== "none" && capabilities.includes(name));
}

/** What a profile features, by name. */
export function featuresOf({ features }: Pick<Profile, "features">): FeatureName[] {
  return (Object.keys(features) as FeatureName[]).filter((name) => features[name]);
}
