// A context with the guest runtime in it, before it is used for a sandbox: in an isolate of its own, or in one that others are in
// or have been in.
import ivm from "isolated-vm";
import type { GuestApi, GuestEntries } from "../../../guest/boot.ts";
import type { LateScript } from "../../../guest/globals/late-scripts.ts";
import type { Host } from "../../../guest/host.ts";
import { makeBareIsolate } from "./bare-isolate.ts";
import { bootText, lateTexts, processText } from "./boot-text.ts";
import { usedCodeOf } from "./boot-code.ts";
import { CodeCache } from "./code-cache.ts";
import { GuestIsolate, type CachedCode } from "./guest-isolate.ts";
import {
  callable,
  NamedFunction,
  releaseReference,
  type AnyReference,
  type GuestFunction,
} from "./references.ts";
import { HostShare, type HostUse } from "./host-share.ts";
import { randomText } from "./random.ts";
import { SharedIsolate } from "./shared-isolate.ts";

/** The functions of the guest runtime, callable from here. */
export type GuestReferences = { readonly [K in keyof GuestApi]: GuestFunction };

/** What the guest runtime calls, set when the isolate is used for a sandbox. */
export interface HostFunctions {
  write(level: number, text: string): boolean;
  arm(id: number, delayMs: number): void;
  disarm(id: number): void;
  wake(): void;
  report(kind: string, detail: string): void;
  exhausted(): void;
  request(id: number, name: string, args: string): string;
  /** What the guest used of the main thread's time, where it is inside on another thread; undefined where it is on this one. */
  apart(): HostUse | undefined;
}

export interface BootedIsolate {
  readonly isolate: GuestIsolate;
  readonly guest: GuestReferences;
  readonly memoryMiB: number;
  /** Set for its sandbox; until then console lines and timers are ignored. */
  host: HostFunctions;
}

/** Those that have a reference of their own. */
const directNames = ["load", "call", "callFirst", "fuelUp", "fuelUsed", "tell", "turn"] as const;
/** Those that are called by their names. */
const otherNames = [
  "shape",
  "reload",
  "settleReload",
  "setTarget",
  "limitResults",
  "callShipped",
  "stream",
  "runSeries",
  "goOnWithSeries",
  "seriesSoFar",
  "installProcesses",
  "manage",
  "cutStep",
  "changes",
  "processUsage",
  "collect",
  "forget",
  "tick",
  "answer",
  "probe",
  "retire",
  "collectGarbage",
] as const satisfies readonly Exclude<keyof GuestApi, keyof GuestEntries>[];

const nowhere: HostFunctions = {
  write: () => true,
  arm: () => {},
  disarm: () => {},
  exhausted: () => {},
  request: () => "Cannot ask the host before the sandbox is there",
  wake: () => {},
  report: () => {},
  apart: () => undefined,
};

/** Makes isolates that boot from a script whose compiled code is cached. */
export class IsolateFactory {
  readonly #onCatastrophe: (why: string) => void;
  readonly #share = new HostShare({ nowMs: () => performance.now(), inNextTurn: setImmediate });
  readonly #cachedData: CachedCode;
  readonly #codes = new CodeCache<CachedCode>();
  /** What a new isolate holds. */
  #newHeapBytes: number | undefined;
  /** Compiled code of the process runtime. */
  readonly processData: CachedCode;

  constructor(onCatastrophe: (why: string) => void) {
    this.#onCatastrophe = onCatastrophe;
    const isolate = new ivm.Isolate();
    this.#cachedData = bootCodeFor(isolate);
    this.processData = cachedDataOf(isolate, processText);
    isolate.dispose();
  }

  /** A command came in: guests on other threads do not have the main thread for themselves. */
  noteCommand(): void {
    this.#share.noteWanted();
  }

