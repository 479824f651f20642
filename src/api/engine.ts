// Everything behind the faces, wired once per runtime, and what runtime and handles have in common.
import type { Compilation, CompileRequest } from "../code/artifact.ts";
import type { CompileCache } from "../code/compile-cache.ts";
import type { Compiler } from "../code/compiler.ts";
import { asVivariumError, LoadError, RuntimeClosedError } from "../model/errors.ts";
import type { GuestFailure } from "../model/outcome.ts";
import type { Bus } from "../observability/bus.ts";
import type { CodeLimits } from "../orchestration/code/building.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { AutoReload } from "../orchestration/reload/auto-reload.ts";
import type { CellPool } from "../orchestration/cells/cell-pool.ts";
import type { Collector } from "../orchestration/sandboxes/collector.ts";
import type { Homing } from "../orchestration/cells/assignment.ts";
import type { Lifecycle } from "../orchestration/sandboxes/lifecycle.ts";
import type { Reloads } from "../orchestration/reload/reload.ts";
import type { Registry } from "../orchestration/sandboxes/registry.ts";
import type { Resident } from "../orchestration/sandboxes/resident.ts";
import type { Gatekeeper } from "../orchestration/code/gatekeeper.ts";
import type { Runs } from "../orchestration/runs/runs.ts";
import type { RunOrder, RunTicket } from "../orchestration/runs/ticket.ts";
import type { Audit } from "../security/audit.ts";
import type { Config } from "./config.ts";
import { asExpression, functionSource, type Aim } from "./run-request.ts";

export interface EngineParts {
  readonly config: Config;
  readonly bus: Bus;
  readonly metrics: Metrics;
  readonly registry: Registry;
  readonly pool: CellPool;
  readonly lifecycle: Lifecycle;
  readonly homing: Homing;
  readonly runs: Runs;
  readonly reloads: Reloads;
  readonly autoReload: AutoReload;
  readonly collector: Collector;
  readonly compiler: Compiler;
  readonly cache: CompileCache;
  readonly gatekeeper: Gatekeeper;
  readonly audit: Audit;
}

export class Engine {
  readonly parts: EngineParts;
  readonly #closing = new AbortController();

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

  /** Throws `RUNTIME_CLOSED` once the runtime is closed. */
  checkOpen(what: string): void {
    if (this.isClosed) throw new RuntimeClosedError(what);
  }

  /** A run that was never accepted is told apart from one that ended. */
  refuseRun(sandboxId: string, target: string, error: unknown): Promise<never> {
    const { code } = asVivariumError(error);
    const message = String(error);
    this.parts.bus.emit("sandbox.run.exception", { sandboxId, target, code, message, durationMs: 0 });
    return Promise.reject(error as Error);
  }

  /** Starts a run. A signal that is aborted ends it. */
  submit(resident: Resident, order: RunOrder, signal: AbortSignal | undefined): RunTicket {
    const { runs } = this.parts;
    if (signal === undefined) return runs.submit(resident, order);
    const cancel = (): void => runs.cancel(ticket, "signal", "its signal was aborted");
    const ticket = runs.submit(resident, {
      ...order,
      settle: (outcome) => {
        signal.removeEventListener("abort", cancel);
        order.settle(outcome);
      },
    });
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    return ticket;
  }

  /** What a function compiles to; a failure to compile is a value. */
  async ship(
    fn: unknown,
    limits: CodeLimits,
  ): Promise<{ readonly aim: Aim } | { readonly failed: Extract<Compilation, { ok: false }> }> {
    const { compileMs, sourceBytes } = limits;
    const isMetered = limits.fuel !== null;
    const result = await this.parts.cache.compile({
      name: "run",
      source: functionSource(fn),
      compileMs,
      sourceBytes,
      isMetered,
    });
    return result.ok
      ? { aim: { shipped: result.artifact, code: asExpression(result.artifact) } }
      : { failed: result };
  }

  /** Why a sandbox may not be given what is to be run; undefined where it may. What it has already passed the gate. */
  refusalOf(aim: Aim, resident: Resident): GuestFailure | undefined {
    return "shipped" in aim ? this.parts.gatekeeper.refusalOf(aim.shipped, resident) : undefined;
  }

  async compile(request: CompileRequest): Promise<Extract<Compilation, { ok: true }>["artifact"]> {
    const result = await this.parts.cache.compile(request);
    if (!result.ok) throw new LoadError(result.message, result);
    return result.artifact;
  }
}
