// Looks modules up: what a specifier means to a module, which variable an imported name is, and what a module exports. While
// a reload is under way there are two tables: in the present one modules are as before it, in the next one new modules stand
// in place of those that they replace. What a new module imports is looked up in the next, to its end; all else in the present.
import { resolveExport, type ExportTable, type Resolution } from "../../model/code/resolve-export.ts";
import { resolveSpecifier } from "../../model/code/specifier.ts";
import {
  append,
  at,
  each,
  hasOwn,
  indexOf,
  make,
  mapEach,
  mapGet,
  mapHas,
  setAdd,
  setEach,
  setHas,
  slice,
  sort,
} from "../../model/wire/intrinsics.ts";
import { makeSpace, retarget, type Exports, type Space } from "./namespaces.ts";
import { makeCell, publishCell, type Cell } from "./cells.ts";
import { bindImport, type ModuleRecord } from "./records.ts";

/** The text of an isolate has one byte per letter: no letter here may need two. */
const packageAdvice =
  "; an npm package must be among npmImports of createRuntime(), and its name written out in the import()";
/** More than "vivarium/guest" has. */
const namesShownMax = 40;

/** The modules of now. */
export const records = new Map<string, ModuleRecord>();
/** Modules of the runtime; no module of the guest's replaces them. */
export const builtins = new Map<string, Builtin>();

/** A module of the runtime, with what any name means in it. */
export interface Builtin extends ModuleRecord {
  readonly find: (name: string) => Cell | undefined;
  /** Whether its names are known, so that `export *` passes them on. */
  readonly isListed: boolean;
}

/** Modules that a reload brings, until they replace the present ones; undefined for one that it takes away. */
export type Staged = Map<string, ModuleRecord | undefined>;
let staged: Staged | undefined;

export function stage(modules: Staged | undefined): void {
  staged = modules;
}

interface Table extends ExportTable<ModuleRecord, Cell> {
  /** The module that a specifier means to a module. */
  find(importer: ModuleRecord, specifier: string): ModuleRecord | undefined;
}

function makeTable(get: (name: string) => ModuleRecord | undefined): Table {
  const findNamed = (name: string): ModuleRecord | undefined =>
    (mapGet(builtins, name) as Builtin | undefined) ?? get(name);
  const find: Table["find"] = (importer, specifier) => {
    const name = resolveSpecifier(
      specifier,
      importer.name,
      (candidate) => findNamed(candidate) !== undefined,
    );
    return name === undefined ? undefined : findNamed(name);
  };
  return {
    find,
    own: (record, name) =>
      hasOwn(record, "find")
        ? (record as Builtin).find(name)
        : (mapGet(record.own, name) as Cell | undefined),
    reexport: (record, name) => {
      const from = mapGet(record.reexports, name) as readonly [string, string | null] | undefined;
      return from === undefined ? undefined : [requireIn({ find }, record, from[0]), from[1]];
    },
    stars: (record) => {
      const stars: ModuleRecord[] = [];
      const specifiers = record.links[4];
      for (let i = 0; i < specifiers.length; i++) {
        const module = requireIn({ find }, record, at(specifiers, i));
        if (!hasOwn(module, "isListed") || (module as Builtin).isListed) append(stars, module);
      }
      return stars;
    },
    namespace: spaceCellOf,
  };
}

const getPresent = (name: string): ModuleRecord | undefined =>
  mapGet(records, name) as ModuleRecord | undefined;
const present = makeTable(getPresent);
// The same as the present one while no reload is under way.
const next = makeTable((name) =>
  staged !== undefined && mapHas(staged, name)
    ? (mapGet(staged, name) as ModuleRecord | undefined)
    : getPresent(name),
);

const tableOf = (record: ModuleRecord): Table =>
  staged !== undefined && mapGet(staged, record.name) === record ? next : present;

/** The module that a specifier means to a module; throws where there is none. */
export function requireModule(importer: ModuleRecord, specifier: string): ModuleRecord {
  return requireIn(tableOf(importer), importer, specifier);
}

function requireIn(table: Pick<Table, "find">, importer: ModuleRecord, specifier: string): ModuleRecord {
  const found = table.find(importer, specifier);
  if (found !== undefined) return found;
  const rule = `the sandbox has no such module${isPackage(specifier) ? packageAdvice : ""}`;
  throw new make.ReferenceError(`Cannot import "${specifier}" into module "${importer.name}" as ${rule}`);
}

const isPackage = (specifier: string): boolean =>
  slice(specifier, 0, 1) !== "." && slice(specifier, 0, 1) !== "/" && indexOf(specifier, ":") < 0;

/** The modules that a module imports, once the reload under way is done. */
export function dependenciesOf(record: ModuleRecord): ModuleRecord[] {
  const found: ModuleRecord[] = [];
  const specifiers = record.links[0];
  for (let i = 0; i < specifiers.length; i++) append(found, requireIn(next, record, at(specifiers, i)));
  return found;
}

