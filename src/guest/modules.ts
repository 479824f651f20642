// The sandbox's module table. Every name has one namespace object for good, and an import is read through it at each
// use: when a reload puts other exports there, dependents see them without being evaluated again, and a function that
// is running goes on in old code. Modules are evaluated dependencies first; one with a top-level await is waited for
// before the next begins.
import { fuelCell, spend } from "./fuel.ts";
import { resolveSpecifier } from "../model/specifier.ts";
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
  fuelCell: Int32Array,
  spend: () => void,
) => unknown;

/** A module as it is. */
interface ModuleRecord {
  readonly name: string;
  readonly factory: Factory;
  /** What its own code exports. What it passes on by `export *` is worked out anew at each change. */
  readonly own: Namespace;
  /** The modules whose names it passes on. */
  readonly stars: string[];
}

const promiseThen = Promise.prototype.then;
const records = new Map<string, ModuleRecord>();
const spaces = new Map<string, Namespace>();
const namesBySpace = new Map<Namespace, string>();

/** Every namespace by module name, as `run` hands it to a function. */
export const namespaces: Record<string, Namespace> = create(null) as Record<string, Namespace>;

// Modules that come with the sandbox; no module of the guest's stands in their place.
const builtins = new Map<string, Namespace>();
let evaluating = "";

// What the modules were before the reload that is under way; undefined stands for a module that was not there.
let before: Map<string, ModuleRecord | undefined> | undefined;
// Counts reloads begun and undone: an evaluation that waited while its reload was undone must not go on.
let epoch = 0;
// A namespace could not be put back: its guest froze it.
let isSpoiled = false;

/** The namespace of a name for good, whether or not there is a module of that name now. */
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

/** Adds a module that comes with the sandbox. */
export function defineBuiltin(name: string, namespace: Namespace): void {
  mapSet(builtins, name, namespace);
}

/** The name of the module whose top level is running. */
export function moduleBeingEvaluated(): string {
  return evaluating;
}

/** Puts a module's code into the table. Within a reload, what was there is remembered. */
export function define(name: string, factory: Factory): void {
  remember(name);
  setRecord({ name, factory, own: create(null) as Namespace, stars: [] });
}

/** Takes a module out of the table, within a reload. */
export function remove(name: string): void {
  remember(name);
  forgetRecord(name);
}

/** From here on changes of the table can be undone. Code that is running keeps what it has. */
export function beginReload(): void {
  epoch++;
  before = new make.Map();
}

/** The changes since `beginReload` stay. False where there is none to stay. */
export function commitReload(): boolean {
  const wasUnderway = before !== undefined;
  before = undefined;
  return wasUnderway;
}

/**
 * The changes since `beginReload` are undone: old exports, and with them old variables, are what they were. False where
 * they could not be: then nothing that the sandbox shows can be relied on.
 */
export function revertReload(): boolean {
  if (before === undefined) return !isSpoiled;
  const changed = before;
  before = undefined;
  epoch++;
  try {
    mapEach(changed, (record, name) => {
      if (record === undefined) return forgetRecord(name as string);
      setRecord(record as ModuleRecord);
      show(record as ModuleRecord);
    });
    showStars();
  } catch {
    isSpoiled = true;
  }
  return !isSpoiled;
}

/** Tells one reload from another, and from one that was undone. */
export function reloadNumber(): number {
  return epoch;
}

/** Evaluates modules in the order given. A promise when one of them waits; it rejects with what it threw. */
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
      show(record);
      return undefined;
    };
    if (result instanceof make.Promise) {
      const finished = apply(promiseThen, result, [finish]) as Promise<unknown>;
      return apply(promiseThen, finished, [() => evaluateFrom(order, i + 1, begun)]) as Promise<unknown>;
    }
    finish();
  }
  showStars();
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
  // Not as a method: the top level's frame in a stack would bear our names.
  return apply(record.factory, undefined, [exports, find, findLater, exportAll, meta, fuelCell, spend]);
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

// Makes a namespace show what its module exports now: its own names, then those it passes on, each read where it is made.
// Modules may pass on each other's names, so each is asked once.
function show(record: ModuleRecord): void {
  const space = namespaceOf(record.name);
  clear(space);
  copy(record.own, space);
  const isAsked = new make.Map() as Map<string, true>;
  mapSet(isAsked, record.name, true);
  const asked: ModuleRecord[] = [record];
  for (let i = 0; i < asked.length; i++) {
    const { stars } = at(asked, i);
    for (let j = 0; j < stars.length; j++) {
      const source = mapGet(records, stars[j]) as ModuleRecord | undefined;
      if (source === undefined || mapHas(isAsked, source.name)) continue;
      mapSet(isAsked, source.name, true);
      append(asked, source);
      passOn(source, space);
    }
  }
}

// What a module passes on may have changed with the modules it has it from.
function showStars(): void {
  mapEach(records, (record) => {
    if ((record as ModuleRecord).stars.length > 0) show(record as ModuleRecord);
  });
}

function passOn({ name, own }: ModuleRecord, to: Namespace): void {
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
