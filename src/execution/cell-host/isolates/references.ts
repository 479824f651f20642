// Functions inside isolates, as the cell calls them.
import type ivm from "isolated-vm";

/** A function inside an isolate. */
export type AnyReference = ivm.Reference<(...args: never[]) => unknown>;

interface EntryOptions {
  readonly timeout: number;
}

/** What calls a function inside an isolate, as a reference to it does. */
export interface GuestFunction {
  /** On this thread; throws when it was cut or its isolate is gone. */
  applySync(self: undefined, args: readonly unknown[], options: EntryOptions): unknown;
  /** As `applySync`, on a thread of its own. */
  apply(self: undefined, args: readonly unknown[], options: EntryOptions): Promise<unknown>;
}

export function callable(reference: AnyReference): GuestFunction {
  // The types of the engine want the arguments of one known function.
  return reference as unknown as GuestFunction;
}

/** A function that has no reference of its own: another one calls it by its name. */
export class NamedFunction implements GuestFunction {
  readonly #caller: GuestFunction;
  readonly #name: string;

  constructor(caller: GuestFunction, name: string) {
    this.#caller = caller;
    this.#name = name;
  }

  applySync(_: undefined, args: readonly unknown[], options: EntryOptions): unknown {
    return this.#caller.applySync(undefined, [this.#name, ...args], options);
  }

  apply(_: undefined, args: readonly unknown[], options: EntryOptions): Promise<unknown> {
    return this.#caller.apply(undefined, [this.#name, ...args], options);
  }
}

/** A guest function as an argument for another in the same isolate. */
export function handOver(reference: AnyReference, options?: { readonly release: boolean }): unknown {
  // The types want a literal, true or false.
  return reference.derefInto(options as never);
}

/** Releases a guest function. */
export function releaseReference(reference: AnyReference): void {
  reference.release();
}
