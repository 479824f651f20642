// The parts behind the public interfaces, wired once per runtime, and what runtime and handles have in common.
import type { Artifact, Compilation, CompileRequest, WantedForm } from "../../code/modules/artifact.ts";
import { compileOwnerOf, type CompileOwner } from "../../code/compiler/compile-owner.ts";
import type { CompileCache } from "../../code/compiler/compile-cache.ts";
import type { Compiler } from "../../code/compiler/compiler.ts";
import { asVivariumError, LoadError, RuntimeClosedError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import type { Records } from "./records.ts";
import type { Bus } from "../../observability/bus.ts";
import type { CodeLimits } from "../../orchestration/code/build.ts";
import { cancelledBySignal, failed } from "../../model/runs/unbegun.ts";
import type { Metrics } from "../../observability/metrics.ts";
import type { AutoReload } from "../../orchestration/reload/auto-reload.ts";
import type { CellPool } from "../../orchestration/cells/cell-pool.ts";
import type { Collector } from "../../orchestration/sandboxes/collection/collector.ts";
import type { Registry } from "../../orchestration/sandboxes/registry.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { Gatekeeper } from "../../orchestration/code/gatekeeper.ts";
import type { Packages } from "../../orchestration/code/packages.ts";
import type { RunTable } from "../../orchestration/runs/run-table.ts";
import type { Sandboxes } from "../../orchestration/sandboxes/sandboxes.ts";
import type { ScriptTerms } from "../../orchestration/runs/script-terms.ts";
import type { RunSubmission, RunTicket } from "../../orchestration/runs/ticket.ts";
import type { Audit } from "../../security/audit.ts";
import type { RecoveryReport } from "./recovery-report.ts";
import type { Config } from "../options/config.ts";
import { wrapModule } from "../../code/modules/wrapper.ts";
import { refusalOf } from "../scripts/refusal.ts";
import { functionSource } from "../../model/runs/function-source.ts";
import { type Callee, type Shipped } from "../options/run-options.ts";

export interface EngineParts {
  readonly config: Config;
  readonly bus: Bus;
  readonly metrics: Metrics;
  readonly registry: Registry;
  readonly pool: CellPool;
  readonly sandboxes: Sandboxes;
  readonly table: RunTable;
  readonly autoReload: AutoReload;
  readonly collector: Collector;
  readonly compiler: Compiler;
  readonly cache: CompileCache;
  readonly packages: Packages;
  readonly gatekeeper: Gatekeeper;
  readonly audit: Audit;
  readonly recovery: RecoveryReport;
  readonly records: Records;
}

/** The sandbox that a script is compiled for. */
type ScriptOwner = Pick<ManagedSandbox, "id" | "limits" | "placement">;

/** How a script is compiled and run. */
export interface ShippedScript extends Partial<ScriptTerms> {
  readonly name: string;
  readonly form: WantedForm;
}

export class Engine {
  readonly parts: EngineParts;
  readonly #closing = new AbortController();
  #evaluations = 0;

  constructor(parts: EngineParts) {
    this.parts = parts;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Aborted when the runtime is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  shut(): void {
    this.#closing.abort();
  }

  nextEvaluationId(): number {
    return ++this.#evaluations;
  }

  /** Throws `RUNTIME_CLOSED` once the runtime is closed. */
  checkOpen(what: string): void {
    if (this.isClosed) throw new RuntimeClosedError(what);
  }

  /** A run that was never accepted has an event of its own, other than one that ended. */
  refuseRun(sandboxId: string, target: string, error: unknown): Promise<never> {
    const { code } = asVivariumError(error);
    const message = String(error);
    this.parts.bus.emit("sandbox.run.exception", { sandboxId, target, code, message, durationMs: 0 });
    return Promise.reject(error as Error);
  }

  /**
   * The one way to start a run: a function or script that travels with it passes the gate first, and a signal that is aborted
   * ends it. `settle` is called exactly once.
   */
  submit(sandbox: ManagedSandbox, submission: RunSubmission, signal?: AbortSignal): RunTicket | undefined {
    const { shipped } = submission.terms;
    const refusal =
      shipped === undefined
        ? undefined
        : refusalOf(this.parts, sandbox, { shipped, script: submission.terms.script });
    if (refusal !== undefined) {
      submission.settle(failed(refusal));
      return undefined;
    }
    if (signal === undefined) return sandbox.submit(submission);
    const cancel = (): void => sandbox.endRun(ticket, cancelledBySignal);
    const ticket = sandbox.submit({
      ...submission,
      settle: (outcome) => {
        signal.removeEventListener("abort", cancel);
        submission.settle(outcome);
      },
    });
    // One that was refused at once is not listened for.
    if (ticket.isSettled) return ticket;
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    return ticket;
  }

  /** What a function compiles to; a failure to compile is a value. */
  async ship(fn: unknown, limits: CodeLimits, owner: CompileOwner): Promise<Callee | GuestFailure> {
    const { compileMs, sourceBytes, fuel } = limits;
    const request = {
      name: "run",
      source: functionSource(fn),
      compileMs,
      sourceBytes,
      isMetered: fuel !== null,
      owner,
    };
    const result = await this.parts.cache.compile(request);
    if (result.ok) return { shipped: result.artifact, code: wrapModule(result.artifact) };
    return { kind: "compile", message: result.message, diagnostics: result.diagnostics };
  }

  /** What a script compiles to; a failure to compile is a value. */
  async shipScript(
    source: string,
    sandbox: ScriptOwner,
    how: ShippedScript,
  ): Promise<Shipped | GuestFailure> {
    const { name, form, find = () => undefined, waits = false } = how;
    const { compileMs, sourceBytes, fuel } = sandbox.limits;
    const owner = compileOwnerOf(sandbox);
    const request = { name, source, compileMs, sourceBytes, isMetered: fuel !== null, owner, script: form };
    const result = await this.parts.cache.compile(request);
    if (!result.ok) return { kind: "compile", message: result.message, diagnostics: result.diagnostics };
    const { artifact } = result;
    const findAny = (wanted: string): Artifact | undefined => (wanted === name ? artifact : find(wanted));
    const script = { name, waits, find: findAny, isKept: form === "kept" };
    return { shipped: artifact, code: wrapModule(artifact), script };
  }

  async compile(request: CompileRequest): Promise<Extract<Compilation, { ok: true }>["artifact"]> {
    const result = await this.parts.cache.compile(request);
    if (!result.ok) throw new LoadError(result.message, result);
    return result.artifact;
  }
}
