// Pure: what a profile makes of what a scan saw. Every piece of code on its way into a sandbox is judged here.
import { featureFor, findingTable, isServedByFetch, type Finding } from "../model/code/finding.ts";
import { show } from "../model/show.ts";
import { gateDecisions, type GateDecision, type Profile, type ScanJudge, type ScanRule } from "./profile.ts";

/** A finding that is not simply admitted. */
export interface Objection {
  readonly finding: Finding;
  readonly decision: Exclude<GateDecision, "admit">;
  /** The rule that decided: the profile's own, or that of the finding. */
  readonly rule: string;
  /** The sentence that reports it. */
  readonly message: string;
}

export interface Judged {
  readonly decision: GateDecision;
  /** The gravest first. */
  readonly objections: readonly Objection[];
}

/** A module on its way in. */
export interface Incoming {
  readonly module: string;
  readonly findings: readonly Finding[];
  /** Everything it imports, as written. */
  readonly imports: readonly string[];
}

/** What a runtime knows beside the profile. */
export interface GateRules {
  /** Imports that no profile admits, by name; what lies below a name is meant too. */
  readonly blockedImports: readonly string[];
  /** Whether an import means a module that the sandbox has itself, whatever its name. */
  readonly isOwn: (specifier: string, importer: string) => boolean;
  /** The sandbox was granted a capability that serves `fetch`. */
  readonly hasFetch: boolean;
}

const admitted: Judged = { decision: "admit", objections: [] };

/** Judges one module. */
export function judge(incoming: Incoming, profile: Profile, rules: GateRules): Judged {
  const { module } = incoming;
  if (incoming.findings.length === 0 && (incoming.imports.length === 0 || rules.blockedImports.length === 0))
    return admitted;
  const findings = withBlockedImports(incoming, rules);
  if (findings.length === 0) return admitted;
  const objections: Objection[] = [];
  for (const { finding, isBlocked } of findings) {
    const isOwn = finding.rule === "import-builtin" && rules.isOwn(finding.what, module);
    const { decision, rule } = isBlocked
      ? { decision: profile.scan.blocked, rule: "blocked-imports" }
      : decide(isOwn ? { ...finding, rule: "import" } : finding, profile, { module, rules });
    if (decision === "admit") continue;
    objections.push({ finding, decision, rule, message: explain(finding, rule, profile) });
  }
  objections.sort((a, b) => severityOf(b.decision) - severityOf(a.decision));
  return objections.length === 0 ? admitted : { decision: objections[0]?.decision ?? "admit", objections };
}

interface Weighed {
  readonly finding: Finding;
  readonly isBlocked: boolean;
}

// An import that the runtime blocks counts even where it is one of so many that its finding was not kept.
function withBlockedImports({ findings, imports }: Incoming, { blockedImports }: GateRules): Weighed[] {
  const isBlocked = (specifier: string): boolean =>
    blockedImports.some((name) => specifier === name || specifier.startsWith(`${name}/`));
  const isImport = ({ rule }: Finding): boolean => rule === "import" || rule === "import-builtin";
  const seen = findings.map((finding) => ({
    finding,
    isBlocked: isImport(finding) && isBlocked(finding.what),
  }));
  if (blockedImports.length === 0) return seen;
  const known = new Set(seen.filter((weighed) => weighed.isBlocked).map(({ finding }) => finding.what));
  const missed = imports.filter((specifier) => isBlocked(specifier) && !known.has(specifier));
  return [
    ...missed.map((what) => ({
      finding: { rule: "import", what, line: 1, column: 1, count: 1 } as const,
      isBlocked: true,
    })),
    ...seen,
  ];
}

function decide(
  finding: Finding,
  { scan, features }: Profile,
  { module, rules }: { readonly module: string; readonly rules: GateRules },
): { readonly decision: GateDecision; readonly rule: string } {
  for (const rule of scan.rules) {
    const decision = "judge" in rule ? askJudge(rule, finding, module) : byRule(rule, finding);
    if (decision !== undefined) return { decision, rule: rule.name };
  }
  const feature = featureFor(finding.rule);
  const { level } = findingTable[finding.rule];
  const isServed = rules.hasFetch && isServedByFetch(finding);
  const isFree = level === "plain" || isServed || (feature !== undefined && features[feature]);
  return { decision: isFree ? "admit" : scan[level], rule: finding.rule };
}

function byRule({ sees, what, decision }: ScanRule, finding: Finding): GateDecision | undefined {
  const isMeant = sees === finding.rule && (what === undefined || what.includes(finding.what));
  return isMeant ? decision : undefined;
}

// The judge is the host's own code; where it fails, nothing is admitted.
function askJudge({ judge }: ScanJudge, finding: Finding, module: string): GateDecision | undefined {
  try {
    const decision: unknown = judge(finding, { module });
    if (decision === undefined) return undefined;
    return gateDecisions.includes(decision as GateDecision) ? (decision as GateDecision) : "reject";
  } catch {
    return "reject";
  }
}

function explain({ rule, what }: Finding, decidedBy: string, { scan }: Profile): string {
  const { about, instead } = findingTable[rule];
  const by = decidedBy === rule ? rule : `${decidedBy}, ${rule}`;
  const said = `${show(what)} ${about} (${by})`;
  return scan.explain ? `${said}. Instead: ${instead}.` : said;
}

const severityOf = (decision: GateDecision): number => gateDecisions.indexOf(decision);
