// The runs of one batch on their way to their sandboxes.
import { asVivariumError, InvalidOptionsError, type VivariumError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import { show } from "../../model/show.ts";
import type { CutReason } from "../../model/runs/unbegun.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { RunSubmission, RunTerms, RunTicket, WireArgs } from "../../orchestration/runs/ticket.ts";
import type { Engine } from "../wiring/engine.ts";
import type { KeepRule } from "../options/batch-options.ts";
import { Keeping, type Keepable } from "./keeping.ts";
import { cancelledBy, failed, failureOfCreation } from "../../model/runs/unbegun.ts";
import type { SpecSandbox, SpecSandboxes } from "./spec-sandboxes.ts";
import { reasonOf } from "../../model/runs/arguments.ts";
import { toTerms, toWireArgs, type Callee, type RunFields } from "../options/run-options.ts";
import type { BatchOutcome, Kept } from "../types/batch.ts";

const closed: GuestFailure = {
  kind: "cancelled",
  reason: "closed",
  message: "Cannot start the run as the runtime was closed",
};

export interface LaunchTerms {
  readonly waitMs: number;
  /** Where some of the sandboxes are made for it. */
  readonly specs: SpecSandboxes | undefined;
  readonly keep: KeepRule | undefined;
}

export interface LaunchItem {
  readonly index: number;
  readonly id: string;
  readonly done: (result: BatchOutcome<unknown>) => void;
  /** The one that was made for it, which another of its id does not replace. */
  readonly sandbox?: ManagedSandbox;
}

/** Starts the runs of one batch. Those with the same limits share their terms, so that they travel together. */
export class RunLaunch {
  readonly #engine: Engine;
  readonly #given: RunFields;
  readonly #waitMs: number;
  readonly #terms = new Map<Limits, RunTerms>();
  /** Those of the limits that were asked for last, which most sandboxes have. */
  #latest: { readonly limits: Limits; readonly terms: RunTerms } | undefined;
  readonly #args = new Map<number, WireArgs>();
  readonly #tickets: (RunTicket | undefined)[] = [];
  /** Started before it was known what to run, or before there was a sandbox to run it in. */
  readonly #waiting = new Map<number, LaunchItem>();
  readonly #specs: SpecSandboxes | undefined;
  readonly #keeping: Keeping;
  readonly #onClosed = (): void => {
    for (const { index, id, done } of this.#waiting.values())
      if (this.#waiting.delete(index)) done(itemOf(index, id, failed(closed)));
  };

  constructor(engine: Engine, given: RunFields, how: LaunchTerms) {
    this.#engine = engine;
    this.#given = given;
    this.#waitMs = how.waitMs;
    this.#specs = how.specs;
    this.#keeping = new Keeping(how.keep);
    engine.closed.addEventListener("abort", this.#onClosed, { once: true });
  }

  /** Starts one item, as soon as it is known what to run, and where. */
  start(item: LaunchItem, calleeFor: (id: string) => Callee | Promise<Callee | GuestFailure>): void {
    const made = this.#engine.isClosed ? undefined : this.#specs?.open(item.index);
    if (made === undefined) return this.#startIn(item, calleeFor(item.id));
    const own = { ...item, id: made.id ?? item.id, done: this.#keepOrEnd(item, made) };
    this.#waiting.set(item.index, own);
    made.opened.then(
      (sandbox) => {
        if (this.#waiting.delete(item.index)) this.#startIn({ ...own, sandbox }, calleeFor(sandbox.id));
      },
      (error: unknown) => {
        if (this.#waiting.delete(item.index)) this.#launch(own, failureOfCreation(error));
      },
    );
  }

  /** The result of an item that was not started. */
  unstarted(index: number, id: string, reason: CutReason): BatchOutcome<unknown> & Partial<Kept> {
    const result = { index, sandboxId: id, ...failed(cancelledBy(reason)) };
    return this.#specs === undefined ? result : { ...result, kept: false };
  }

  /** Every item has its result. */
  settle(): Promise<void> {
    return this.#keeping.end();
  }

  end(): void {
    this.#engine.closed.removeEventListener("abort", this.#onClosed);
  }

  #startIn(item: LaunchItem, callee: Callee | Promise<Callee | GuestFailure>): void {
    if (!(callee instanceof Promise)) return this.#launch(item, callee);
    this.#waiting.set(item.index, item);
    const launch = (known: Callee | GuestFailure): void => {
      if (this.#waiting.delete(item.index)) this.#launch(item, known);
    };
    callee.then(launch, (error: unknown) => launch({ ...closed, message: asVivariumError(error).message }));
  }

  // The caller learns of the result once the sandbox is kept, or nothing of it is left.
  #keepOrEnd({ done }: LaunchItem, made: SpecSandbox): LaunchItem["done"] {
    return (outcome) => {
      const isCut = !outcome.ok && outcome.error.kind === "cancelled";
      const result: BatchOutcome<unknown> & Keepable = { ...outcome, kept: false };
      const wanted = made.sandbox !== undefined && !isCut && this.#keeping.ask(result);
      const final = wanted instanceof Error ? misjudged(result, wanted) : result;
      void this.#keeping.settle({ result: final, made }, wanted === true).then(() => done(final));
    };
  }

  #launch(item: LaunchItem, callee: Callee | GuestFailure): void {
    const { index, id, done } = item;
    const settle = (outcome: Outcome): void => done(itemOf(index, id, outcome));
    const sandbox = item.sandbox ?? this.#engine.parts.registry.find(id as SandboxId);
    if ("kind" in callee) settle(failed(callee));
    else if (this.#engine.isClosed) settle(failed(closed));
    else if (sandbox === undefined)
      settle(
        failed({
          kind: "not-running",
          message: `Cannot call sandbox ${show(id)} as there is none of this id`,
        }),
      );
    else this.#submit(sandbox, callee, { index, settle });
  }

  cancel(index: number, reason: CutReason): void {
    const waiting = this.#waiting.get(index);
    if (waiting !== undefined) {
      this.#waiting.delete(index);
      return waiting.done(itemOf(index, waiting.id, failed(cancelledBy(reason))));
    }
    const ticket = this.#tickets[index];
    if (ticket !== undefined) ticket.sandbox.endRun(ticket, cancelledBy(reason));
  }

  #submit(
    sandbox: ManagedSandbox,
    callee: Callee,
    item: { readonly index: number; readonly settle: (outcome: Outcome) => void },
  ): void {
    const { limits, id } = sandbox;
    const { index, settle } = item;
    let submission: RunSubmission;
    try {
      submission = {
        terms: this.#termsFor(callee, limits),
        args: this.#argsFor(id, index, limits.argsBytes),
        settle,
      };
    } catch (error) {
      // A mistake in one item's own arguments ends that item, and nothing that is thrown here ends another.
      return settle(failed({ kind: "unserializable", message: asVivariumError(error).message }));
    }
    this.#tickets[index] = this.#engine.submit(sandbox, submission);
  }

  #termsFor(callee: Callee, limits: Limits): RunTerms {
    if (this.#latest?.limits === limits) return this.#latest.terms;
    const terms = this.#terms.get(limits) ?? toTerms(callee, this.#given, { limits, waitMs: this.#waitMs });
    this.#terms.set(limits, terms);
    this.#latest = { limits, terms };
    return terms;
  }

  #argsFor(id: string, index: number, bytesMax: number): WireArgs {
    const { args } = this.#given;
    if (typeof args === "function") return toWireArgs(argsFrom(args as MakeArgs, id, index), bytesMax);
    const known = this.#args.get(bytesMax);
    if (known !== undefined) return known;
    const wire = toWireArgs(args, bytesMax);
    this.#args.set(bytesMax, wire);
    return wire;
  }
}

type MakeArgs = (id: string, index: number) => unknown;

function argsFrom(make: MakeArgs, id: string, index: number): unknown {
  try {
    return make(id, index);
  } catch (error) {
    const message = `Cannot make the arguments of item ${index} as their function must not throw: ${reasonOf(error)}`;
    throw new InvalidOptionsError(message, "args");
  }
}

// Written out: a spread costs as much as all the rest of a short run's way through here.
function itemOf(index: number, id: string, outcome: Outcome): BatchOutcome<unknown> {
  const { usage, logs } = outcome;
  return outcome.ok
    ? { index, sandboxId: id, ok: true, value: outcome.value, usage, logs }
    : { index, sandboxId: id, ok: false, error: outcome.error, usage, logs };
}

// A mistake of the caller's own function is its item's, as one in its arguments is.
function misjudged(
  { index, sandboxId, usage, logs }: BatchOutcome<unknown>,
  { message }: VivariumError,
): BatchOutcome<unknown> & Keepable {
  return {
    index,
    sandboxId,
    ok: false,
    error: { kind: "unserializable", message },
    usage,
    logs,
    kept: false,
  };
}
