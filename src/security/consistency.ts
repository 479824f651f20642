// Pure: whether a profile contradicts itself, and whether one profile is laxer than another.
import { featureFor, type FeatureName } from "../model/code/finding.ts";
import { gateDecisions, npmPolicies, type GateDecision, type Profile } from "./profile.ts";

// What cannot be had without the other, and why.
const implications: readonly (readonly [FeatureName, FeatureName, string])[] = [
  ["webAssembly", "sharedMemory", "a WebAssembly.Memory can be shared"],
  ["sharedMemory", "resizableBuffers", "a SharedArrayBuffer can grow"],
];

/** What contradicts what in a profile, as a sentence; undefined where nothing does. */
export function contradictionIn(profile: Profile): string | undefined {
  const { features, scan, limits } = profile;
  for (const [granted, needed, why] of implications) {
    if (features[granted] && !features[needed])
      return `features.${granted} contradicts features.${needed}, as ${why}: got true and false`;
  }
  if (severityOf(scan.suspicious) > severityOf(scan.blocked)) {
    const got = `got ${scan.suspicious} and ${scan.blocked}`;
    return `scan.suspicious contradicts scan.blocked, as what is blocked weighs more: ${got}`;
  }
  for (const rule of scan.rules) {
    if (!("sees" in rule) || rule.decision !== "reject" || rule.what !== undefined) continue;
    const grant = featureFor(rule.sees);
    if (grant !== undefined && features[grant])
      return `features.${grant} contradicts scan.rules, as rule ${rule.name} turns away all that uses it: got both`;
  }
  if (limits.fuel !== undefined && limits.fuel !== null) return fuelContradiction(profile);
  return undefined;
}

/** What is granted by which code could run without using fuel. */
export function fuelContradiction({ features }: Pick<Profile, "features">): string | undefined {
  const loose = (["dynamicCode", "webAssembly"] as const).find((grant) => features[grant]);
  if (loose === undefined) return undefined;
  return `limits.fuel contradicts features.${loose}, as code that is made while it runs has no counter: got both`;
}

/** What a profile allows that another one does not; undefined where it is at least as strict. */
export function laxerIn(profile: Profile, than: Profile): string | undefined {
  for (const [name, isGranted] of Object.entries(profile.features))
    if (isGranted && !than.features[name as FeatureName]) return `features.${name}`;
  if (severityOf(profile.scan.blocked) < severityOf(than.scan.blocked)) return "scan.blocked";
  if (severityOf(profile.scan.suspicious) < severityOf(than.scan.suspicious)) return "scan.suspicious";
  if (npmPolicies.indexOf(profile.npmImports) > npmPolicies.indexOf(than.npmImports)) return "npmImports";
  if (than.placement === "exclusive" && profile.placement === "shared") return "placement";
  if (than.scan.rules.some((rule) => !profile.scan.rules.includes(rule))) return "scan.rules";
  return capabilitiesWithin(profile.capabilities, than.capabilities) ? undefined : "capabilities";
}

function capabilitiesWithin(inner: Profile["capabilities"], outer: Profile["capabilities"]): boolean {
  if (outer === "any" || inner === "none") return true;
  return inner !== "any" && outer !== "none" && inner.every((name) => outer.includes(name));
}

const severityOf = (decision: GateDecision): number => gateDecisions.indexOf(decision);
