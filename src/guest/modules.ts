// The sandbox's module table. Every name has one permanent namespace object, and an import is read through it at each use:
// when a reload changes its exports, dependents see them without being evaluated again, and a function that is running
// continues in old code. Modules are evaluated dependencies first; one with a top-level await is waited for
// before the next begins.
import { fuelCounter, spend } from "./fuel.ts";
import { resolveSpecifier } from "../model/code/specifier.ts";
import {
  append,
  apply,
  at,
  create,
  defineProperty,
  each,
  getOwnPropertyDescriptor,
  hasOwn,
  make,
  mapDelete,
  mapEach,
  mapGet,
  mapHas,
  mapSet,
  ownKeys,
} from "../model/wire/intrinsics.ts";

export type Namespace = Record<PropertyKey, unknown>;

/** A module's code as a function; the order of its parameters is the compiler's. */
// oxlint-disable-next-line max-params -- the compiler's rewriting calls for these seven
export type Factory = (
  exports: Namespace,
  importStatic: (specifier: string) => Namespace,
  importDynamic: (specifier: string) => Promise<Namespace>,
  exportAll: (from: Namespace) => void,
  meta: object,
  fuelCounter: Int32Array,
  spend: () => void,
) => unknown;

/** A module in its present version. */
interface ModuleRecord {
  readonly name: string;
  readonly factory: Factory;
  /** What its own code exports, without what it re-exports by `export *`. */
  readonly own: Namespace;
  /** The modules that it re-exports by `export *`. */
  readonly stars: string[];
}

const promiseThen = Promise.prototype.then;
const records = new Map<string, ModuleRecord>();
const spaces = new Map<string, Namespace>();
const namesBySpace = new Map<Namespace, string>();

/** Every namespace by module name, as `run` hands it to a function. */
export const namespaces: Record<string, Namespace> = create(null) as Record<string, Namespace>;

// Modules of the runtime; no module of the guest's replaces them.
const builtins = new Map<string, Namespace>();
let evaluating = "";

// The changed modules as they were before the reload under way; undefined for a module that is new.
let before: Map<string, ModuleRecord | undefined> | undefined;
// Counts reloads begun and undone: an evaluation that waited while its reload was undone must not go on.
let epoch = 0;
// A namespace could not be restored, as the guest froze it.
let isBroken = false;

/** The permanent namespace of a name, whether or not there is a module of that name now. */
export function namespaceOf(name: string): Namespace {
  const known = (mapGet(builtins, name) ?? mapGet(spaces, name)) as Namespace | undefined;
  if (known !== undefined) return known;
  const space = create(null) as Namespace;
  mapSet(spaces, name, space);
  mapSet(namesBySpace, space, name);
  return space;
}

export function hasModule(name: string): boolean {
  return mapHas(records, name) || mapHas(builtins, name);
}

/** Adds a module of the runtime. */
export function defineBuiltin(name: string, namespace: Namespace): void {
  mapSet(builtins, name, namespace);
}

/** The name of the module whose top level is running. */
export function moduleBeingEvaluated(): string {
  return evaluating;
}

/** Puts a module's code into the table. Within a reload, the previous module is remembered. */
export function define(name: string, factory: Factory): void {
  remember(name);
  setRecord({ name, factory, own: create(null) as Namespace, stars: [] });
}

/** Removes a module from the table, within a reload. */
export function remove(name: string): void {
  remember(name);
  forgetRecord(name);
}

/** From here on changes of the table can be undone. */
export function beginReload(): void {
  epoch++;
  before = new make.Map();
}

/** Commits the changes since `beginReload`. False where no reload is under way. */
export function commitReload(): boolean {
  const wasUnderway = before !== undefined;
  before = undefined;
  return wasUnderway;
}

/**
 * Undoes the changes since `beginReload`: exports, and with them module variables, are the old ones again. False where that
 * failed: then the sandbox's exports cannot be relied on.
 */
export function revertReload(): boolean {
  if (before === undefined) return !isBroken;
  const changed = before;
  before = undefined;
  epoch++;
  try {
    mapEach(changed, (record, name) => {
      if (record === undefined) return forgetRecord(name as string);
      setRecord(record as ModuleRecord);
      publish(record as ModuleRecord);
    });
    publishStars();
  } catch {
    isBroken = true;
  }
  return !isBroken;
}

/** A number that changes whenever a reload begins or is undone. */
export function reloadNumber(): number {
  return epoch;
}

