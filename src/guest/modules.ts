// The sandbox's module table. Modules are connected by their variables: a reload replaces a module, sets the imports of the
// others to what the new one exports, and leaves everything else as it is, so that no dependent is evaluated again. A function
// that is running continues in old code.
import {
  append,
  apply,
  create,
  defineProperty,
  each,
  keys,
  make,
  mapDelete,
  mapEach,
  mapGet,
  mapHas,
  mapSet,
  ownKeys,
} from "../model/wire/intrinsics.ts";
import { Evaluation } from "./linking/evaluation.ts";
import type { Namespace } from "./linking/namespaces.ts";
import { boundScripts } from "./linking/bound-scripts.ts";
import { makeCell, publishCell, type Cell } from "./linking/cells.ts";
import {
  makeRecord,
  unbind,
  type DynamicImport,
  type Factory,
  type ModuleRecord,
} from "./linking/records.ts";
import {
  bindAll,
  bindAvailable,
  builtins,
  checkReexports,
  dependenciesOf,
  exportedBy,
  records,
  refreshSpace,
  requireModule,
  spaceOf,
  stage,
  type Staged,
} from "./linking/table.ts";

export type { Namespace } from "./linking/namespaces.ts";
export type { Factory } from "./linking/records.ts";

/** What a module exports under a name, for calls. Without the namespace, which most modules are never asked for. */
export interface View {
  readonly module: string;
  readonly name: string;
  /** Undefined after a change, until it is asked for. */
  cell: Cell | undefined;
}

const nothing = create(null) as Namespace;
/** Stands for what no module exports. */
const noCell = makeCell("");
noCell.isSet = true;
/** By module and name. */
const views = new Map<string, Map<string, View>>();
/** Every namespace by module name, as `run` hands it to a function. */
export const namespaces: Record<string, Namespace> = create(null) as Record<string, Namespace>;

let evaluating = "";
let evaluation: Evaluation | undefined;
// The new modules of the reload under way, until they are evaluated.
let staged: Staged | undefined;
// Then, until it is committed or undone: the changed modules as they were; undefined for a module that is new.
let before: Staged | undefined;
// The module that each one replaced last: code of it that is still running sees what it imports, until the next reload.
const retired = new Map<string, ModuleRecord>();
// Counts reloads begun and undone: an evaluation that waited while its reload was undone must not go on.
let epoch = 0;

/** The view of an export, whether or not there is one now. */
export function viewOf(module: string, name: string): View {
  let named = mapGet(views, module) as Map<string, View> | undefined;
  if (named === undefined) mapSet(views, module, (named = new make.Map() as Map<string, View>));
  const known = mapGet(named, name) as View | undefined;
  if (known !== undefined) return known;
  const view: View = { module, name, cell: undefined };
  mapSet(named, name, view);
  return view;
}

/** The variable that a view shows; where there is no such export, one whose value is undefined. */
export function openView(view: View): Cell {
  if (view.cell !== undefined) return view.cell;
  const record = recordOf(view.module);
  return (view.cell = (record === undefined ? undefined : exportedBy(record, view.name)) ?? noCell);
}

function recordOf(name: string): ModuleRecord | undefined {
  return (mapGet(builtins, name) ?? mapGet(records, name)) as ModuleRecord | undefined;
}

export function namespaceOf(name: string): Namespace {
  const record = recordOf(name);
  return record === undefined ? nothing : spaceOf(record).object;
}

export function hasModule(name: string): boolean {
  return mapHas(records, name) || mapHas(builtins, name);
}

/** Adds a module of the runtime. Where its names are not listed, it has whichever the namespace answers. */
export function defineBuiltin(name: string, namespace: Namespace, isListed: boolean): void {
  const own = new make.Map() as Map<string, Cell>;
  const find = (exported: string): Cell | undefined => {
    const known = mapGet(own, exported) as Cell | undefined;
    const value = known === undefined ? namespace[exported] : undefined;
    if (value === undefined) return known;
    const cell = makeCell(exported);
    publishCell(cell, value);
    mapSet(own, exported, cell);
    return cell;
  };
  if (isListed) each(ownKeys(namespace), (key) => void find(key as string));
  const links = [[], [], [], [], [], "sync"] as const;
  const reexports = new make.Map() as ModuleRecord["reexports"];
  const bound = new make.Map() as ModuleRecord["bound"];
  const space = { object: namespace, names: [], properties: [] };
  const none = { links, setters: [], reexports, bound, space, spaceCell: undefined, aliases: [] };
  const body = (): never => {
    throw new make.TypeError(`Cannot evaluate ${name}`);
  };
  mapSet(builtins, name, { name, own, body, ...none, find, isListed });
}

/** The name of the module whose top level is running. */
export function moduleBeingEvaluated(): string {
  return evaluating;
}

/** Puts a module's code into the table. Within a reload it replaces the present module only when it has been evaluated. */
export function define(name: string, factory: Factory): void {
  const record: ModuleRecord = makeRecord(name, factory, { dynamicImport: importFor(() => record) });
  if (staged !== undefined) return void mapSet(staged, name, record);
  mapSet(records, name, record);
  showNamespace(name);
}

