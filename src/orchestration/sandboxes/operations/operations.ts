// The operations of one sandbox: one at a time. One table says which waits for, ends or is refused because of which.
import { CancelledError, SandboxNotRunningError, type VivariumError } from "../../../model/errors.ts";
import type { Status } from "../../../model/sandboxes/status.ts";
import { Operation, type OperationName } from "./operation.ts";

/** What an operation that arrives does about one that is under way or waits: waits for it, ends it, or is refused. */
export type Meeting = "wait" | "end" | "refuse";

// The same towards every operation but a destroy, because of which all others are refused.
const towards = (meeting: Meeting): Readonly<Record<OperationName, Meeting>> => ({
  load: meeting,
  reload: meeting,
  limits: meeting,
  suspend: meeting,
  resume: meeting,
  restart: meeting,
  destroy: "refuse",
});
const behind = towards("wait");

/** By the operation that arrives, then by the one that is there. A restart ends a reload, whose code it would discard. */
export const meetings: Readonly<Record<OperationName, Readonly<Record<OperationName, Meeting>>>> = {
  load: behind,
  reload: behind,
  limits: behind,
  suspend: behind,
  resume: behind,
  restart: { ...behind, reload: "end" },
  destroy: towards("end"),
};

/** Operations as verbs, for messages. */
export const verbs: Readonly<Record<OperationName, string>> = {
  load: "load",
  reload: "reload",
  limits: "change the limits of",
  suspend: "suspend",
  resume: "resume",
  restart: "restart",
  destroy: "destroy",
};

/** The sandbox that the operations belong to. */
export interface OperationsOwner {
  readonly id: string;
  readonly status: Status;
}

/** A signal ends an operation as long as it can be undone. */
export interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}

export interface OperationOptions extends Cancellable {
  /** The operation whose verification asks for this one: it can neither wait for itself nor end itself, but by a destroy. */
  readonly within?: Operation | undefined;
}

/** How many operations may wait; a destroy is always admitted. */
const waitingMax = 1_000;

export class Operations {
  readonly #owner: OperationsOwner;
  readonly #onIdle: () => void;
  /** The first one is under way, the others wait. */
  #queue: Operation[] = [];

  /** `onIdle` is called when none is left. */
  constructor(owner: OperationsOwner, onIdle: () => void) {
    this.#owner = owner;
    this.#onIdle = onIdle;
  }

  /** The operation that is under way. */
  get current(): Operation | undefined {
    return this.#queue.find(({ isEnded }) => !isEnded);
  }

  /** Calls `act` when those before it are over; rejects as soon as it is ended, also while it waits. */
  async run<T>(
    name: OperationName,
    act: (operation: Operation) => Promise<T>,
    options: OperationOptions = {},
  ): Promise<T> {
    const operation = this.#admit(name, options);
    const acting = this.#turn(operation, act).finally(() => {
      this.#queue = this.#queue.filter((other) => other !== operation);
      operation.finish();
      if (this.#queue.length === 0) this.#onIdle();
    });
    // A caller that gives up gets its error at once; the next operation begins when all is undone.
    return operation.promptly(acting);
  }

  // An operation that is refused, or whose caller gave up already, ends nothing. One that ends the current operation is next,
  // before those that wait.
  #admit(name: OperationName, { signal, within }: OperationOptions): Operation {
    const operation = new Operation(name, this.#describe(name), signal);
    const { current } = this;
    try {
      operation.check();
      this.#meet(name, within);
    } catch (error) {
      operation.finish();
      throw error;
    }
    const at = current?.isEnded === true ? this.#queue.findIndex(({ isEnded }) => !isEnded) : -1;
    this.#queue.splice(at < 0 ? this.#queue.length : at, 0, operation);
    return operation;
  }

  async #turn<T>(operation: Operation, act: (operation: Operation) => Promise<T>): Promise<T> {
    operation.check();
    for (let next = this.#before(operation); next !== undefined; next = this.#before(operation))
      await operation.until(next.over);
    return act(operation);
  }

  /** Ends all operations for another reason than an operation: none of them may write any more. */
  endAll(errorFor: (name: OperationName) => VivariumError): void {
    for (const operation of [...this.#queue]) operation.end(errorFor(operation.name));
  }

  // An ended operation writes nothing any more and need not be waited for.
  #before(operation: Operation): Operation | undefined {
    return this.#queue.find((other, index) => !other.isEnded && index < this.#queue.indexOf(operation));
  }

  #meet(name: OperationName, within: Operation | undefined): void {
    const refusal = (): Error => new SandboxNotRunningError(verbs[name], this.#owner);
    if (this.#queue.length >= waitingMax && name !== "destroy") throw refusal();
    for (const other of this.#queue) {
      const meeting = other.isEnded ? "end" : meetings[name][other.name];
      const isWithin = other === within && name !== "destroy";
      if (meeting === "refuse" || isWithin) throw refusal();
    }
    for (const other of [...this.#queue]) {
      if (meetings[name][other.name] !== "end") continue;
      other.end(new CancelledError(this.#describe(other.name), `a ${name} of the sandbox came first`));
    }
  }

  #describe(name: OperationName): string {
    return `the ${name} of sandbox "${this.#owner.id}"`;
  }
}
