// The guest's global object: the language, a bounded console, timers and a few web classes. What could run code
// from text or escape the memory count is disabled (features.ts), and what would run outside an entry is wrapped.
import { decode } from "../../model/wire/decode.ts";
import { encode, Refusal } from "../../model/wire/encode.ts";
import { apply, defineProperty, parse } from "../../model/wire/intrinsics.ts";
import { clockNow, isVirtual, sinceOrigin } from "./clock.ts";
import type { Host } from "../host.ts";
import type { Extras } from "./extras.ts";
import { disableAll } from "./features.ts";
import { deferFinalizers } from "./finalizers.ts";
import { installSourceText } from "./source-text.ts";
import { removeTemporal } from "./temporal.ts";
import { clearTimer, setTimer } from "./timers.ts";

const clonedBytesMax = 64 * 2 ** 20;
// Saved before it is disabled for guests.
const compile = Function;
let extras: Extras | undefined;

/** Sets up the guest's global object. Runs once, before any guest code. */
export function installGlobals(host: Host): void {
  disableAll();
  installSourceText();
  deferFinalizers();
  for (const name of ["console", "TextEncoder", "TextDecoder", "URL", "URLSearchParams"] as const)
    defineLazily(name, host);
  if (removeTemporal()) defineLazily("Temporal", host);
  defineGlobals({ structuredClone, performance: { now: sinceOrigin }, ...timerFunctions });
  const { then } = Promise.prototype;
  const settled = Promise.resolve();
  defineGlobals({
    queueMicrotask(act: unknown) {
      if (typeof act !== "function") throw new TypeError("Cannot queue a microtask as it must be a function");
      void apply(then, settled, [() => void act()]);
    },
  });
}

/** One of the extras, compiled at the first call. */
export function extra(name: keyof Extras, host: Host): unknown {
  extras ??= (compile(host.extras())() as (needs: object) => Extras)({
    write: host.write,
    parseUrl: host.parseUrl,
    changeUrl: host.changeUrl,
    now: clockNow,
    isVirtual,
    parse,
  });
  return extras[name]();
}

// Looks like any other global, but is made when it is first read.
function defineLazily(name: keyof Extras, host: Host): void {
  // Runs when the guest may have replaced the language's own functions.
  const settle = (value: unknown): void => {
    const own = { __proto__: null, value, writable: true, enumerable: false, configurable: true };
    void defineProperty(globalThis, name, own as PropertyDescriptor);
  };
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get() {
      const value = extra(name, host);
      settle(value);
      return value;
    },
    set: settle,
  });
}

function defineGlobals(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
  }
}

function structuredClone(value: unknown): unknown {
  try {
    return decode(encode(value, clonedBytesMax, "local"));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // oxlint-disable-next-line preserve-caught-error -- a refusal is the boundary's own and not for guests to see
    throw new TypeError(`Cannot clone value${error.path} as it is ${error.what}`);
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
