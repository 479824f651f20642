// The life of sandboxes: created, restarted, changed, failed, destroyed. Every step goes through the table.
import {
  asVivariumError,
  CancelledError,
  InvalidLimitsError,
  LoadError,
  RuntimeClosedError,
  SandboxNotRunningError,
} from "../../model/errors.ts";
import type { VivariumError } from "../../model/errors.ts";
import type { Limits } from "../../model/limits.ts";
import type { CancelReason, GuestFailure } from "../../model/outcome.ts";
import type { Bus } from "../../observability/bus.ts";
import { span } from "../../observability/span.ts";
import type { Clock } from "../../std/clock.ts";
import type { Store } from "../../store/store.ts";
import { untilAborted } from "../../std/abort.ts";
import type { Door } from "../code/building.ts";
import { build } from "./first-revision.ts";
import { forget, keep } from "./persistence.ts";
import type { Homing, HomingListener } from "../cells/assignment.ts";
import { Loadings } from "../cells/loadings.ts";
import type { Registry } from "./registry.ts";
import { Resident } from "./resident.ts";
import type { Runs } from "../runs/runs.ts";
import type { SandboxPlan } from "./sandbox-plan.ts";

export interface LifecycleParts extends Door {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly registry: Registry;
  readonly store: Store;
  /** Whether this code is known to bring down cells. */
  readonly isKiller: (resident: Resident) => boolean;
  /** Throws `CAPACITY_EXCEEDED` where one more sandbox is one too many. */
  readonly admit: () => void;
  /** How many versions of each module are kept. */
  readonly versionsMax: number;
  /** How long a sandbox may wait for a cell. */
  readonly waitMs: number;
}

interface Colleagues {
  readonly homing: Homing;
  readonly runs: Runs;
}

