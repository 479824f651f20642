// Stack traces as guests see them: without the frames of this runtime, which are below every function of the guest's, and above
// it where the guest calls us. The engine asks a hook of `Error` how a trace is to be shown; it is ours and stays ours, and
// calls the guest's where there is one. While a hook runs, the engine shows other traces without asking any: there a guest
// still sees the names of this script, which are short and say nothing of the host.
import {
  append,
  apply,
  at,
  defineProperty,
  getPrototypeOf,
  indexOf,
  uncurry,
} from "../model/wire/intrinsics.ts";
import { MovedFrames, type Site } from "./moved-frames.ts";

/** As the engine calls it. */
type Prepare = (error: unknown, sites: readonly Site[]) => unknown;
type Hooked = ErrorConstructor & { prepareStackTrace?: unknown };

/** The name of the script of the process runtime. */
const processScript = "vivarium-processes";
const RealError: Hooked = Error;
const hooks = new WeakMap<object, true>();
const isHook = uncurry(WeakMap.prototype.has) as (map: unknown, key: unknown) => boolean;
const addHook = uncurry(WeakMap.prototype.set) as (map: unknown, key: unknown, value: true) => unknown;
const errorText = uncurry(Error.prototype.toString) as (error: unknown) => string;

/** What traces are read with, from the first one on: few guests have any. */
type Methods = () => SiteMethods;

interface SiteMethods {
  readonly fileName: (site: unknown) => unknown;
  readonly evalOrigin: (site: unknown) => unknown;
  readonly moved: MovedFrames;
  /** The name of this script. */
  readonly ownScript: string;
}

/** From here on no trace has frames of ours. Runs once, before any guest code. */
export function hideOwnFrames(): void {
  // A site of the engine's own, whatever sites a guest makes up. A guest reaches their prototype only through its own hook, and
  // before that is called the methods are saved.
  const sample = sampleSite();
  let saved: SiteMethods | undefined;
  const methods: Methods = () => (saved ??= methodsOf(sample));
  const usual = hookFor(undefined, methods);
  let current = usual;
  defineProperty(RealError, "prepareStackTrace", {
    get: () => current,
    set: (value: unknown) => {
      if (typeof value !== "function") current = usual;
      // One that was read before is put back as it was.
      else current = isHook(hooks, value) ? (value as Prepare) : hookFor(value as Prepare, methods);
    },
    enumerable: false,
    // Deleted, it would give way to the engine's own.
    configurable: false,
  });
}

function sampleSite(): Site {
  let site: Site | undefined;
  RealError.prepareStackTrace = (_: unknown, sites: readonly Site[]) => {
    site = sites[0];
    return "";
  };
  void new RealError().stack;
  Reflect.deleteProperty(RealError, "prepareStackTrace");
  return site as Site; // This very function is on the stack.
}

function methodsOf(site: Site): SiteMethods {
  type Own = Record<"getFileName" | "getEvalOrigin", () => string>;
  const { getFileName, getEvalOrigin } = getPrototypeOf(site) as Own;
  return {
    fileName: uncurry(getFileName),
    evalOrigin: uncurry(getEvalOrigin),
    moved: new MovedFrames(site),
    ownScript: apply(getFileName, site, []) as string,
  };
}

function hookFor(guests: Prepare | undefined, methodsOfSites: Methods): Prepare {
  const hook: Prepare = (error, sites) => {
    const methods = methodsOfSites();
    const { moved } = methods;
    const frames = moved.join(withoutOwn(sites, methods));
    if (guests === undefined) {
      let text = headOf(error);
      for (let i = 0; i < frames.length; i++) text += `\n    at ${moved.textOf(at(frames, i))}`;
      return text;
    }
    const shown: Site[] = [];
    for (let i = 0; i < frames.length; i++) append(shown, moved.siteOf(at(frames, i)));
    return apply(guests, RealError, [error, shown]);
  };
  addHook(hooks, hook, true);
  return hook;
}

function headOf(error: unknown): string {
  try {
    return errorText(error);
  } catch {
    return "<error>";
  }
}

// From the caller to the called, as a function of the language's is shown only where the guest has called it.
function withoutOwn(sites: readonly Site[], methods: SiteMethods): Site[] {
  const inReverse: Site[] = [];
  let isCallerOurs = false;
  for (let i = sites.length - 1; i >= 0; i--) {
    const site = at(sites, i);
    isCallerOurs = isOwn(site, methods) || (isCallerOurs && isOfLanguage(site, methods));
    if (!isCallerOurs) append(inReverse, site);
  }
  const shown: Site[] = [];
  for (let i = inReverse.length - 1; i >= 0; i--) append(shown, at(inReverse, i));
  return shown;
}

function isOwn(site: Site, { fileName, evalOrigin, ownScript }: SiteMethods): boolean {
  try {
    const name = fileName(site);
    if (name === ownScript || name === processScript) return true;
    // What is compiled on first use.
    const origin = evalOrigin(site);
    return typeof origin === "string" && indexOf(origin, `(${ownScript}:`) >= 0;
  } catch {
    // The guest has called the hook itself, with something else.
    return false;
  }
}

function isOfLanguage(site: Site, { fileName }: SiteMethods): boolean {
  try {
    return typeof fileName(site) !== "string";
  } catch {
    return false;
  }
}
