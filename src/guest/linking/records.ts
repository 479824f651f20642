// Modules as the table holds them.
import {
  append,
  at,
  defineProperty,
  generatorNext,
  hasOwn,
  make,
  mapGet,
  mapSet,
} from "../../model/wire/intrinsics.ts";
import { fuelCounter, spend } from "../fuel.ts";
import { makeCell, publishCell, removeSetter, type Cell, type Setter } from "./cells.ts";
import { delegate, type Delegate } from "./delegation.ts";
import type { Space } from "./namespaces.ts";

/** As the wrapper writes them. */
export type Links = readonly [
  requests: readonly string[],
  imports: readonly (readonly [specifier: string, name: string | null])[],
  /** The names of each exported variable. */
  locals: readonly (readonly string[])[],
  reexports: readonly (readonly [exported: string, specifier: string, name: string | null])[],
  stars: readonly string[],
  body: "sync" | "async" | "async generator",
];

export type Body = () => Generator | AsyncGenerator;

type Publish = (number: number, value: unknown, isUnnamed?: boolean) => void;
export type DynamicImport = (specifier: unknown, options: unknown) => Promise<unknown>;

/** A module's code as a function; the order of its parameters is the wrapper's. */
// oxlint-disable-next-line max-params -- the wrapper has these seven
export type Factory = (
  counter: Int32Array,
  spendMore: () => void,
  publish: Publish,
  dynamicImport: DynamicImport,
  findArguments: (isTested?: boolean) => unknown,
  declareZone: (declare: () => Generator) => unknown,
  delegate: Delegate,
) => readonly [links: Links, setters: readonly Setter[], body: Body];

export interface ModuleRecord {
  readonly name: string;
  readonly links: Links;
  readonly setters: readonly Setter[];
  readonly body: Body;
  /** What it exports itself, by name. */
  readonly own: Map<string, Cell>;
  readonly reexports: Map<string, readonly [specifier: string, name: string | null]>;
  /** For each import the cell that it is bound to. */
  readonly bound: Map<number, Cell>;
  /** Its namespace, once one was asked for, and the cell that holds it. */
  space: Space | undefined;
  spaceCell: Cell | undefined;
  /** Earlier objects of its namespace that show the same names. */
  aliases: readonly Space[];
}

const globals = globalThis as Record<string, unknown>;

export interface RecordParts {
  readonly dynamicImport: DynamicImport;
  /** Instead of the one that sets what a module exports. */
  readonly publish?: Publish;
}

/** Runs a module's factory. */
export function makeRecord(name: string, factory: Factory, parts: RecordParts): ModuleRecord {
  const { dynamicImport } = parts;
  const cells: Cell[] = [];
  const publishOwn: Publish = (number, value, isUnnamed) => {
    if (isUnnamed === true) nameDefault(value as object);
    publishCell(at(cells, number), value);
  };
  const publish = parts.publish ?? publishOwn;
  const meta = { __proto__: null, url: `vivarium:${name}` };
  defineProperty(dynamicImport, "meta", { __proto__: null, value: meta } as PropertyDescriptor);
  // By index: the iterator of lists may be a guest's.
  const made = factory(fuelCounter, spend, publish, dynamicImport, globalArguments, zone, delegate);
  const links = made[0];
  const own = new make.Map() as Map<string, Cell>;
  const locals = links[2];
  for (let i = 0; i < locals.length; i++) {
    const names = at(locals, i);
    const cell = makeCell(at(names, 0));
    append(cells, cell);
    for (let j = 0; j < names.length; j++) mapSet(own, at(names, j), cell);
  }
  return {
    name,
    links,
    setters: made[1],
    body: made[2],
    own,
    reexports: reexportsOf(links),
    bound: new make.Map() as Map<number, Cell>,
    space: undefined,
    spaceCell: undefined,
    aliases: [],
  };
}

function reexportsOf(links: Links): ModuleRecord["reexports"] {
  const reexports = new make.Map() as ModuleRecord["reexports"];
  const entries = links[3];
  for (let i = 0; i < entries.length; i++) {
    const entry = at(entries, i);
    mapSet(reexports, entry[0], [entry[1], entry[2]]);
  }
  return reexports;
}

/** Binds an import to a cell, in place of the one that it was bound to. */
export function bindImport(record: ModuleRecord, number: number, cell: Cell): void {
  const bound = mapGet(record.bound, number) as Cell | undefined;
  if (bound === cell) return;
  const setter = at(record.setters, number);
  if (bound !== undefined) removeSetter(bound, setter);
  mapSet(record.bound, number, cell);
  append(cell.setters, setter);
  if (cell.isSet) setter(cell.value);
}

/** Nothing that changes reaches the module any more. */
export function unbind(record: ModuleRecord): void {
  for (let i = 0; i < record.setters.length; i++) {
    const cell = mapGet(record.bound, i) as Cell | undefined;
    if (cell !== undefined) removeSetter(cell, at(record.setters, i));
  }
}

function nameDefault(fn: object): void {
  defineProperty(fn, "name", { __proto__: null, value: "default" } as PropertyDescriptor);
}

// The function around a module has arguments, a module has none: there the name is a global like any other.
function globalArguments(isTested?: boolean): unknown {
  if (hasOwn(globals, "arguments")) return globals["arguments"];
  if (isTested === true) return undefined;
  throw new make.ReferenceError("arguments is not defined");
}

// Declares an import that may be read too early: its generator goes on when it is first set, and initialises the variable.
function zone(declare: () => Generator): unknown {
  const declaration = declare();
  const parts = generatorNext(declaration).value as readonly [Setter, (setter: Setter) => unknown];
  const set = parts[0];
  const inner = parts[1];
  generatorNext(declaration);
  let isSet = false;
  return inner((value) => {
    if (isSet) return set(value);
    isSet = true;
    generatorNext(declaration, value);
  });
}