/** What `import()` is in a module or script. */
export function importFor(importer: () => ModuleRecord): DynamicImport {
  return async (specifier, options) => {
    const text = `${specifier as string}`;
    checkImportOptions(options);
    const found = requireModule(importer(), text);
    const waiting = evaluation?.whenDone(found);
    if (waiting !== undefined) await waiting;
    return spaceOf(found).object;
  };
}

// As the language has it: an object whose `with` has only texts.
function checkImportOptions(options: unknown): void {
  if (options === undefined) return;
  if (!isObject(options)) throw new make.TypeError("The second argument of import() must be an object");
  const attributes = (options as { with?: unknown }).with;
  if (attributes === undefined) return;
  if (!isObject(attributes)) throw new make.TypeError("The 'with' option of import() must be an object");
  each(keys(attributes), (key) => {
    if (typeof (attributes as Namespace)[key] !== "string")
      throw new make.TypeError("Import attribute values must be strings");
  });
}

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Removes a module from the table, within a reload. */
export function remove(name: string): void {
  if (staged !== undefined) mapSet(staged, name, undefined);
}

/** From here on modules are defined beside the present ones. */
export function beginReload(): void {
  epoch++;
  staged = new make.Map() as Staged;
  stage(staged);
}

/** Commits the changes since `beginReload`. False where no reload is under way. */
export function commitReload(): boolean {
  if (before === undefined) return false;
  mapEach(before, (record, name) => {
    const older = mapGet(retired, name) as ModuleRecord | undefined;
    if (older !== undefined) unbind(older);
    if (record === undefined) mapDelete(retired, name);
    else mapSet(retired, name, record);
  });
  before = undefined;
  return true;
}

/** Undoes the changes since `beginReload`: exports, and with them module variables, are the old ones again. */
export function revertReload(): boolean {
  if (staged !== undefined) {
    epoch++;
    mapEach(staged, (record) => {
      if (record !== undefined) unbind(record as ModuleRecord);
    });
    endStaging();
  }
  if (before === undefined) return true;
  epoch++;
  const changed = before;
  before = undefined;
  const failed = replaceAll(changed);
  mapEach(failed, (record) => {
    if (record !== undefined) unbind(record as ModuleRecord);
  });
  return true;
}

function endStaging(): void {
  staged = undefined;
  stage(undefined);
  evaluation = undefined;
}

/** A number that changes whenever a reload begins or is undone. */
export function reloadNumber(): number {
  return epoch;
}

/** Evaluates modules in the given order. A promise when one of them awaits; it rejects with what it threw. */
export function evaluate(order: readonly string[]): Promise<unknown> | undefined {
  const list: ModuleRecord[] = [];
  each(order, (name) => append(list, mapGet(staged ?? records, name) as ModuleRecord));
  each(list, bindAll);
  each(list, checkReexports);
  const begun = epoch;
  const enter = ({ name }: ModuleRecord): void => {
    if (epoch !== begun) throw new make.ReferenceError("Cannot go on as the reload was undone");
    evaluating = name;
  };
  evaluation = new Evaluation(list, { dependencies: dependenciesOf, enter });
  const waiting = evaluation.run();
  const finish = (): void => {
    if (epoch !== begun) throw new make.ReferenceError("Cannot go on as the reload was undone");
    finishEvaluation();
  };
  if (waiting !== undefined) return apply(promiseThen, waiting, [finish]) as Promise<unknown>;
  finish();
  return undefined;
}

const promiseThen = Promise.prototype.then;

function finishEvaluation(): void {
  const changed = staged;
  endStaging();
  if (changed !== undefined) before = replaceAll(changed);
}

// Replaces modules and connects all others with them; returns what was there before.
function replaceAll(changed: Staged): Staged {
  const replaced = new make.Map() as Staged;
  mapEach(changed, (record, name) => {
    mapSet(replaced, name, mapGet(records, name));
    if (record === undefined) mapDelete(records, name);
    else mapSet(records, name, record);
    showNamespace(name as string);
  });
  // Twice, as a namespace may show that of a module which comes later.
  for (let i = 0; i < 2; i++) {
    mapEach(records, (record, name) => {
      refreshSpace(record as ModuleRecord, mapGet(replaced, name) as ModuleRecord | undefined);
    });
  }
  mapEach(records, (record) => bindAvailable(record as ModuleRecord));
  mapEach(retired, (record) => bindAvailable(record as ModuleRecord));
  each(boundScripts, bindAvailable);
  mapEach(replaced, (record) => {
    if (record !== undefined) bindAvailable(record as ModuleRecord);
  });
  mapEach(views, (named) =>
    mapEach(named, (view) => {
      (view as View).cell = undefined;
    }),
  );
  return replaced;
}

function showNamespace(name: string): void {
  if (!mapHas(records, name)) return void delete namespaces[name];
  const get = (): Namespace => namespaceOf(name);
  defineProperty(namespaces, name, {
    __proto__: null,
    get,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}
