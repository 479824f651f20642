// Servers: a state, and callbacks that turn a message and a state into the next state. Callbacks are looked up in the
// current definition at each use.
import { captureBytesMaxFor, stateBytesMaxFor } from "../../model/runs/report-bounds.ts";
import { apply, make } from "../../model/wire/intrinsics.ts";
import { definitionsNumber, moduleOfServer, serverOf, type AnyServerDefinition } from "./definitions.ts";
import { saveLast } from "./states/last-states.ts";
import { leaveRoom, takeRoom } from "./states/room.ts";
import type { Behaviour, Envelope, Proc, Question, Request, SystemReason } from "./proc.ts";
import type { ProcessHost } from "./core.ts";
import { answer, begin, end, processLimits } from "./process.ts";
import { ProcessLimitReached, reasonOf } from "./reasons.ts";
import { isThenable, runAs } from "./scheduler.ts";
import { admitState } from "./states/state.ts";
import type { ExitReason, From, RestartFrom } from "./types.ts";

const promiseThen = Promise.prototype.then;
let host: ProcessHost;

export function connectServers(given: ProcessHost): void {
  host = given;
}

interface Result {
  readonly state?: unknown;
  readonly reply?: unknown;
  readonly stop?: ExitReason;
}

export class ServerBehaviour implements Behaviour {
  readonly kind = "server";
  readonly key: string;
  readonly #proc: Proc;
  readonly #restartFrom: RestartFrom;
  #state: unknown;
  /** The encoded state, where it is encoded after every message. */
  #written: string | undefined;
  /** Its definition, as it was found when definitions had that number. */
  #found: AnyServerDefinition | undefined;
  #foundAt = 0;
  /** The state may have changed since it was last captured. */
  isDirty = true;

  constructor(proc: Proc, key: string, restartFrom: RestartFrom) {
    this.#proc = proc;
    this.key = key;
    this.#restartFrom = restartFrom;
  }

  /** Whether the state is encoded after every message, so that it must be data. */
  get isWritten(): boolean {
    return this.#restartFrom === "last" || processLimits().isCheckpointed;
  }

  get state(): unknown {
    return this.#state;
  }

  /** Sets the state; throws where it must be data and is not. */
  set state(state: unknown) {
    this.#written = this.isWritten ? this.#encode(state) : undefined;
    this.#state = state;
    this.isDirty = true;
  }

  /** The encoded state; throws where it is not data. */
  get written(): string {
    return this.#written ?? this.#encode(this.#state);
  }

  /** Starts with the state that `init` gives, or with a captured one. */
  start(args: unknown, captured: { readonly state: unknown } | undefined): unknown {
    const begun = (state: unknown): void => {
      this.state = admitState(this.#definition(), state);
      begin(this.#proc);
    };
    const initial =
      captured === undefined
        ? runAs(this.#proc, () => this.#definition().init(args, this.#proc.pid))
        : captured.state;
    return isThenable(initial) ? apply(promiseThen, make.Promise.resolve(initial), [begun]) : begun(initial);
  }

  take(): unknown {
    const { mailbox } = this.#proc;
    this.#proc.messages++;
    return mailbox.nextKind === "cast"
      ? this.#takeCast(mailbox.shiftContent())
      : this.#takeAny(mailbox.shift());
  }

  // Apart from the others, so that the engine makes one piece of code of a whole step, and no object for its message.
  #takeCast(content: unknown): unknown {
    try {
      const result = this.#cast(content);
      if (isThenable(result)) return this.#applyLater(undefined, result);
      return this.#keeps(result) ? undefined : this.#apply(undefined, result);
    } catch (error) {
      return this.#crash(error);
    }
  }

  #takeAny(envelope: Envelope | undefined): unknown {
    if (envelope === undefined) return undefined;
    if (envelope.kind === "stop") return this.#stop(envelope.content);
    const request = envelope.kind === "call" ? envelope.content.request : undefined;
    try {
      const result = this.#handle(envelope);
      return isThenable(result) ? this.#applyLater(request, result) : this.#apply(request, result);
    } catch (error) {
      return this.#crash(error);
    }
  }

  terminate(reason: ExitReason): unknown {
    return runAs(this.#proc, () => this.#definition().terminate?.(reason, this.state));
  }

  isReady(): boolean {
    return true;
  }

  isRestarting(): boolean {
    return false;
  }

  /** Changes by a message that was not finished are not stored. */
  ended(): void {
    const { path, isUncommitted } = this.#proc;
    if (this.#restartFrom !== "last" || this.#written === undefined || path === null || isUncommitted) {
      if (path !== null) leaveRoom(path);
      return;
    }
    saveLast(path, { key: this.key, module: moduleOfServer(this.key) ?? "", state: this.#written });
  }

  // No getter: the engine reads a private one far slower than it calls a method.
  #definition(): AnyServerDefinition {
    const number = definitionsNumber();
    if (this.#found === undefined || this.#foundAt !== number) {
      this.#found = serverOf(this.key);
      this.#foundAt = number;
    }
    return this.#found;
  }

  #cast(content: unknown): unknown {
    const definition = this.#definition();
    if (definition.handleCast === undefined) throw unwanted(this.key, "handleCast");
    return definition.handleCast(content, this.#state);
  }

  #call({ request, message }: Question): unknown {
    const definition = this.#definition();
    request.isTaken = true;
    if (definition.handleCall === undefined) throw unwanted(this.key, "handleCall");
    const from: From = { pid: request.asker?.pid ?? null, reply: (value) => answer(request, value) };
    return definition.handleCall(message, this.#state, from);
  }

  #handle(envelope: Exclude<Envelope, { kind: "stop" }>): unknown {
    switch (envelope.kind) {
      case "call":
        return this.#call(envelope.content);
      case "cast":
        return this.#cast(envelope.content);
      case "exit": {
        const { from, reason } = envelope.content;
        return this.#inform({ exit: from?.pid ?? null, reason });
      }
      case "down": {
        const { ref, from, reason } = envelope.content;
        return this.#inform({ down: ref, pid: from?.pid ?? null, reason });
      }
      case "info":
        return this.#inform(envelope.content);
    }
  }

  // Without a handleInfo such a message is dropped.
  #inform(message: unknown): unknown {
    return this.#definition().handleInfo?.(message, this.state) ?? { state: this.state };
  }

  #applyLater(request: Request | undefined, result: PromiseLike<unknown>): unknown {
    return apply(promiseThen, make.Promise.resolve(result), [
      (settled: unknown) => this.#apply(request, settled),
      (error: unknown) => this.#crash(error),
    ]);
  }

