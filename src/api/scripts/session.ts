// A session in this process's runtime: one sandbox, and its scripts one after the other.
import type { Artifact } from "../../code/modules/artifact.ts";
import { InvalidOptionsError } from "../../model/errors.ts";
import type { GuestFailure, Outcome } from "../../model/runs/outcome.ts";
import { show } from "../../model/show.ts";
import type { RunTicket } from "../../orchestration/runs/ticket.ts";
import type { ManagedSandbox } from "../../orchestration/sandboxes/managed-sandbox.ts";
import { awaitMethods } from "../../std/keep-alive.ts";
import { Lru } from "../../std/lru.ts";
import { readCancel } from "../options/cancellation.ts";
import { signal } from "../options/options.ts";
import type { CancelOptions } from "../types/cancel.ts";
import { readCallFields, type RunFields, type Shipped } from "../options/run-options.ts";
import type { CallOptions, Sandbox } from "../types/sandbox.ts";
import type { ScriptOutcome, Session } from "../types/session.ts";
import type { Engine } from "../wiring/engine.ts";
import { startCall } from "../handles/call.ts";
import { LocalSandbox } from "../handles/local-sandbox.ts";
import { cancelledBySignal, failed } from "../../model/runs/unbegun.ts";
import { preparing } from "../handles/preparation.ts";
import { waits } from "../../model/sandboxes/waits.ts";
import { waitFor } from "../handles/sandbox-waits.ts";
import type { ScriptOutput } from "./script-output.ts";
import { addPackages } from "./script-packages.ts";

/** How many scripts of one session may wait. */
const waitingMax = 1_000;
/** Scripts whose functions may be in a stack are kept as far as their texts have so many letters. */
const keptLengthMax = 16 * 2 ** 20;

interface CallTerms {
  readonly ended: AbortSignal | undefined;
  readonly onSubmitted: (ticket: RunTicket | undefined) => void;
}

interface Script {
  readonly name: string;
  readonly source: string;
  readonly fields: RunFields;
  /** It is its turn. */
  isBegun: boolean;
}

export class LocalSession implements Session {
  readonly sandbox: Sandbox;
  readonly #engine: Engine;
  readonly #managed: ManagedSandbox;
  readonly #scripts = new Lru<Artifact>(keptLengthMax);
  readonly #output: ScriptOutput;
  /** Where the latest script ran. */
  #place: RunTicket["place"];
  /** Settled when all scripts so far have ended. */
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;
  #waiting = 0;

  /** `output` hears the sandbox. */
  constructor(engine: Engine, managed: ManagedSandbox, output: ScriptOutput) {
    this.#engine = engine;
    this.#managed = managed;
    this.sandbox = new LocalSandbox(engine, managed);
    this.#output = output;
  }

  get id(): string {
    return this.#managed.id;
  }

  async run<T = unknown>(source: string, options?: CallOptions): Promise<ScriptOutcome<T>> {
    const name = `script-${++this.#count}`;
    try {
      const fields = readCallFields(options);
      const ended = signal.read(fields.signal, "signal");
      checkSource(source);
      if (this.#waiting >= waitingMax) return unstarted(name, tooMany);
      this.#waiting++;
      const script: Script = { name, source, fields, isBegun: false };
      const outcome = this.#last.then(() => this.#runNow(script, ended));
      this.#last = outcome.catch(() => {});
      return (await orAborted(outcome, script, ended)) as ScriptOutcome<T>;
    } catch (error) {
      return this.#engine.refuseRun(this.id, `(${name})`, error);
    }
  }

  async close(options?: CancelOptions): Promise<void> {
    const how = { sandbox: this.#managed, wait: waits.destroy, bounds: readCancel(options) };
    return waitFor(this.#engine, how, async () => {
      if (!this.#engine.isClosed) await this.#managed.destroy("its session was closed");
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #runNow(script: Script, ended: AbortSignal | undefined): Promise<ScriptOutcome> {
    this.#waiting--;
    script.isBegun = true;
    const { name } = script;
    if (ended?.aborted === true) return unstarted(name, cancelledBySignal);
    this.#engine.checkOpen(`call sandbox "${this.id}"`);
    let ticket: RunTicket | undefined;
    const onSubmitted = (submitted: RunTicket | undefined): void => {
      ticket = submitted;
    };
    this.#output.begin(this.#managed.limits.logBytes, () => ticket);
    const before = this.#place;
    const outcome = await this.#call(script, { ended, onSubmitted });
    this.#place = ticket?.place ?? this.#place;
    const output = this.#output.end();
    const fresh = before !== undefined && this.#place !== before;
    return { ...outcome, script: name, output, fresh };
  }

  async #call({ name, source, fields }: Script, { ended, onSubmitted }: CallTerms): Promise<Outcome> {
    const callee = await preparing(ended, () => this.#ship(name, source));
    if ("kind" in callee) return failed(callee);
    const { shipped } = callee;
    this.#scripts.set(name, shipped, shipped.code.length + source.length);
    const request = { callee, fields, isPrivileged: false, onSubmitted };
    return startCall(this.#engine, this.#managed, request);
  }

  async #ship(name: string, source: string): Promise<Shipped | GuestFailure> {
    const find = (wanted: string): Artifact | undefined => this.#scripts.get(wanted);
    const callee = await this.#engine.shipScript(source, this.#managed, { name, form: "kept", find });
    if ("kind" in callee) return callee;
    return (await addPackages(this.#engine, this.#managed, callee)) ?? callee;
  }
}

const tooMany: GuestFailure = {
  kind: "cancelled",
  reason: "queue",
  message: `Cannot finish the run as at most ${waitingMax} scripts of a session may wait: there are as many`,
};

function unstarted(script: string, failure: GuestFailure): ScriptOutcome<never> {
  return { ...failed(failure), script, output: [], fresh: false };
}

function checkSource(source: unknown): void {
  if (typeof source === "string") return;
  const message = `Cannot run the script as its source must be a text: got ${show(source)}`;
  throw new InvalidOptionsError(message, "source");
}

// One that waits for its turn does not have to wait for it to be cancelled; one that has begun is cancelled as any run.
async function orAborted(
  outcome: Promise<ScriptOutcome>,
  script: Script,
  ended: AbortSignal | undefined,
): Promise<ScriptOutcome> {
  if (ended === undefined) return outcome;
  const aborted = Promise.withResolvers<ScriptOutcome>();
  const onAbort = (): void => {
    if (!script.isBegun) aborted.resolve(unstarted(script.name, cancelledBySignal));
  };
  ended.addEventListener("abort", onAbort, { once: true });
  if (ended.aborted) onAbort();
  try {
    return await Promise.race([outcome, aborted.promise]);
  } finally {
    ended.removeEventListener("abort", onAbort);
  }
}

awaitMethods(LocalSession.prototype);
