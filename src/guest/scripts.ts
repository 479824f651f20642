// Scripts: statements that are run once, from their first to their last. One whose declarations are kept has them as properties
// of the global object, where the scripts after it find them.
import {
  asyncGeneratorNext,
  defineProperty,
  each,
  generatorNext,
  hasOwn,
  make,
} from "../model/wire/intrinsics.ts";
import { requestsWaiting } from "./capabilities.ts";
import { onTimersDone, setTimer, timerCount } from "./globals/timers.ts";
import { awaitsItself, drive } from "./linking/awaiting-body.ts";
import { makeRecord, unbind, type Body, type Factory, type ModuleRecord } from "./linking/records.ts";
import { bindAll } from "./linking/table.ts";
import { keepBound } from "./linking/bound-scripts.ts";
import { importFor } from "./modules.ts";

/** The verbs of a script's declarations, in the order of the compiler's. */
type Publish = (verb: number, first: unknown, second?: unknown) => void;

export interface ScriptCall {
  /** As stacks show it, behind a mark that no module's name has. */
  readonly name: string;
  readonly factory: Factory;
  readonly args: readonly unknown[];
  /** It ends only when no timer and no request of the sandbox's is left. */
  readonly waits: boolean;
}

interface State {
  isKept: boolean;
}

const globals = globalThis as Record<string, unknown>;

/** Runs a script; its value, or a promise of it. */
export function runScript(call: ScriptCall): unknown {
  const state: State = { isKept: false };
  const publish = publisher(call.args, state);
  const record: ModuleRecord = makeRecord(call.name, call.factory, {
    dynamicImport: importFor(() => record),
    publish: publish as never, // The compiler calls it with what scripts publish.
  });
  bindAll(record);
  let value: unknown;
  let isWaiting = false;
  try {
    // A script's body is made by a function of its arguments.
    const body = (record.body as unknown as (args: readonly unknown[]) => Body)(call.args);
    const running = body();
    isWaiting = record.links[5] !== "sync";
    value = isWaiting ? runAwaiting(record, running) : runNow(running);
  } finally {
    if (!isWaiting) end(record, state);
  }
  if (isWaiting) value = ended(value as Promise<unknown>, record, state);
  return call.waits ? afterTimers(value) : value;
}

function runNow(running: ReturnType<Body>): unknown {
  generatorNext(running);
  return generatorNext(running).value;
}

async function runAwaiting(record: ModuleRecord, running: ReturnType<Body>): Promise<unknown> {
  if (awaitsItself(record)) await asyncGeneratorNext(running);
  else generatorNext(running);
  // Not its promise: a guest may have replaced `then`.
  return await drive(record, running);
}

async function ended(driven: Promise<unknown>, record: ModuleRecord, state: State): Promise<unknown> {
  try {
    return await driven;
  } finally {
    end(record, state);
  }
}

// Functions of a script that is kept may be called at any time: what they import stays current.
function end(record: ModuleRecord, { isKept }: State): void {
  if (record.setters.length === 0) return;
  if (isKept) keepBound(record);
  else unbind(record);
}

function publisher(args: readonly unknown[], state: State): Publish {
  return (verb, first, second) => {
    if (verb === 0) {
      state.isKept = true;
      if (args.length > 0 || !hasOwn(globals, "args")) define("args", args, true);
      // The compiler writes a list of names here, and one name otherwise.
      each(first as readonly string[], declare);
      return;
    }
    const name = first as string; // As above.
    if (verb === 1) defineFunction(name, second as object);
    else if (verb === 2) define(name, globals[name], false);
    else link(name, second as () => unknown);
  };
}

function defineFunction(name: string, value: object): void {
  const own = { __proto__: null, value: name, configurable: true };
  defineProperty(value, "name", own as PropertyDescriptor);
  define(name, value, true);
}

// What an earlier script, or the runtime, has given the name stays until the declaration is reached.
function declare(name: string): void {
  define(name, hasOwn(globals, name) ? globals[name] : undefined, true);
}

function define(name: string, value: unknown, writable: boolean): void {
  const own = { __proto__: null, value, writable, enumerable: true, configurable: true };
  defineProperty(globals, name, own as PropertyDescriptor);
}

function link(name: string, get: () => unknown): void {
  const set = (): never => {
    throw new make.TypeError("Assignment to constant variable.");
  };
  const own = { __proto__: null, get, set, enumerable: true, configurable: true };
  defineProperty(globals, name, own as PropertyDescriptor);
}

/** How often is looked whether a request is still under way. */
const lookMs = 10;

async function afterTimers(value: unknown): Promise<unknown> {
  const result = await value;
  const once = { repeats: false, args: [] };
  await new make.Promise<void>((resolve) => {
    const look = (): void => {
      if (timerCount() > 0) onTimersDone(() => void setTimer(look, 1, once));
      else if (requestsWaiting() > 0) setTimer(look, lookMs, once);
      else resolve();
    };
    look();
  });
  return result;
}
