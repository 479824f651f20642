// Ids of other tenants in a batch. Each item that names one goes on with an id that nobody has, so that its result is that of a
// sandbox that is not there, whether it is or not; what the result says is then told with the id that was asked for.
import { sandboxIdForm } from "../../model/ids.ts";
import { randomName } from "../../std/random.ts";
import type { Caller, Gate } from "../gate.ts";

export class ForeignIds {
  readonly #gate: Gate;
  readonly #caller: Caller;
  /** By item: what stands for the id, and the id. */
  readonly #stands = new Map<number, readonly [stand: string, id: string]>();

  constructor(gate: Gate, caller: Caller) {
    this.#gate = gate;
    this.#caller = caller;
  }

  /** The id that an item goes on with. One that is not well-formed is refused by the runtime itself. */
  standFor(index: number, id: string): string {
    if (!sandboxIdForm.test(id) || this.#gate.ownsId(this.#caller, id)) return id;
    const stand = randomName(`${this.#caller.tenant ?? ""}:none`);
    this.#stands.set(index, [stand, id]);
    return stand;
  }

  /** Results as they are told. */
  telling<T extends { readonly index: number }, R>(convert: (result: T) => R): (result: T) => R {
    if (this.#stands.size === 0) return convert;
    return (result) => {
      const told = convert(result);
      const stands = this.#stands.get(result.index);
      if (stands === undefined) return told;
      // Both consist of letters that JSON writes as they are.
      return JSON.parse(JSON.stringify(told).replaceAll(stands[0], stands[1])) as R;
    };
  }
}
