// Pids: empty, frozen objects without a prototype, by which only the runtime finds a process. The process is in a private field
// and not in a WeakMap, which the engine would go through at every collection.
import { freeze, setPrototypeOf } from "../../model/wire/intrinsics.ts";
import type { Proc } from "./proc.ts";
import type { Pid } from "./types.ts";

class OwnPid {
  readonly #proc: Proc;

  constructor(proc: Proc) {
    this.#proc = proc;
  }

  static procOf(value: object): Proc | undefined {
    return #proc in value ? value.#proc : undefined;
  }
}

export function newPid(proc: Proc): Pid {
  // A guest sees nothing of the class.
  return freeze(setPrototypeOf(new OwnPid(proc), null)) as Pid;
}

/** The process of a pid, even where it has exited; undefined for any other object. */
export const procOfPid: (value: object) => Proc | undefined = OwnPid.procOf;