/** Binds every import of a module to the variable that it means now. */
export function bindAll(record: ModuleRecord): void {
  const imports = record.links[1];
  const table = tableOf(record);
  for (let i = 0; i < imports.length; i++) {
    const entry = at(imports, i);
    const found = resolveExport(table, requireIn(table, record, entry[0]), entry[1]);
    if (typeof found !== "object") throw unbound(entry, record, found);
    bindImport(record, i, found.variable);
  }
}

/** As `bindAll`, for a module that is not current any more: what is gone stays as it was. */
export function bindAvailable(record: ModuleRecord): void {
  const imports = record.links[1];
  for (let i = 0; i < imports.length; i++) {
    const entry = at(imports, i);
    const module = present.find(record, entry[0]);
    const found = module === undefined ? "missing" : resolveExport(present, module, entry[1]);
    if (typeof found === "object") bindImport(record, i, found.variable);
  }
}

/** Throws where a name that the module re-exports means nothing. */
export function checkReexports(record: ModuleRecord): void {
  const reexports = record.links[3];
  const table = tableOf(record);
  for (let i = 0; i < reexports.length; i++) {
    const entry = at(reexports, i);
    const found = resolveExport(table, requireIn(table, record, entry[1]), entry[2]);
    if (typeof found !== "object") throw unbound([entry[1], entry[2]], record, found);
  }
}

// The host finds nearly all of these before it sends the code.
function unbound(
  entry: readonly [specifier: string, name: string | null],
  importer: ModuleRecord,
  why: Exclude<Resolution<Cell>, object>,
): Error {
  const what = `Cannot import "${entry[1] ?? "*"}" from "${entry[0]}" into "${importer.name}"`;
  const rule =
    why === "missing"
      ? `that module exports ${namesOf(requireModule(importer, entry[0]))}`
      : "several modules export it by that name";
  return new make.SyntaxError(`${what} as ${rule}`);
}

function namesOf(record: ModuleRecord): string {
  const { names } = exportsOf(record);
  let text = names.length === 0 ? "nothing" : at(names, 0);
  for (let i = 1; i < names.length && i < namesShownMax; i++) text += `, ${at(names, i)}`;
  return names.length > namesShownMax ? `${text} and ${names.length - namesShownMax} more` : text;
}

/** The variable that a module exports under a name now; undefined where there is none. */
export function exportedBy(record: ModuleRecord, name: string): Cell | undefined {
  const own = present.own(record, name);
  if (own !== undefined) return own;
  const found = resolveExport(present, record, name);
  return typeof found === "object" ? found.variable : undefined;
}

/** The namespace of a module. */
export function spaceOf(record: ModuleRecord): Space {
  return (record.space ??= makeSpace(exportsOf(record)));
}

function spaceCellOf(record: ModuleRecord): Cell {
  if (record.spaceCell === undefined) {
    record.spaceCell = makeCell("*");
    publishCell(record.spaceCell, spaceOf(record).object);
  }
  return record.spaceCell;
}

// How many earlier objects of one namespace are still kept up to date.
const aliasesMax = 4;

/** Makes the objects of a module's namespace, and those of the module that it replaces, show what it exports. */
export function refreshSpace(record: ModuleRecord, replaced: ModuleRecord | undefined): void {
  if (record.space === undefined && replaced?.space === undefined) return;
  const exports = exportsOf(record);
  const kept: Space[] = [];
  const keep = (space: Space | undefined): void => {
    if (space === undefined) return;
    for (let i = 0; i < kept.length; i++) if (at(kept, i) === space) return;
    if (kept.length <= aliasesMax && retarget(space, exports)) append(kept, space);
  };
  // The oldest object stays the one that is handed out; then come those that were made last.
  keep(replaced?.space);
  keep(record.space);
  each(record.aliases, keep);
  each(replaced?.aliases ?? [], keep);
  if (kept[0] !== record.space || kept.length === 0) record.spaceCell = undefined;
  record.space = kept[0];
  record.aliases = kept;
}

// What can be imported from a module.
function exportsOf(record: ModuleRecord): Exports {
  const table = tableOf(record);
  const names = new make.Set() as Set<string>;
  const queue: ModuleRecord[] = [record];
  const queued = new make.Set() as Set<ModuleRecord>;
  setAdd(queued, record);
  for (let i = 0; i < queue.length; i++) {
    const module = at(queue, i);
    const add = (_: unknown, name: unknown): void => {
      if (module === record || name !== "default") setAdd(names, name);
    };
    mapEach(module.own, add);
    mapEach(module.reexports, add);
    const stars = table.stars(module);
    for (let j = 0; j < stars.length; j++) {
      const star = at(stars, j);
      if (setHas(queued, star)) continue;
      setAdd(queued, star);
      append(queue, star);
    }
  }
  return resolveAll(record, names);
}

function resolveAll(record: ModuleRecord, names: Set<string>): Exports {
  const sorted: string[] = [];
  setEach(names, (name) => append(sorted, name as string));
  const bound: string[] = [];
  const cells: Cell[] = [];
  sort(sorted);
  for (let i = 0; i < sorted.length; i++) {
    const found = resolveExport(tableOf(record), record, at(sorted, i));
    if (typeof found !== "object") continue;
    append(bound, at(sorted, i));
    append(cells, found.variable);
  }
  return { names: bound, cells };
}
