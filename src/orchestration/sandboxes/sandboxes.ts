// Creates sandboxes: for a caller, from the store, or as a helper for one task. A caller's sandbox or a helper that could not
// be created is removed again; one from the store stays.
import { asVivariumError, LoadError } from "../../model/errors.ts";
import { span } from "../../observability/span.ts";
import { ManagedSandbox } from "./managed-sandbox.ts";
import type { Registry } from "./registry.ts";
import type { SandboxKind } from "../sandbox-view.ts";
import type { SandboxPlan } from "./sandbox-plan.ts";
import type { SharedParts } from "./state.ts";

/** A sandbox that is there again: `loaded` resolves when it is loaded, or failed to, or need not be. */
export interface Loading {
  readonly sandbox: ManagedSandbox;
  readonly loaded: Promise<void>;
}

/** A new sandbox: `opened` resolves when it is loaded. */
export interface Opening {
  readonly sandbox: ManagedSandbox;
  readonly opened: Promise<ManagedSandbox>;
}

type SandboxesParts = SharedParts & { readonly registry: Registry };

export class Sandboxes {
  readonly #shared: SandboxesParts;
  /** Throws `CAPACITY_EXCEEDED` where there may be no more sandboxes. */
  readonly #admit: () => void;

  constructor(shared: SandboxesParts, admit: () => void) {
    this.#shared = shared;
    this.#admit = admit;
  }

  /** What all sandboxes share. */
  get shared(): SharedParts {
    return this.#shared;
  }

  /**
   * A caller's new sandbox. Code that fails leaves it as a failed record and rejects with a `LoadError`; after any other
   * error no record is left, nor where its plan says so.
   */
  async create(plan: SandboxPlan): Promise<ManagedSandbox> {
    return this.begin(plan).opened;
  }

  /** As `create`, where the sandbox is needed before it is loaded; throws where it may not even begin. */
  begin(plan: SandboxPlan): Opening {
    if (!this.#shared.registry.has(plan.id)) this.#admit();
    const sandbox = this.#add(plan, "individual");
    return { sandbox, opened: this.#observed(sandbox, () => this.#openOrRemove(sandbox, plan)) };
  }

  /**
   * A sandbox from the store. Where it cannot be loaded, it is there as failed, with the reason, and stays stored. Resolves
   * when its code is known.
   */
  async restore(plan: SandboxPlan): Promise<Loading> {
    const sandbox = this.#add({ ...plan, isRestored: true }, "individual");
    const known = Promise.withResolvers<void>();
    const loaded = sandbox.restore({ ...plan, onKnown: known.resolve }).catch((error: unknown) => {
      if (!(error instanceof LoadError))
        sandbox.fail({ kind: "load", message: asVivariumError(error).message }, { isBlameless: true });
    });
    await Promise.race([known.promise, loaded]);
    return { sandbox, loaded };
  }

  /** A sandbox from the store whose loading cannot even be tried: it is there as failed. */
  restoreFailed(plan: SandboxPlan, message: string): Loading {
    const sandbox = this.#add({ ...plan, isRestored: true }, "individual");
    sandbox.fail({ kind: "load", message }, { isBlameless: true });
    return { sandbox, loaded: Promise.resolve() };
  }

  /** A helper for one task: it has no events, cannot be found by id and is not stored. Destroy it when it is done. */
  async help(plan: SandboxPlan): Promise<ManagedSandbox> {
    this.#admit();
    const sandbox = this.#add(plan, "helper");
    return this.#openOrRemove(sandbox, plan);
  }

  #add(plan: SandboxPlan, kind: SandboxKind): ManagedSandbox {
    const { clock, registry } = this.#shared;
    const { code: _code, loadError: _loadError, signal: _signal, ...facts } = plan;
    const key = registry.nextKey();
    const { createdAt = clock.now() } = plan;
    const ageMs = Math.max(0, clock.now() - createdAt);
    const times = { createdAt, createdMs: clock.monotonic() - ageMs };
    const sandbox = new ManagedSandbox({ ...facts, ...times, kind, key }, this.#shared);
    registry.add(sandbox);
    // A temporary one has no place in the store yet.
    if (kind === "individual" && plan.isTemporary !== true) this.#shared.removals.forget(sandbox.id);
    return sandbox;
  }

  async #openOrRemove(sandbox: ManagedSandbox, plan: SandboxPlan): Promise<ManagedSandbox> {
    try {
      await sandbox.open(plan);
      return sandbox;
    } catch (error) {
      const isLeft =
        error instanceof LoadError && sandbox.kind === "individual" && plan.isGoneIfBroken !== true;
      // The first error is thrown, also where the store fails as well.
      if (isLeft) await sandbox.storeFailure();
      else await sandbox.destroy(asVivariumError(error).message).catch(() => {});
      throw error;
    }
  }

  #observed<T>(sandbox: ManagedSandbox, act: () => Promise<T>): Promise<T> {
    const { bus, clock } = this.#shared;
    return span({ bus, clock, name: "sandbox.create", sandboxId: sandbox.id }, {}, act);
  }
}