export class Lifecycle implements HomingListener {
  readonly #parts: LifecycleParts;
  readonly #loadings: Loadings;
  #colleagues: Colleagues | undefined;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
    this.#loadings = new Loadings(parts.clock, parts.waitMs);
  }

  /** Those who carry out what it decides; they report back to it, so they come after it. */
  meet(colleagues: Colleagues): void {
    this.#colleagues = colleagues;
  }

  get #homing(): Homing {
    return (this.#colleagues as Colleagues).homing;
  }

  get #runs(): Runs {
    return (this.#colleagues as Colleagues).runs;
  }

  /** Creates a sandbox. Code that fails leaves it as a failed record and rejects with a `LoadError`. */
  async create(plan: SandboxPlan): Promise<Resident> {
    const { bus, clock, registry, admit } = this.#parts;
    if (!registry.has(plan.id)) admit();
    const resident = new Resident({
      ...plan,
      versionsMax: this.#parts.versionsMax,
      key: registry.nextKey(),
      createdAt: clock.now(),
      createdMs: clock.monotonic(),
    });
    registry.add(resident);
    return span({ bus, clock, name: "sandbox.create", sandboxId: plan.id }, {}, async () => {
      await this.#cancellable(resident, plan.signal, () => this.#build(resident, plan));
      await this.#orDestroy(resident, keep(this.#parts.store, resident));
      return resident;
    });
  }

  async restart(resident: Resident): Promise<void> {
    const { bus, clock } = this.#parts;
    await span({ bus, clock, name: "sandbox.restart", sandboxId: resident.id }, {}, async () => {
      // What never was compiled cannot be loaded again.
      if (!resident.can("restart") || resident.versions.head.revision === 0)
        throw new SandboxNotRunningError("restart", resident);
      this.#endRuns(resident, "restarted", "the sandbox was restarted");
      this.#homing.vacate(resident);
      resident.move("restart");
      resident.restarts++;
      resident.reason = null;
      resident.failedMs = undefined;
      resident.backgroundCutsMs = [];
      // Who was refused gets another chance when its owner says so, alone in a cell.
      if (resident.standing === "refused") resident.standing = "offender";
      await this.#load(resident).catch((error: unknown) => {
        // Where no cell could be had, it can be restarted later.
        if (!(error instanceof LoadError)) this.fail(resident, { kind: "load", message: String(error) });
        throw error;
      });
    });
  }

  /** Destroys a sandbox: nothing of it is left but a tombstone. */
  async destroy(resident: Resident, reason: string): Promise<void> {
    const { bus, clock, registry, store } = this.#parts;
    if (!resident.can("stop")) return;
    resident.move("stop");
    await span({ bus, clock, name: "sandbox.destroy", sandboxId: resident.id }, { reason }, async () => {
      this.#endRuns(resident, "destroyed", "the sandbox was destroyed");
      this.#loadings.fail(resident, new CancelledError(`loading of sandbox "${resident.id}"`, reason));
      this.#homing.vacate(resident);
      resident.reason ??= reason;
      await forget(store, resident).finally(() => {
        resident.move("stopped");
        registry.bury(resident, clock.monotonic());
      });
    });
  }

  /** Changes limits. More memory needs a new isolate; true when one was made, with the sandbox at its head revision. */
  async updateLimits(resident: Resident, limits: Limits): Promise<boolean> {
    if (resident.status !== "running") throw new SandboxNotRunningError("change the limits of", resident);
    if ((limits.fuel === null) !== (resident.limits.fuel === null)) {
      const rule = "it must be woven into the code at creation: the sandbox lives";
      throw new InvalidLimitsError(`Cannot switch fuel on or off as ${rule}`, "fuel");
    }
    const needsIsolate = resident.home !== undefined && limits.memoryBytes > resident.home.memoryBytes;
    resident.limits = limits;
    resident.logs.resize(limits.logBytes);
    if (!needsIsolate) {
      resident.home?.queue.changeLimits(resident);
      await keep(this.#parts.store, resident);
      return false;
    }
    resident.move("reload");
    await this.#runs.drain(resident);
    // It may have failed or gone while its runs came to their end.
    if (!resident.can("reverted")) throw new SandboxNotRunningError("change the limits of", resident);
    this.#homing.vacate(resident);
    resident.move("reverted");
    this.#runs.rebuild(resident, "limits");
    this.#runs.dispatchWaiting(resident);
    await keep(this.#parts.store, resident);
    return true;
  }

  /** The runtime closes: whoever waits for a load or for a cell is told so. */
  shut(): void {
    this.#homing.failWaiting(new RuntimeClosedError("find a cell"));
    this.#loadings.failAll(({ id }) => new RuntimeClosedError(`load sandbox "${id}"`));
  }

  /** Timers and processes stand still, and runs wait until the sandbox is resumed. */
  suspend(resident: Resident): void {
    if (!resident.can("suspend")) throw new SandboxNotRunningError("suspend", resident);
    resident.move("suspend");
    resident.home?.queue.hold(resident, true);
  }

  resume(resident: Resident): void {
    if (!resident.can("resume")) throw new SandboxNotRunningError("resume", resident);
    resident.move("resume");
    resident.home?.queue.hold(resident, false);
    this.#runs.dispatchWaiting(resident);
  }

  /** A sandbox can no longer be called. It stays, to be inspected, restarted or collected. */
  fail(resident: Resident, failure: GuestFailure): void {
    this.#fail(resident, new LoadError(failure.message, { stage: "evaluate", failure }), failure);
  }

  onHoused(resident: Resident): void {
    if (resident.status !== "creating") this.#runs.dispatchWaiting(resident);
  }

  onLoaded(resident: Resident): void {
    this.#loadings.succeed(resident);
  }

  onLoadFailed(resident: Resident, failure: GuestFailure): void {
    const message = `Cannot load sandbox "${resident.id}": ${failure.message}`;
    this.#fail(resident, new LoadError(message, { stage: "evaluate", failure }), {
      ...failure,
      kind: "load",
      message,
    });
  }

  onUnavailable(resident: Resident, error: VivariumError): void {
    if (this.#loadings.has(resident)) return this.#loadings.fail(resident, error);
    const failure: GuestFailure = {
      kind: "cancelled",
      reason: "lane",
      message: `Cannot run as there is no cell for it: ${error.message}`,
    };
    this.#runs.endAll(resident, failure);
  }

  async #build(resident: Resident, { code, stillborn }: SandboxPlan): Promise<void> {
    try {
      if (stillborn !== undefined) throw stillborn;
      await build(resident, code, this.#parts);
    } catch (error) {
      if (!(error instanceof LoadError)) throw error;
      throw this.#fail(resident, error, { kind: "load", message: error.message });
    }
    if (this.#parts.isKiller(resident)) resident.standing = "suspect";
    await this.#load(resident);
  }

  async #load(resident: Resident): Promise<void> {
    // It may have gone while its modules were compiled: then it gets no home any more.
    this.#checkWanted(resident);
    await this.#loadings.wait(resident, () => this.#homing.house(resident));
    this.#checkWanted(resident);
    resident.move("loaded");
    this.#runs.dispatchWaiting(resident);
  }

  #checkWanted(resident: Resident): void {
    if (!resident.can("loaded"))
      throw new CancelledError(`loading of sandbox "${resident.id}"`, resident.reason);
  }

  // Whoever gave up, or could not be served, leaves no record behind; code that failed does.
  async #cancellable(
    resident: Resident,
    signal: AbortSignal | undefined,
    act: () => Promise<void>,
  ): Promise<void> {
    const reason = (): Error => new CancelledError(`creation of sandbox "${resident.id}"`, signal?.reason);
    await this.#orDestroy(resident, untilAborted(signal, reason, act));
  }

  async #orDestroy(resident: Resident, step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (error) {
      // The first error is the one to tell, also where the store fails once more.
      if (!(error instanceof LoadError))
        await this.destroy(resident, asVivariumError(error).message).catch(() => {});
      throw error;
    }
  }

  // Answers the error as it is told of this sandbox.
  #fail(resident: Resident, error: LoadError, failure: GuestFailure): LoadError {
    const told = error.of(resident.id);
    if (!resident.can("failed")) return told;
    resident.move("failed");
    resident.reason = told.message;
    resident.failedMs = this.#parts.clock.monotonic();
    const { code, message, diagnostics } = told;
    const lastError = { code, message, diagnostics };
    resident.lastError = told.failure === undefined ? lastError : { ...lastError, failure: told.failure };
    this.#runs.endAll(resident, failure);
    this.#homing.vacate(resident);
    this.#parts.bus.emit("sandbox.failed", { sandboxId: resident.id, reason: message });
    this.#loadings.fail(resident, told);
    return told;
  }

  #endRuns(resident: Resident, reason: CancelReason, why: string): void {
    this.#runs.endAll(resident, { kind: "cancelled", reason, message: `Cannot finish the run as ${why}` });
  }
}
