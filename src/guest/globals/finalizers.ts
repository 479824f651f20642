// Finalizers of guests. The engine calls them whenever it likes, outside every deadline, and where several sandboxes share an
// isolate in the time of any of them. Ours only set a timer, whose turn is bounded; with others in the isolate they do nothing,
// which the language allows.
import { setTimer } from "./timers.ts";

let isOn = true;
let wereMade = false;

/** They are never called. */
export function dropFinalizers(): void {
  isOn = false;
}

/** Whether the guest has made any that may still be called. */
export function hasFinalizers(): boolean {
  return wereMade;
}

/** Replaces the language's own class. Runs once, before any guest code. */
export function deferFinalizers(): void {
  const Real = FinalizationRegistry;
  const { construct } = Reflect;
  function Deferred(act: unknown): unknown {
    if (new.target === undefined) throw new TypeError("Constructor FinalizationRegistry requires 'new'");
    if (typeof act !== "function") throw new TypeError("FinalizationRegistry: cleanup must be callable");
    wereMade = isOn;
    const defer = (held: unknown): void => {
      if (!isOn) return;
      try {
        setTimer(act, 0, { repeats: false, args: [held] });
      } catch {
        // Too many timers wait already: this guest's finalizers are not worth more.
      }
    };
    return construct(Real, [defer], new.target);
  }
  Object.defineProperties(Deferred, Object.getOwnPropertyDescriptors(Real));
  const own = { writable: true, enumerable: false, configurable: true };
  Object.defineProperty(Real.prototype, "constructor", { value: Deferred, ...own });
  Object.defineProperty(globalThis, "FinalizationRegistry", { value: Deferred, ...own });
}