  // The usual case of `#apply`, so short that it becomes part of the step: a state that is not written, and nothing more.
  #keeps(given: unknown): boolean {
    if (this.isWritten || this.#proc.status === "exited") return false;
    if (typeof given !== "object" || given === null || !("state" in given)) return false;
    const result = given as Result;
    if (result.stop !== undefined) return false;
    this.#written = undefined;
    this.#state = result.state;
    this.isDirty = true;
    return true;
  }

  #apply(request: Request | undefined, given: unknown): unknown {
    if (this.#proc.status === "exited") return undefined;
    if (typeof given !== "object" || given === null || !("state" in given)) {
      return this.#crash(new TypeError(`Cannot go on as ${this.key} must answer an object with a state`));
    }
    const result = given as Result;
    try {
      this.state = result.state;
    } catch (error) {
      return this.#crash(error);
    }
    if (request !== undefined && "reply" in result) answer(request, result.reply);
    return result.stop === undefined ? undefined : this.#stop(result.stop);
  }

  #crash(error: unknown): unknown {
    return this.#stop(reasonOf(error), ProcessLimitReached.is(error) ? "processes" : undefined);
  }

  // `terminate` is bounded too, as its supervisor must learn of the exit.
  #stop(reason: ExitReason, systemReason?: SystemReason): unknown {
    const ended = (): void => end(this.#proc, reason, systemReason);
    try {
      const last = this.terminate(reason);
      if (!isThenable(last)) return ended();
      const timer = host.setTimer(ended, processLimits().loadMs);
      const done = (): void => {
        host.clearTimer(timer);
        ended();
      };
      return apply(promiseThen, make.Promise.resolve(last), [done, done]);
    } catch {
      return ended();
    }
  }

  #encode(state: unknown): string {
    const { isCheckpointed, resultBytes } = processLimits();
    const bytesMax = isCheckpointed ? stateBytesMaxFor(resultBytes) : undefined;
    let text: string;
    try {
      text = host.encode(state, bytesMax);
    } catch (error) {
      const { path = "", what = "not data" } = error as { readonly path?: string; readonly what?: string };
      // oxlint-disable-next-line preserve-caught-error -- a refusal is the boundary's own and not for guests to see
      throw this.#uncapturable(`must be data: ${path === "" ? "it" : `state${path}`} is ${what}`);
    }
    const { path } = this.#proc;
    if (isCheckpointed && path !== null && !takeRoom(path, { key: this.key, text }, resultBytes))
      throw this.#uncapturable(
        `must fit beside those of the other servers: together they take more than ${captureBytesMaxFor(resultBytes)} bytes`,
      );
    return text;
  }

  #uncapturable(why: string): TypeError {
    const { path } = this.#proc;
    const whose = path === null || path === "" ? this.key : `"${path}"`;
    return new TypeError(`Cannot capture the state of ${whose} as it ${why}`);
  }
}

function unwanted(key: string, callback: string): TypeError {
  return new TypeError(`Cannot take the message as ${key} has no ${callback}`);
}
