// The runs of one batch on their way to their sandboxes.
import { asVivariumError, InvalidOptionsError } from "../../model/errors.ts";
import type { SandboxId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import { show } from "../../model/show.ts";
import type { CutReason } from "../../orchestration/evaluation/batch.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import type { RunSubmission, RunTerms, RunTicket, WireArgs } from "../../orchestration/runs/ticket.ts";
import type { Engine } from "../wiring/engine.ts";
import { cancelledBy, failed } from "./outcomes.ts";
import { reasonOf, toTerms, toWireArgs, type Callee, type RunFields } from "../options/run-options.ts";
import type { BatchOutcome } from "../types/batch.ts";

const closed: GuestFailure = {
  kind: "cancelled",
  reason: "closed",
  message: "Cannot start the run as the runtime was closed",
};

export interface LaunchItem {
  readonly index: number;
  readonly id: string;
  readonly done: (result: BatchOutcome<unknown>) => void;
}

/** Starts the runs of one batch. Those with the same limits share their terms, so that they travel together. */
export class RunLaunch {
  readonly #engine: Engine;
  readonly #given: RunFields;
  readonly #waitMs: number;
  readonly #terms = new Map<Limits, RunTerms>();
  readonly #args = new Map<number, WireArgs>();
  readonly #tickets: (RunTicket | undefined)[] = [];
  /** Started before it was known what to run. */
  readonly #waiting = new Map<number, LaunchItem>();

  constructor(engine: Engine, given: RunFields, waitMs: number) {
    this.#engine = engine;
    this.#given = given;
    this.#waitMs = waitMs;
  }

  /** Starts one item, as soon as it is known what to run. */
  start(item: LaunchItem, callee: Callee | Promise<Callee | GuestFailure>): void {
    if (!(callee instanceof Promise)) return this.#launch(item, callee);
    this.#waiting.set(item.index, item);
    const launch = (known: Callee | GuestFailure): void => {
      if (this.#waiting.delete(item.index)) this.#launch(item, known);
    };
    callee.then(launch, (error: unknown) => launch({ ...closed, message: asVivariumError(error).message }));
  }

  #launch({ index, id, done }: LaunchItem, callee: Callee | GuestFailure): void {
    const settle = (outcome: Outcome): void => done(itemOf(index, id, outcome));
    const sandbox = this.#engine.parts.registry.find(id as SandboxId);
    if (this.#engine.isClosed) settle(failed(closed));
    else if ("kind" in callee) settle(failed(callee));
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
    const known = this.#terms.get(limits);
    if (known !== undefined) return known;
    const terms = toTerms(callee, this.#given, { limits, waitMs: this.#waitMs });
    this.#terms.set(limits, terms);
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
