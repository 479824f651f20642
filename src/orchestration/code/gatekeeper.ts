// The gate for code: has every module judged by its sandbox's profile, records the findings in the audit log, and admits or
// rejects it.
import type { Artifact } from "../../code/modules/artifact.ts";
import { codeFrame } from "../../code/compiler-host/code-frame.ts";
import type { Diagnostic } from "../../model/code/diagnostic.ts";
import { LoadError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Audit } from "../../security/audit.ts";
import { judge, type Objection, type GateRules } from "../../security/gate.ts";
import type { Profile } from "../../security/profile.ts";

/** The sandbox that the code belongs to. */
export interface CodeOwner {
  readonly id: string;
  readonly profile: Profile;
  /** What it was granted; nothing where it is not known. */
  readonly grants?: { readonly fetchBy: string | undefined };
}

/** Whether an import means a module of the sandbox's own. */
export type IsOwn = GateRules["isOwn"];

const nothingOwn: IsOwn = () => false;
/** How many findings become diagnostics; finding the line of each takes a walk through the source. */
const diagnosticsMax = 20;

export class Gatekeeper {
  readonly #audit: Audit;
  readonly #blockedImports: readonly string[];

  constructor(audit: Audit, blockedImports: readonly string[]) {
    this.#audit = audit;
    this.#blockedImports = blockedImports;
  }

  /** The module with its warnings, recorded as admitted; throws `SECURITY_REJECTED` where it is rejected. */
  admit(
    module: string,
    artifact: Artifact,
    by: {
      readonly owner: CodeOwner;
      readonly isOwn?: IsOwn;
      /** Where it was judged before. */
      readonly objections?: readonly Objection[];
    },
  ): Artifact {
    const { owner, isOwn = nothingOwn } = by;
    const objections = by.objections ?? this.#judge(module, artifact, { owner, isOwn });
    if (objections.length === 0) {
      const { profile, id } = owner;
      const about = { what: artifact.checksum, module, line: null, column: null };
      this.#audit.record(profile.audit, {
        ...about,
        sandboxId: id,
        profile: profile.name,
        kind: "admitted",
        rule: "gate",
      });
    }
    this.#refuse(module, artifact, { owner, objections });
    this.#note(module, objections, owner);
    if (objections.length === 0 && artifact.warnings.length === 0) return artifact;
    return { ...artifact, warnings: toDiagnostics(module, artifact.source, objections) };
  }

  /** Throws where the module is rejected; warnings are left to `admit`, which gets what is returned. */
  assertAdmissible(
    module: string,
    artifact: Artifact,
    by: { readonly owner: CodeOwner; readonly isOwn: IsOwn },
  ): readonly Objection[] {
    const objections = this.#judge(module, artifact, by);
    this.#refuse(module, artifact, { owner: by.owner, objections });
    return objections;
  }

  /** What a profile objects to in a module; nothing is admitted or recorded. */
  preview(module: string, artifact: Artifact, profile: Profile): Diagnostic[] {
    const by = { owner: { id: "", profile }, isOwn: nothingOwn };
    return toDiagnostics(module, artifact.source, this.#judge(module, artifact, by));
  }

  /** Why a shipped function or script may not run; undefined where it may. */
  refusalOf(
    shipped: Artifact,
    owner: CodeOwner,
    { name = "run", isOwn = nothingOwn }: { readonly name?: string | undefined; readonly isOwn?: IsOwn } = {},
  ): GuestFailure | undefined {
    try {
      this.admit(name, shipped, { owner, isOwn });
      return undefined;
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      return { kind: "rejected", message: error.message, diagnostics: error.diagnostics };
    }
  }

  /** Records that a sandbox was denied something by another rule than the scan's. */
  noteDenied({ id, profile }: CodeOwner, rule: string, what: string): void {
    const nowhere = { module: null, line: null, column: null };
    const note = { sandboxId: id, profile: profile.name, kind: "denied", rule, what, ...nowhere } as const;
    this.#audit.record(profile.audit, note);
  }

  #judge(
    module: string,
    artifact: Artifact,
    by: { readonly owner: CodeOwner; readonly isOwn: IsOwn },
  ): readonly Objection[] {
    const { findings, imports, dynamicImports } = artifact;
    const incoming = { module, findings, imports: [...imports, ...dynamicImports] };
    const hasFetch = by.owner.grants?.fetchBy !== undefined;
    const rules = { blockedImports: this.#blockedImports, isOwn: by.isOwn, hasFetch };
    return judge(incoming, by.owner.profile, rules).objections;
  }

  #refuse(
    module: string,
    artifact: Artifact,
    { owner, objections }: { readonly owner: CodeOwner; readonly objections: readonly Objection[] },
  ): void {
    const rejected = objections.filter(({ decision }) => decision === "reject");
    const [first] = rejected;
    if (first === undefined) return;
    this.#note(module, rejected, owner);
    const { line, column } = first.finding;
    const profile = `profile "${owner.profile.name}" must admit it`;
    const message = `Cannot load module "${module}" as ${profile}: ${first.message} at ${module}:${line}:${column}`;
    throw new LoadError(message, {
      phase: "gate",
      diagnostics: toDiagnostics(module, artifact.source, objections),
    });
  }

  #note(module: string, objections: readonly Objection[], { id, profile }: CodeOwner): void {
    for (const { finding, decision, rule } of objections) {
      const { what, line, column } = finding;
      this.#audit.record(profile.audit, {
        sandboxId: id,
        profile: profile.name,
        kind: decision === "reject" ? "rejected" : "warned",
        rule,
        what,
        module,
        line,
        column,
      });
    }
  }
}

function toDiagnostics(module: string, source: string, objections: readonly Objection[]): Diagnostic[] {
  return objections.slice(0, diagnosticsMax).map(({ finding, decision, message }) => {
    const { line, column } = finding;
    const severity = decision === "reject" ? "error" : "warning";
    return { severity, message, module, line, column, frame: codeFrame(source, { line, column }) };
  });
}
