// Sandboxes that a batch makes from specs, each as its turn comes. They are temporary: not stored, and ended when the batch is
// done with them, but for those that are kept.
import {
  asVivariumError,
  CancelledError,
  SandboxExistsError,
  type VivariumError,
} from "../../model/errors.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { isSpec } from "../options/batch-items.ts";
import { completePathSpec, type PathPlan } from "../options/spec.ts";
import { specContextOf } from "../options/spec-context.ts";
import type { BatchTarget } from "../types/batch.ts";
import type { Engine } from "../wiring/engine.ts";
import { untilCancelled } from "../options/cancellation.ts";
import { creating } from "./opening.ts";
import { compileAhead, readFiles, type KnownCode } from "./spec-code.ts";

/** A spec that was read, with its code on the way; or why there is no sandbox to be had from it. */
type Prepared = { readonly given: PathPlan; readonly code: Promise<KnownCode> } | VivariumError;

export class SpecSandboxes {
  readonly #engine: Engine;
  readonly #targets: readonly BatchTarget[];
  readonly #aheadMax: number;
  readonly #prepared = new Map<number, Prepared>();
  readonly #ids = new Set<string>();
  /** The first item that is not prepared. */
  #next = 0;

  /** While one is at work, the code of at most `aheadMax` after it is compiled. */
  constructor(engine: Engine, targets: readonly BatchTarget[], aheadMax: number) {
    this.#engine = engine;
    this.#targets = targets;
    this.#aheadMax = aheadMax;
  }

  /** Begins to create the sandbox of an item; undefined for one that was given by its id. Items come in order. */
  open(index: number): SpecSandbox | undefined {
    const end = Math.min(this.#targets.length, index + 1 + this.#aheadMax);
    for (; this.#next < end; this.#next++) this.#prepare(this.#next);
    const prepared = this.#prepared.get(index);
    if (prepared === undefined) return undefined;
    this.#prepared.delete(index);
    return new SpecSandbox(this.#engine, prepared);
  }

  #prepare(index: number): void {
    const target = this.#targets[index];
    if (isSpec(target)) this.#prepared.set(index, this.#read(target));
  }

  #read(target: Exclude<BatchTarget, string>): Prepared {
    try {
      this.#engine.checkOpen("create a sandbox");
      const { id, ...spec } = target;
      const given = completePathSpec(id, spec, specContextOf(this.#engine));
      const { path, plan } = given;
      // Whether the first one of this id is gone by then would be a matter of luck.
      if (this.#ids.has(plan.id)) throw new SandboxExistsError(plan.id);
      if (id !== undefined) this.#ids.add(plan.id);
      const code =
        path === undefined ? compileAhead(this.#engine, plan) : readFiles(this.#engine, path, plan);
      // Nobody may ever ask for it.
      code.catch(() => {});
      return { given, code };
    } catch (error) {
      return asVivariumError(error);
    }
  }
}

/** One sandbox of a batch. */
export class SpecSandbox {
  readonly #engine: Engine;
  /** Its id; undefined where its spec is no spec. */
  readonly id: string | undefined;
  /** Resolves when it is loaded. */
  readonly opened: Promise<ManagedSandbox>;
  #sandbox: ManagedSandbox | undefined;
  #isEnded = false;

  constructor(engine: Engine, prepared: Prepared) {
    this.#engine = engine;
    const isRefused = prepared instanceof Error;
    this.id = isRefused ? undefined : prepared.given.plan.id;
    this.opened = isRefused ? Promise.reject(prepared) : this.#openWithin(prepared);
    this.opened.catch(() => {});
  }

  /** The sandbox, also while it is being loaded or when that failed; undefined while there is none yet. */
  get sandbox(): ManagedSandbox | undefined {
    return this.#sandbox;
  }

  /** It lives on, as any other sandbox; false where that cannot be. */
  async keep(): Promise<boolean> {
    if (this.#isEnded || this.#engine.isClosed) return false;
    return (await this.#sandbox?.keep()) ?? false;
  }

  /** Resolves when nothing of it is left. A runtime that is closed ends it itself. */
  async end(): Promise<void> {
    this.#isEnded = true;
    // A run ends in the middle of what its sandbox does, and that comes first.
    await Promise.resolve();
    if (!this.#engine.isClosed) await this.#sandbox?.destroy("its batch was done with it").catch(() => {});
  }

  // The deadline of its spec begins with its turn.
  #openWithin(prepared: Exclude<Prepared, Error>): Promise<ManagedSandbox> {
    const { plan, bounds } = prepared.given;
    return creating(this.#engine, { id: plan.id, bounds }, (signal) => this.#open(prepared, signal));
  }

  async #open(
    { given, code }: Exclude<Prepared, Error>,
    signal: AbortSignal | undefined,
  ): Promise<ManagedSandbox> {
    const { sandboxes, autoReload } = this.#engine.parts;
    const known = await untilCancelled({ signal }, "the compilation", () => code);
    this.#engine.checkOpen("create a sandbox");
    if (this.#isEnded)
      throw new CancelledError(`the creation of sandbox "${given.plan.id}"`, "its batch ended it");
    const { sandbox, opened } = sandboxes.begin({ ...given.plan, ...known, signal, isTemporary: true });
    this.#sandbox = sandbox;
    await opened;
    if (given.isFollowing && sandbox.mayBeAssigned) autoReload.start(sandbox);
    return sandbox;
  }
}