/** Evaluates modules in the given order. A promise when one of them awaits; it rejects with what it threw. */
export function evaluate(order: readonly string[]): Promise<unknown> | undefined {
  return evaluateFrom(order, 0, epoch);
}

function evaluateFrom(order: readonly string[], start: number, begun: number): Promise<unknown> | undefined {
  for (let i = start; i < order.length; i++) {
    const record = mapGet(records, order[i]) as ModuleRecord;
    // At its first load a module's exports are visible from its first line, so that cycles find hoisted functions;
    // at a reload only when it has been evaluated, so that nothing is seen of one that fails.
    const isFirst = before === undefined;
    evaluating = record.name;
    const result = run(record, isFirst ? namespaceOf(record.name) : record.own);
    const finish = (): unknown => {
      if (epoch !== begun) throw new ReferenceError("Cannot go on as the reload was undone");
      if (isFirst) copy(namespaceOf(record.name), record.own);
      publish(record);
      return undefined;
    };
    if (result instanceof make.Promise) {
      const finished = apply(promiseThen, result, [finish]) as Promise<unknown>;
      return apply(promiseThen, finished, [() => evaluateFrom(order, i + 1, begun)]) as Promise<unknown>;
    }
    finish();
  }
  publishStars();
  return undefined;
}

function run(record: ModuleRecord, exports: Namespace): unknown {
  const find = (specifier: string): Namespace => findModule(specifier, record.name);
  // oxlint-disable-next-line require-await -- a missing module must reject, not throw
  const findLater = async (specifier: string): Promise<Namespace> => find(`${specifier}`);
  const exportAll = (from: Namespace): void => {
    append(record.stars, mapGet(namesBySpace, from) as string);
  };
  const meta = { url: `vivarium:${record.name}` };
  // Not as a method, which would show our names in the guest's stack traces.
  return apply(record.factory, undefined, [exports, find, findLater, exportAll, meta, fuelCounter, spend]);
}

function findModule(specifier: string, importer: string): Namespace {
  const name = resolveSpecifier(specifier, importer, hasModule);
  if (name !== undefined) return namespaceOf(name);
  throw new ReferenceError(
    `Cannot import "${specifier}" into module "${importer}" as the sandbox has no such module`,
  );
}

function remember(name: string): void {
  if (before !== undefined && !mapHas(before, name)) mapSet(before, name, mapGet(records, name));
}

function setRecord(record: ModuleRecord): void {
  mapSet(records, record.name, record);
  const value = namespaceOf(record.name);
  defineProperty(namespaces, record.name, {
    __proto__: null,
    value,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}

function forgetRecord(name: string): void {
  mapDelete(records, name);
  delete namespaces[name];
  clear(namespaceOf(name));
}

// Sets a namespace to what its module exports now: its own names, then the re-exported ones, each read from its origin.
// Modules may re-export each other, so each is visited once.
function publish(record: ModuleRecord): void {
  const space = namespaceOf(record.name);
  clear(space);
  copy(record.own, space);
  const isQueued = new make.Map() as Map<string, true>;
  mapSet(isQueued, record.name, true);
  const queue: ModuleRecord[] = [record];
  for (let i = 0; i < queue.length; i++) {
    const { stars } = at(queue, i);
    for (let j = 0; j < stars.length; j++) {
      const source = mapGet(records, stars[j]) as ModuleRecord | undefined;
      if (source === undefined || mapHas(isQueued, source.name)) continue;
      mapSet(isQueued, source.name, true);
      append(queue, source);
      reexport(source, space);
    }
  }
}

// Re-exports may have changed with the modules that they come from.
function publishStars(): void {
  mapEach(records, (record) => {
    if ((record as ModuleRecord).stars.length > 0) publish(record as ModuleRecord);
  });
}

function reexport({ name, own }: ModuleRecord, to: Namespace): void {
  const from = namespaceOf(name);
  each(ownKeys(own), (key) => {
    if (key === "default" || hasOwn(to, key)) return;
    const get = (): unknown => from[key];
    defineProperty(to, key, {
      __proto__: null,
      enumerable: true,
      configurable: true,
      get,
    } as PropertyDescriptor);
  });
}

function clear(space: Namespace): void {
  each(ownKeys(space), (name) => delete space[name]);
}

function copy(from: Namespace, to: Namespace): void {
  each(ownKeys(from), (name) => {
    defineProperty(to, name, getOwnPropertyDescriptor(from, name) as PropertyDescriptor);
  });
}
