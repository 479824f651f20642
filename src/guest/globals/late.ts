// What few guests use: globals that are made when they are first read, each by a script that is compiled then, so that other
// isolates spend neither time nor memory on them. The cell has the texts.
import { at, create, defineProperty, parse } from "../../model/wire/intrinsics.ts";
import type { Host } from "../host.ts";
import type { Made, Needs } from "../late/needs.ts";
import { clockNow, isVirtual } from "./clock.ts";
import { lateGlobals, type LateScript } from "./late-scripts.ts";

// Saved before it is disabled for guests.
const compile = Function;
const made = create(null) as Record<LateScript, Made | undefined>;
let needs: Needs | undefined;
let seeded: Needs["random"] | undefined;

/** Defines the globals that every sandbox has. Runs once, before any guest code. */
export function defineLateGlobals(host: Host): void {
  for (let i = 0; i < lateGlobals.length; i++) {
    const row: readonly string[] = at(lateGlobals, i);
    // The first of a row is its script.
    for (let k = 1; k < row.length; k++) defineLate(at(row, k), row[0] as LateScript, host);
  }
}

/** Defines one that looks like any other global, but is made when it is first read. */
export function defineLate(name: string, script: LateScript, host: Host): void {
  // Runs when the guest may have replaced the language's own functions.
  const settle = (value: unknown): void => {
    const own = { __proto__: null, value, writable: true, enumerable: false, configurable: true };
    void defineProperty(globalThis, name, own as PropertyDescriptor);
  };
  defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get() {
      const value = madeBy(script, host)[name];
      settle(value);
      return value;
    },
    set: settle,
  });
}

/** What a script makes; it is compiled at the first call. */
export function madeBy(script: LateScript, host: Host): Made {
  return (made[script] ??= (compile(host.late(script))() as (needs: Needs) => Made)(needsOf(host)));
}

/** From here on random bytes are these. */
export function seedRandom(random: Needs["random"]): void {
  seeded = random;
}

function needsOf(host: Host): Needs {
  return (needs ??= {
    write: host.write,
    parseUrl: host.parseUrl,
    changeUrl: host.changeUrl,
    random: (length) => (seeded === undefined ? host.random(length) : seeded(length)),
    now: clockNow,
    isVirtual,
    parse,
    made: (script) => madeBy(script, host),
  });
}
