// Pure: what a profile makes of what a scan saw. Every piece of code on its way into a sandbox is judged here.
import { grantFor, sightingTable, type Sighting } from "../model/sighting.ts";
import { show } from "../model/show.ts";
import { gateVerdicts, type GateVerdict, type Profile, type ScanJudge, type ScanRule } from "./profile.ts";

/** A sighting that is not simply admitted. */
export interface Finding {
  readonly sighting: Sighting;
  readonly verdict: Exclude<GateVerdict, "admit">;
  /** The rule that decided: the profile's own, or that of the sighting. */
  readonly rule: string;
  /** What is told about it. */
  readonly message: string;
}

export interface Judged {
  readonly verdict: GateVerdict;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

/** A module on its way in. */
export interface Incoming {
  readonly module: string;
  readonly sightings: readonly Sighting[];
  /** Everything it imports, as written. */
  readonly imports: readonly string[];
}

/** What a runtime knows beside the profile. */
export interface GateRules {
  /** Imports that no profile admits, by name; what lies below a name is meant too. */
  readonly blockedImports: readonly string[];
  /** Whether an import means a module that the sandbox has itself, whatever its name. */
  readonly isOwn: (specifier: string, importer: string) => boolean;
}

const admitted: Judged = { verdict: "admit", findings: [] };

/** Judges one module. */
export function judge(incoming: Incoming, profile: Profile, rules: GateRules): Judged {
  const { module } = incoming;
  const sightings = withBlockedImports(incoming, rules);
  if (sightings.length === 0) return admitted;
  const findings: Finding[] = [];
  for (const { sighting, isBlocked } of sightings) {
    const isOwn = sighting.rule === "import-builtin" && rules.isOwn(sighting.what, module);
    const { verdict, rule } = isBlocked
      ? { verdict: profile.scan.blocked, rule: "blocked-imports" }
      : decide(isOwn ? { ...sighting, rule: "import" } : sighting, profile, module);
    if (verdict === "admit") continue;
    findings.push({ sighting, verdict, rule, message: sentence(sighting, rule, profile) });
  }
  findings.sort((a, b) => severityOf(b.verdict) - severityOf(a.verdict));
  return findings.length === 0 ? admitted : { verdict: findings[0]?.verdict ?? "admit", findings };
}

interface Weighed {
  readonly sighting: Sighting;
  readonly isBlocked: boolean;
}

// An import that the runtime blocks counts even where it is one of so many that its sighting was not kept.
function withBlockedImports({ sightings, imports }: Incoming, { blockedImports }: GateRules): Weighed[] {
  const isBlocked = (specifier: string): boolean =>
    blockedImports.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  const isImport = ({ rule }: Sighting): boolean => rule === "import" || rule === "import-builtin";
  const seen = sightings.map((sighting) => ({
    sighting,
    isBlocked: isImport(sighting) && isBlocked(sighting.what),
  }));
  if (blockedImports.length === 0) return seen;
  const known = new Set(seen.filter((weighed) => weighed.isBlocked).map(({ sighting }) => sighting.what));
  const missed = imports.filter((specifier) => isBlocked(specifier) && !known.has(specifier));
  return [
    ...missed.map((what) => ({
      sighting: { rule: "import", what, line: 1, column: 1, count: 1 } as const,
      isBlocked: true,
    })),
    ...seen,
  ];
}

function decide(
  sighting: Sighting,
  { scan, grants }: Profile,
  module: string,
): { readonly verdict: GateVerdict; readonly rule: string } {
  for (const rule of scan.rules) {
    const verdict = "judge" in rule ? askJudge(rule, sighting, module) : byRule(rule, sighting);
    if (verdict !== undefined) return { verdict, rule: rule.name };
  }
  const grant = grantFor(sighting.rule);
  const { level } = sightingTable[sighting.rule];
  const isFree = level === "plain" || (grant !== undefined && grants[grant]);
  return { verdict: isFree ? "admit" : scan[level], rule: sighting.rule };
}

function byRule({ sees, what, verdict }: ScanRule, sighting: Sighting): GateVerdict | undefined {
  const isMeant = sees === sighting.rule && (what === undefined || what.includes(sighting.what));
  return isMeant ? verdict : undefined;
}

// Whoever judges is the host's own code; where it fails, nothing is admitted on its word.
function askJudge({ judge }: ScanJudge, sighting: Sighting, module: string): GateVerdict | undefined {
  try {
    const verdict: unknown = judge(sighting, { module });
    if (verdict === undefined) return undefined;
    return gateVerdicts.includes(verdict as GateVerdict) ? (verdict as GateVerdict) : "reject";
  } catch {
    return "reject";
  }
}

function sentence({ rule, what }: Sighting, decidedBy: string, { scan }: Profile): string {
  const { about, instead } = sightingTable[rule];
  const by = decidedBy === rule ? rule : `${decidedBy}, ${rule}`;
  const said = `${show(what)} ${about} (${by})`;
  return scan.explain ? `${said}. Instead: ${instead}.` : said;
}

const severityOf = (verdict: GateVerdict): number => gateVerdicts.indexOf(verdict);
