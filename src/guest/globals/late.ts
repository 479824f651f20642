// What few guests use: globals that are made when they are first read, each by a script that is compiled then, so that other
// isolates spend neither time nor memory on them. The cell has the texts.
import {
  apply,
  at,
  create,
  defineProperty,
  getPrototypeOf,
  keys,
  mapGet,
  mapSet,
  objectPrototype,
  parse,
  setAdd,
  setHas,
} from "../../model/wire/intrinsics.ts";
import { fetchGlobals } from "../../model/code/finding.ts";
import { kindOf, refusedName, unboxed } from "../../model/wire/kinds.ts";
import type { Host } from "../host.ts";
import type { Made, Needs } from "../late/needs.ts";
import { clockNow, isVirtual, sinceOrigin, timeOrigin } from "./clock.ts";
import { askHost } from "../capabilities.ts";
import { flatten } from "../thrown.ts";
import { languageNames, languageValues } from "./language.ts";
import { lateGlobals, type LateScript } from "./late-scripts.ts";
import { delayMsMax, setTimer } from "./timers.ts";

const errorLevel = 4;
// Saved before it is disabled for guests.
const compile = Function;
const made = create(null) as Record<LateScript, Made | undefined>;
/** Of the classes that were made, and of objects without a class that guests see. */
const prototypes = new Set<unknown>();
const chainMax = 64;
let needs: Needs | undefined;
let fetchBy = "";
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
  return (made[script] ??= make(script, host));
}

function make(script: LateScript, host: Host): Made {
  const begin = compile(languageNames, host.late(script));
  // With the language as it was, whatever the guest has given its names to.
  const values = (apply(begin, undefined, languageValues) as (needs: Needs) => Made)(needsOf(host));
  const names = keys(values);
  for (let i = 0; i < names.length; i++) {
    const value = values[at(names, i)];
    const prototype = typeof value === "function" ? (value.prototype as unknown) : getPrototypeOf(value);
    if (prototype !== undefined && prototype !== objectPrototype) setAdd(prototypes, prototype);
  }
  return values;
}

function isOfRuntime(value: object): boolean {
  for (let i = 0, above: unknown = value; i < chainMax && above !== null; i++) {
    if (setHas(prototypes, above)) return true;
    above = getPrototypeOf(above);
  }
  return false;
}

/** Defines what a sandbox has that may use this capability by `fetch`. */
export function defineFetch(name: string, host: Host): void {
  fetchBy = name;
  for (let i = 0; i < fetchGlobals.length; i++) defineLate(at(fetchGlobals, i), "fetch", host);
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
    sinceOrigin,
    timeOrigin,
    isVirtual,
    setTimeout: (act, delayMs) =>
      void setTimer(act, delayMs < delayMsMax ? delayMs : delayMsMax, { repeats: false, args: [] }),
    uncaught: (where, error) => void host.write(errorLevel, uncaughtText(where, error)),
    parse,
    isOfRuntime,
    fetch: (asked, more) => askHost(fetchBy, host.request)(asked, more),
    language: { defineProperty, mapGet, mapSet, setAdd },
    kinds: { kindOf, refusedName, unboxed },
    flatten,
    made: (script) => madeBy(script, host),
  });
}

function uncaughtText(where: string, error: unknown): string {
  const { stack, name, message } = flatten(error);
  return `Uncaught in ${where}: ${stack === "" ? `${name}: ${message}` : stack}`;
}
