// The operations of one sandbox: one at a time, in the order of one table that says which waits for, ends or joins which.
import { CancelledError, SandboxNotRunningError, type VivariumError } from "../../model/errors.ts";
import type { Status } from "../../model/status.ts";
import { Operation, type OperationName } from "./operation.ts";

/**
 * What becomes of an operation that is under way, or waits, when another one arrives: the new one waits for it, ends it,
 * or is refused because of it.
 */
export type Meeting = "wait" | "end" | "refuse";

const behind = {
  load: "wait",
  reload: "wait",
  limits: "wait",
  suspend: "wait",
  resume: "wait",
  restart: "wait",
  destroy: "refuse",
} as const;
const overAll = {
  load: "end",
  reload: "end",
  limits: "end",
  suspend: "end",
  resume: "end",
  restart: "end",
  destroy: "refuse",
} as const;

/** By the operation that arrives, then by the one that is there. A restart need not wait for code that it throws away. */
export const meetings: Readonly<Record<OperationName, Readonly<Record<OperationName, Meeting>>>> = {
  load: behind,
  reload: behind,
  limits: behind,
  suspend: behind,
  resume: behind,
  restart: { ...behind, reload: "end" },
  destroy: overAll,
};

const verbs: Readonly<Record<OperationName, string>> = {
  load: "load",
  reload: "reload",
  limits: "change the limits of",
  suspend: "suspend",
  resume: "resume",
  restart: "restart",
  destroy: "destroy",
};

/** The sandbox whose operations they are, as far as they need to know it. */
export interface OperationsOwner {
  readonly id: string;
  readonly status: Status;
}

/** What ends an operation where it can still be undone. */
export interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}

export interface OperationOptions extends Cancellable {
  /** The operation from within which this one is asked for, which cannot wait for itself, nor end itself but by a destroy. */
  readonly within?: Operation | undefined;
}

/** So many operations may wait for one sandbox; a destroy waits for none. */
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

  /** Carries out `act` when its turn has come; rejects as soon as it is ended, also while it waits. */
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
    // Who gives up is told at once; what has to be undone is undone before the next one begins.
    return operation.promptly(acting);
  }

  // One whose caller gave up already, or that is refused, ends nothing. One that ends what is under way comes in its place,
  // before those that wait: until then the sandbox is as the ended one left it.
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

  /** Ends all that is under way or waits, for a reason that is not one of them: nothing of it may write any more. */
  endAll(errorFor: (name: OperationName) => VivariumError): void {
    for (const operation of [...this.#queue]) operation.end(errorFor(operation.name));
  }

  // What was ended writes nothing any more, so that it need not be waited for.
  #before(operation: Operation): Operation | undefined {
    return this.#queue.find((other, index) => !other.isEnded && index < this.#queue.indexOf(operation));
  }

  #meet(name: OperationName, within: Operation | undefined): void {
    const refusal = new SandboxNotRunningError(verbs[name], this.#owner);
    if (this.#queue.length >= waitingMax && name !== "destroy") throw refusal;
    for (const other of this.#queue) {
      const meeting = other.isEnded ? "end" : meetings[name][other.name];
      const isWithin = other === within && name !== "destroy";
      if (meeting === "refuse" || isWithin) throw refusal;
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

/** What an operation does, for messages. */
export function verbOf(name: OperationName): string {
  return verbs[name];
}
