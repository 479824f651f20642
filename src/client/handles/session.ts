// A session on a server: its scripts one after the other, each sent when those before it have ended.
import type { CallOptions, CancelOptions, LogLine, Sandbox, ScriptOutcome, Session } from "../../index.ts";
import type { ScriptAnswer, WireOutcome } from "../../contract/run-bodies.ts";
import { InvalidOptionsError, VivariumError } from "../../model/errors.ts";
import type { GuestFailure } from "../../model/runs/outcome.ts";
import { cancelledBySignal, failed } from "../../model/runs/unbegun.ts";
import { readGiven } from "../../model/schema.ts";
import { waits } from "../../model/sandboxes/waits.ts";
import { show } from "../../model/show.ts";
import { errorOf } from "../transport/failures.ts";
import type { LineOf, Transport } from "../transport/transport.ts";
import { callNames, readCancel, sent, signalOption, toArgs } from "../wire/options.ts";
import { outcomeOf } from "./runs.ts";
import { RemoteSandbox } from "./sandbox.ts";

/** How many scripts of one session may wait. */
const waitingMax = 1_000;

type Listener = ((line: LogLine) => void) | undefined;

export class RemoteSession implements Session {
  readonly sandbox: Sandbox;
  readonly #transport: Transport;
  readonly #sessionId: string;
  readonly #onOutput: Listener;
  /** Settled when all scripts so far have ended. */
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;
  #waiting = 0;

  constructor(
    transport: Transport,
    ids: { readonly sessionId: string; readonly sandboxId: string },
    onOutput: Listener,
  ) {
    this.#transport = transport;
    this.#sessionId = ids.sessionId;
    this.sandbox = new RemoteSandbox(transport, ids.sandboxId);
    this.#onOutput = onOutput;
  }

  get id(): string {
    return this.sandbox.id;
  }

  async run<T = unknown>(source: string, options?: CallOptions): Promise<ScriptOutcome<T>> {
    const name = `script-${++this.#count}`;
    const given = readGiven(options, "options", callNames);
    const signal = signalOption.read(given.signal, "signal");
    if (typeof source !== "string")
      throw new InvalidOptionsError(
        `Cannot run the script as its source must be a text: got ${show(source)}`,
        "source",
      );
    const body = { ...sent(given, "args"), ...toArgs(given.args), source };
    if (this.#waiting >= waitingMax) return unstarted(name, tooMany);
    this.#waiting++;
    let isBegun = false;
    const ran = this.#last.then(() => {
      this.#waiting--;
      isBegun = true;
      return signal?.aborted === true ? unstarted(name, cancelledBySignal) : this.#runNow(name, body, signal);
    });
    this.#last = ran.catch(() => {});
    // What has not begun ends at once.
    const ended = Promise.withResolvers<ScriptOutcome>();
    const onAbort = (): void => {
      if (!isBegun) ended.resolve(unstarted(name, cancelledBySignal));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return (await Promise.race([ran, ended.promise])) as ScriptOutcome<T>;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async close(options?: CancelOptions): Promise<void> {
    const bounds = readCancel(options);
    await this.#transport.json({
      id: "closeSession",
      what: `${waits.destroy.verb} sandbox "${this.id}"`,
      noun: `${waits.destroy.noun} of sandbox "${this.id}"`,
      params: { sessionId: this.#sessionId },
      query: sent(bounds),
      bounds,
    });
  }

  /** As `close`; one that is over already is no mistake here. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#transport.isClosed) return;
    try {
      await this.close();
    } catch (error) {
      if (!(error instanceof VivariumError && error.code === "HANDLE_NOT_FOUND")) throw error;
    }
  }

  async #runNow(name: string, body: object, signal: AbortSignal | undefined): Promise<ScriptOutcome> {
    const what = `call sandbox "${this.id}"`;
    const output: LogLine[] = [];
    const outcome = await outcomeOf(this.#transport, { signal, what }, () =>
      linedOutcome<"runScript", ScriptAnswer>(
        this.#transport,
        {
          id: "runScript",
          what,
          noun: "the run",
          params: { sessionId: this.#sessionId },
          body,
          bounds: { signal },
        },
        (line) => {
          output.push(line);
          this.#onOutput?.(line);
        },
      ),
    );
    // One that was given up here has no more than came until then.
    return { script: name, output, fresh: false, ...outcome };
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

/** The outcome at the end of an answer in lines, whose console lines are told as they come. */
export async function linedOutcome<Id extends "once" | "runScript", A extends WireOutcome>(
  transport: Transport,
  ask: Parameters<typeof transport.lines<Id>>[0],
  onLine: (line: LogLine) => void,
): Promise<A> {
  let outcome: WireOutcome | undefined;
  let failure: Error | undefined;
  const take = (given: LineOf<Id>): void => {
    // Both operations have these lines.
    const line = given as LineOf<"once" | "runScript">;
    if (line.type === "output") tell(onLine, line.line);
    else if (line.type === "outcome") outcome = line.outcome;
    else failure = errorOf(line.error);
  };
  try {
    await transport.lines<Id>(ask, take);
  } catch (error) {
    // What breaks behind the last line takes nothing away.
    if (outcome === undefined && failure === undefined) throw error;
  }
  if (failure !== undefined) throw failure;
  if (outcome === undefined)
    throw new VivariumError(
      "CONNECTION_FAILED",
      `Cannot ${ask.what} as its outcome must come: the answer was cut`,
    );
  return outcome as A;
}

// A listener that throws ends nothing, here as in a local runtime.
function tell(onLine: (line: LogLine) => void, line: LogLine): void {
  try {
    const answer: unknown = onLine(line);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // It is the listener's own.
  }
}
