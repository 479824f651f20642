// The doors through which sandboxes come: made by a caller, brought back from the store, or made for a moment to help another.
// All have one way in common; only what a caller just made may be forgotten again when it does not come about.
import { asVivariumError, LoadError, type VivariumError } from "../../model/errors.ts";
import { span } from "../../observability/span.ts";
import { ManagedSandbox } from "./managed-sandbox.ts";
import type { Registry } from "./registry.ts";
import type { SandboxKind, SandboxPlan } from "./sandbox-plan.ts";
import type { SharedParts } from "./state.ts";

/** What they share, with the table of all of them. */
export interface SandboxesParts extends SharedParts {
  readonly registry: Registry;
}

export class Sandboxes {
  readonly #shared: SandboxesParts;
  /** Throws `CAPACITY_EXCEEDED` where one more sandbox is one too many. */
  readonly #admit: () => void;

  constructor(shared: SandboxesParts, admit: () => void) {
    this.#shared = shared;
    this.#admit = admit;
  }

  /** What all of them share. */
  get shared(): SharedParts {
    return this.#shared;
  }

  /**
   * A caller's new sandbox. Code that fails leaves it as a failed record and rejects with a `LoadError`; where the caller
   * gave up, or could not be served, no record is left.
   */
  async create(plan: SandboxPlan): Promise<ManagedSandbox> {
    if (!this.#shared.registry.has(plan.id)) this.#admit();
    const sandbox = this.#add(plan, "individual");
    return this.#observed(sandbox, () => this.#orForget(sandbox, plan));
  }

  /** One that the store has. Whatever keeps it from living, it comes back: failed then, with the reason, and still stored. */
  async restore(plan: SandboxPlan): Promise<void> {
    const sandbox = this.#add({ ...plan, isRestored: true }, "individual");
    try {
      await this.#observed(sandbox, () => sandbox.open(plan));
    } catch (error) {
      if (!(error instanceof LoadError))
        sandbox.fail({ kind: "load", message: asVivariumError(error).message }, { isBlameless: true });
    }
  }

  /** One that the store has and that cannot even be tried: it comes back as failed. */
  restoreFailed(plan: SandboxPlan, { message }: VivariumError): void {
    this.#add({ ...plan, isRestored: true }, "individual").fail(
      { kind: "load", message },
      { isBlameless: true },
    );
  }

  /** A sandbox that helps for a moment: nobody is told of it, it has no name, and it is not kept. Destroy it when it is done. */
  async help(plan: SandboxPlan): Promise<ManagedSandbox> {
    this.#admit();
    const sandbox = this.#add(plan, "helper");
    return this.#orForget(sandbox, plan);
  }

  #add(plan: SandboxPlan, kind: SandboxKind): ManagedSandbox {
    const { clock, registry } = this.#shared;
    const { code: _code, loadError: _loadError, signal: _signal, ...facts } = plan;
    const key = registry.nextKey();
    const times = { createdAt: plan.createdAt ?? clock.now(), createdMs: clock.monotonic() };
    const sandbox = new ManagedSandbox({ ...facts, ...times, kind, key }, this.#shared);
    registry.add(sandbox);
    return sandbox;
  }

  async #orForget(sandbox: ManagedSandbox, plan: SandboxPlan): Promise<ManagedSandbox> {
    try {
      await sandbox.open(plan);
      return sandbox;
    } catch (error) {
      const isLeft = error instanceof LoadError && sandbox.kind === "individual";
      // The first error is the one to tell, also where the store fails once more.
      if (!isLeft) await sandbox.destroy(asVivariumError(error).message).catch(() => {});
      throw error;
    }
  }

  #observed<T>(sandbox: ManagedSandbox, act: () => Promise<T>): Promise<T> {
    const { bus, clock } = this.#shared;
    return span({ bus, clock, name: "sandbox.create", sandboxId: sandbox.id }, {}, act);
  }
}
