// The sandbox's module table. An import is read through a module's namespace object at each use, so that what the
// namespace shows is what every dependent sees. Modules are evaluated dependencies first; one with a top-level
// await is waited for before the next begins.
import {
  apply,
  create,
  defineProperty,
  hasOwn,
  make,
  mapGet,
  mapHas,
  mapSet,
  ownKeys,
} from "../model/wire/intrinsics.ts";
import { resolveSpecifier } from "../model/specifier.ts";

export type Namespace = Record<PropertyKey, unknown>;

/** A module's code as a function; the order of its parameters is the compiler's. */
// oxlint-disable-next-line max-params -- the compiler's rewriting calls for these five
export type Factory = (
  exports: Namespace,
  importStatic: (specifier: string) => Namespace,
  importDynamic: (specifier: string) => Promise<Namespace>,
  exportAll: (from: Namespace) => void,
  meta: object,
) => unknown;

interface ModuleRecord {
  readonly name: string;
  readonly namespace: Namespace;
  readonly factory: Factory;
}

const promiseThen = Promise.prototype.then;
const records = new Map<string, ModuleRecord>();

/** Every namespace by module name, as `run` hands it to a function. */
export const namespaces: Record<string, Namespace> = create(null) as Record<string, Namespace>;

export function define(name: string, factory: Factory): void {
  const namespace = create(null) as Namespace;
  mapSet(records, name, { name, namespace, factory });
  defineProperty(namespaces, name, {
    __proto__: null,
    value: namespace,
    enumerable: true,
  } as PropertyDescriptor);
}

/** The namespace of a module that the table holds. */
export function namespaceOf(name: string): Namespace | undefined {
  return (mapGet(records, name) as ModuleRecord | undefined)?.namespace;
}

/** Evaluates the modules in the order given. A promise when one of them waits; it rejects with what it threw. */
export function evaluate(order: readonly string[]): Promise<unknown> | undefined {
  return evaluateFrom(order, 0);
}

function evaluateFrom(order: readonly string[], start: number): Promise<unknown> | undefined {
  for (let i = start; i < order.length; i++) {
    const result = run(mapGet(records, order[i]) as ModuleRecord);
    if (result instanceof make.Promise)
      return apply(promiseThen, result, [() => evaluateFrom(order, i + 1)]) as Promise<unknown>;
  }
  return undefined;
}

function run(record: ModuleRecord): unknown {
  const find = (specifier: string): Namespace => findModule(specifier, record.name).namespace;
  // oxlint-disable-next-line require-await -- a missing module must reject, not throw
  const findLater = async (specifier: string): Promise<Namespace> => find(`${specifier}`);
  const meta = { url: `vivarium:${record.name}` };
  const exportFrom = (from: Namespace): void => exportAll(record.namespace, from);
  // Not as a method: the top level's frame in a stack would bear our names.
  return apply(record.factory, undefined, [record.namespace, find, findLater, exportFrom, meta]);
}

function findModule(specifier: string, importer: string): ModuleRecord {
  const name = resolveSpecifier(specifier, importer, (candidate) => mapHas(records, candidate));
  const record = name === undefined ? undefined : (mapGet(records, name) as ModuleRecord | undefined);
  if (record !== undefined) return record;
  throw new ReferenceError(
    `Cannot import "${specifier}" into module "${importer}" as the sandbox has no such module`,
  );
}

function exportAll(to: Namespace, from: Namespace): void {
  const names = ownKeys(from);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as PropertyKey;
    if (name === "default" || hasOwn(to, name)) continue;
    defineProperty(to, name, {
      __proto__: null,
      enumerable: true,
      configurable: true,
      get: () => from[name],
    } as PropertyDescriptor);
  }
}
