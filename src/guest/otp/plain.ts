// A plain process: a function that runs until it returns and receives messages selectively.
import { apply, make } from "../../model/wire/intrinsics.ts";
import type { ProcessHost } from "./core.ts";
import { Line, type Linked } from "./line.ts";
import type { Behaviour, Envelope, Proc } from "./proc.ts";
import { answer, begin, end, endThrown, newProc } from "./process.ts";
import { enqueue, isThenable, resume, resumeLater, runAs } from "./scheduler.ts";
import type { From, Self } from "./types.ts";

const promiseThen = Promise.prototype.then;
let host: ProcessHost;
let ownFunctions: (proc: Proc) => Pick<Self, "spawn" | "link" | "unlink" | "monitor">;

/** Connects this file with the rest; `own` gives what a process may do on its own behalf. */
export function connectPlain(given: ProcessHost, own: typeof ownFunctions): void {
  host = given;
  ownFunctions = own;
}

interface Waiter extends Linked<Waiter> {
  readonly wants: (envelope: Envelope) => boolean;
  readonly resolve: (message: unknown) => void;
  timer: number;
}

/** Spawns a process whose body is this function; it ends when the function does. */
export function spawnPlain(body: (self: Self) => unknown, parent: Proc | undefined): Proc {
  const proc = newProc(parent);
  const behaviour = new PlainBehaviour(proc);
  proc.behaviour = behaviour;
  begin(proc);
  // It starts in a turn of its own, not inside its parent's step.
  behaviour.startWith(body);
  return proc;
}

class PlainBehaviour implements Behaviour {
  readonly kind = "process";
  readonly #proc: Proc;
  readonly #waiters = new Line<Waiter>();
  #body: ((self: Self) => unknown) | undefined;
  /** How many messages had arrived when no waiter wanted any of those in the mailbox. */
  #pushesSeen = 0;

  constructor(proc: Proc) {
    this.#proc = proc;
  }

  startWith(body: (self: Self) => unknown): void {
    this.#body = body;
    this.#proc.mailbox.push({ kind: "info", content: undefined });
    enqueue(this.#proc);
  }

  isRestarting(): boolean {
    return false;
  }

  ended(): void {}

  isReady(): boolean {
    const isNew = this.#proc.mailbox.pushes !== this.#pushesSeen;
    return this.#body !== undefined || (this.#waiters.size > 0 && isNew);
  }

  take(): unknown {
    const body = this.#body;
    if (body === undefined) return this.#serve();
    this.#body = undefined;
    this.#proc.mailbox.shift();
    this.#run(body);
    return undefined;
  }

  #run(body: (self: Self) => unknown): void {
    const proc = this.#proc;
    try {
      const result = body(this.#self());
      if (!isThenable(result)) return end(proc, "normal");
      void apply(promiseThen, make.Promise.resolve(result), [
        () => end(proc, "normal"),
        (error: unknown) => endThrown(proc, error),
      ]);
    } catch (error) {
      endThrown(proc, error);
    }
  }

  // Gives a message to the first waiter that wants it; otherwise waits for another message or another waiter.
  #serve(): undefined {
    const { mailbox } = this.#proc;
    // A waiter's function may send to this very process: what it sends has not been seen by the waiters before it.
    const { pushes } = mailbox;
    let envelope: Envelope | undefined;
    const waiter = this.#waiters.take(({ wants }) => (envelope = mailbox.take(wants)) !== undefined);
    if (waiter === undefined) this.#pushesSeen = pushes;
    else this.#deliver(waiter, envelope as Envelope);
    return undefined;
  }

  #deliver(waiter: Waiter, envelope: Envelope): void {
    this.#proc.messages++;
    if (envelope.kind === "call") envelope.content.request.isTaken = true;
    if (waiter.timer !== 0) host.clearTimer(waiter.timer);
    resume(this.#proc, () => waiter.resolve(visible(envelope)));
  }

  #self(): Self {
    const proc = this.#proc;
    const { spawn, link, unlink, monitor } = ownFunctions(proc);
    return {
      pid: proc.pid,
      receive: (options) => this.#receive(options ?? {}) as Promise<never>,
      trapExits(isOn = true) {
        proc.isTrapping = isOn;
      },
      spawn,
      link,
      unlink,
      monitor,
    };
  }

  #receive(options: {
    readonly match?: (message: unknown) => boolean;
    readonly timeoutMs?: number;
  }): Promise<unknown> {
    const { match, timeoutMs } = options;
    const wants =
      match === undefined
        ? anything
        : (envelope: Envelope): boolean => runAs(this.#proc, () => match(visible(envelope)));
    const there = this.#proc.mailbox.take(wants);
    return new make.Promise((resolve) => {
      const waiter: Waiter = { wants, resolve, timer: 0, next: undefined };
      if (there !== undefined) return resumeLater(this.#proc, () => this.#deliver(waiter, there));
      this.#waiters.push(waiter);
      if (timeoutMs === undefined) return undefined;
      waiter.timer = host.setTimer(() => {
        if (this.#waiters.take((other) => other === waiter) === undefined) return;
        resume(this.#proc, () => resolve(undefined));
      }, timeoutMs);
      return undefined;
    });
  }
}

const anything = (): boolean => true;

// What a plain process sees of a message.
function visible(envelope: Envelope): unknown {
  switch (envelope.kind) {
    case "call": {
      const { request, message } = envelope.content;
      const from: From = { pid: request.asker?.pid ?? null, reply: (value) => answer(request, value) };
      return { ask: from, message };
    }
    case "stop":
      return { stop: envelope.content };
    case "exit": {
      const { from, reason } = envelope.content;
      return { exit: from?.pid ?? null, reason };
    }
    case "down": {
      const { ref, from, reason } = envelope.content;
      return { down: ref, pid: from?.pid ?? null, reason };
    }
    default:
      return envelope.content;
  }
}