  /** Boots a new isolate on this thread. */
  makeNow(memoryMiB: number): BootedIsolate {
    const shared = this.#bare(memoryMiB);
    shared.runtime = shared.engine.compileScriptSync(bootText, { cachedData: this.#cachedData });
    const booted = this.#bootNow(shared, shared.runtime);
    this.#newHeapBytes ??= booted.isolate.held()?.heapBytes;
    return booted;
  }

  /** Boots a new isolate on a thread of its own, so that this one stays free for entries. */
  async makeLater(memoryMiB: number): Promise<BootedIsolate> {
    const shared = this.#bare(memoryMiB);
    shared.runtime = await shared.engine.compileScript(bootText, { cachedData: this.#cachedData });
    const booted = await this.#bootLater(shared, shared.runtime);
    this.#newHeapBytes ??= booted.isolate.held()?.heapBytes;
    return booted;
  }

  /** As `makeNow`, in an isolate that is there; undefined where it is gone. */
  addNow(shared: SharedIsolate): BootedIsolate | undefined {
    const { runtime } = shared;
    if (runtime === undefined || shared.checkGone()) return undefined;
    try {
      const booted = this.#bootNow(shared, runtime);
      booted.isolate.inherit(this.#newHeapBytes ?? 0);
      return booted;
    } catch (error) {
      if (!shared.checkGone()) throw error;
      return undefined;
    }
  }

  /** As `addNow`, on a thread of its own. Nothing else may enter the isolate meanwhile. */
  async addLater(shared: SharedIsolate): Promise<BootedIsolate | undefined> {
    const { runtime } = shared;
    if (runtime === undefined || shared.checkGone()) return undefined;
    try {
      const booted = await this.#bootLater(shared, runtime);
      booted.isolate.inherit(this.#newHeapBytes ?? 0);
      return booted;
    } catch (error) {
      if (!shared.checkGone()) throw error;
      return undefined;
    }
  }

  #bootNow(shared: SharedIsolate, runtime: ivm.Script): BootedIsolate {
    shared.chargeCpu();
    const context = shared.engine.createContextSync();
    const boot = runtime.runSync(context, { reference: true }) as ivm.Reference;
    const shell = newShell(shared.memoryMiB);
    const api = boot.applySync(undefined, [hostCallback(shell, this.#share)], {
      result: { reference: true },
    }) as ivm.Reference;
    boot.release();
    return this.#booted(shell, { shared, context, api });
  }

  async #bootLater(shared: SharedIsolate, runtime: ivm.Script): Promise<BootedIsolate> {
    shared.chargeCpu();
    const context = await shared.engine.createContext();
    const boot = (await runtime.run(context, { reference: true })) as ivm.Reference;
    const shell = newShell(shared.memoryMiB);
    const api = (await boot.apply(undefined, [hostCallback(shell, this.#share)], {
      result: { reference: true },
    })) as ivm.Reference;
    boot.release();
    return this.#booted(shell, { shared, context, api });
  }

  #booted(shell: Shell, { shared, context, api }: Booting): BootedIsolate {
    const { guest, references } = referencesTo(api);
    const isolate = new GuestIsolate(shared, { context, codes: this.#codes });
    isolate.onLeave = () => {
      shell.host = nowhere;
      for (const reference of references) releaseReference(reference);
    };
    return Object.assign(shell, { isolate, guest });
  }

  #bare(memoryMiB: number): SharedIsolate {
    return new SharedIsolate(makeBareIsolate(memoryMiB, this.#onCatastrophe), memoryMiB);
  }
}

interface Booting {
  readonly shared: SharedIsolate;
  readonly context: ivm.Context;
  readonly api: ivm.Reference;
}

// Where the engine does not take the code of what is used, as under flags that are not known here, it takes that of all.
function bootCodeFor(isolate: ivm.Isolate): CachedCode {
  const cachedData = new ivm.ExternalCopy(usedCodeOf(bootText));
  const script = isolate.compileScriptSync(bootText, { cachedData });
  // The engine says so on the script, which the types do not.
  const { cachedDataRejected } = script as ivm.Script & { readonly cachedDataRejected?: boolean };
  script.release();
  return cachedDataRejected === true ? cachedDataOf(isolate, bootText) : cachedData;
}

function cachedDataOf(isolate: ivm.Isolate, text: string): CachedCode {
  const script = isolate.compileScriptSync(text, { produceCachedData: true });
  return (script as ivm.Script & { cachedData: CachedCode }).cachedData;
}

/** A context before the guest runtime is in it. */
type Shell = Omit<BootedIsolate, "guest" | "isolate">;

function newShell(memoryMiB: number): Shell {
  return { memoryMiB, host: nowhere };
}

interface Referred {
  readonly guest: GuestReferences;
  readonly references: readonly AnyReference[];
}

function referencesTo(api: ivm.Reference): Referred {
  const references: AnyReference[] = [];
  const refer = (name: keyof GuestEntries): GuestFunction => {
    const reference: AnyReference = api.getSync(name, { reference: true });
    references.push(reference);
    return callable(reference);
  };
  const guest: Partial<Record<keyof GuestApi, GuestFunction>> = {};
  for (const name of directNames) guest[name] = refer(name);
  const other = refer("other");
  for (const name of otherNames) guest[name] = new NamedFunction(other, name);
  api.release();
  // All of them are there now.
  return { guest: guest as GuestReferences, references };
}

// Primitives in, primitives out, and nothing is thrown: what is thrown all the same, where the stack ends, does not pass the
// guard in the guest runtime. One function for all, as an isolate takes time for each.
function hostCallback(shell: Shell, share: HostShare): ivm.Callback {
  return new ivm.Callback((name: unknown, ...given: unknown[]) => {
    const use = shell.host.apart();
    const act = (): unknown => requests.get(name)?.(shell.host, given);
    return use === undefined ? act() : share.serve(use, act);
  });
}

type HostRequest = (host: HostFunctions, given: readonly unknown[]) => unknown;

/** What a guest runtime asks for, by the names that it has there. */
const requests: ReadonlyMap<unknown, HostRequest> = new Map<keyof Host, HostRequest>([
  ["write", (host, [level, text]) => host.write(Number(level), String(text))],
  ["arm", (host, [id, delayMs]) => host.arm(Number(id), Number(delayMs))],
  ["disarm", (host, [id]) => host.disarm(Number(id))],
  ["wake", (host) => host.wake()],
  ["report", (host, [kind, detail]) => host.report(String(kind), String(detail))],
  ["exhausted", (host) => host.exhausted()],
  ["request", (host, [id, name, args]) => host.request(Number(id), String(name), String(args))],
  ["parseUrl", (_, [input, base]) => partsOf(String(input), base === undefined ? undefined : String(base))],
  ["changeUrl", (_, [href, property, value]) => changed(String(href), String(property), String(value))],
  ["random", (_, [length]) => randomText(Number(length))],
  // The guest runtime asks for those that there are.
  ["late", (_, [script]) => lateTexts[script as LateScript]],
]);

const urlPartsToSet = [
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;
const urlParts = ["href", "origin", ...urlPartsToSet] as const;

function partsOf(input: string, base: string | undefined): string {
  const url = URL.parse(input, base);
  return url === null ? "" : describe(url);
}

function changed(href: string, property: string, value: string): string {
  const url = URL.parse(href);
  if (url === null) return "";
  const part = urlPartsToSet.find((name) => name === property);
  if (part !== undefined) url[part] = value;
  return describe(url);
}

function describe(url: URL): string {
  return JSON.stringify(Object.fromEntries(urlParts.map((name) => [name, url[name]])));
}
