// The guest's global object: the language, a bounded console, timers and a few web classes. What could run code
// from text or escape the memory count is disabled (features.ts), and what would run outside an entry is wrapped.
import { apply } from "../../model/wire/intrinsics.ts";
import type { Host } from "../host.ts";
import { disableAll } from "./features.ts";
import { deferFinalizers } from "./finalizers.ts";
import { defineLate, defineLateGlobals } from "./late.ts";
import { installSourceText } from "./source-text.ts";
import { clearTimer, setTimer } from "./timers.ts";

/** Sets up the guest's global object. Runs once, before any guest code. */
export function installGlobals(host: Host): void {
  disableAll();
  installSourceText();
  deferFinalizers();
  defineLateGlobals(host);
  if (removeTemporal()) defineLate("Temporal", "temporal", host);
  defineGlobals(timerFunctions);
  const { then } = Promise.prototype;
  const settled = Promise.resolve();
  defineGlobals({
    queueMicrotask(act: unknown) {
      if (typeof act !== "function") throw new TypeError("Cannot queue a microtask as it must be a function");
      void apply(then, settled, [() => void act()]);
    },
  });
}

// The engine's own, as its `Temporal.Now` counts in microseconds; false where it has none. Nothing else leads to it.
function removeTemporal(): boolean {
  const has = Object.hasOwn(globalThis, "Temporal");
  // Not read: the engine makes it at its first use, which takes more memory than all of the guest runtime.
  delete (globalThis as Record<string, unknown>)["Temporal"];
  return has;
}

function defineGlobals(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  }
}

const timerFunctions = {
  setTimeout: (act: unknown, delay: unknown, ...args: unknown[]) =>
    setTimer(act, delay, { repeats: false, args }),
  setInterval: (act: unknown, delay: unknown, ...args: unknown[]) =>
    setTimer(act, delay, { repeats: true, args }),
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
};
