// The sandbox's module table. An import is read through a module's namespace object at each use, so that what the
// namespace shows is what every dependent sees. Modules are evaluated dependencies first; one with a top-level
// await is waited for before the next begins.
import { apply, create, defineProperty, hasOwn, make, mapGet, mapHas, mapSet, ownKeys } from "../model/wire/intrinsics.ts";
import { resolveSpecifier } from "../model/specifier.ts";

type Namespace = Record<PropertyKey, unknown>;

/** A module's code as a function; the names of its parameters are those of the compiler's rewriting. */
type Factory = (
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

export class ModuleTable {
  readonly #records = new Map<string, ModuleRecord>();
  /** Every namespace by module name, as `run` hands it to a function. */
  readonly namespaces: Record<string, Namespace> = create(null) as Record<string, Namespace>;

  define(name: string, factory: Factory): void {
    const namespace = create(null) as Namespace;
    mapSet(this.#records, name, { name, namespace, factory });
    defineProperty(this.namespaces, name, { __proto__: null, value: namespace, enumerable: true } as PropertyDescriptor);
  }

  has(name: string): boolean {
    return mapHas(this.#records, name);
  }

  /** The namespace of a module that the table holds. */
  namespace(name: string): Namespace | undefined {
    return (mapGet(this.#records, name) as ModuleRecord | undefined)?.namespace;
  }

  /** Evaluates the modules in the order given. A promise when one of them waits; it rejects with what it threw. */
  evaluate(order: readonly string[]): Promise<unknown> | undefined {
    const from = (start: number): Promise<unknown> | undefined => {
      for (let i = start; i < order.length; i++) {
        const result = this.#run(mapGet(this.#records, order[i]) as ModuleRecord);
        if (result instanceof make.Promise) return apply(promiseThen, result, [() => from(i + 1)]) as Promise<unknown>;
      }
      return undefined;
    };
    return from(0);
  }

  #run(record: ModuleRecord): unknown {
    const find = (specifier: string): Namespace => this.#find(specifier, record.name).namespace;
    // oxlint-disable-next-line require-await -- a missing module must reject, not throw
    const findLater = async (specifier: string): Promise<Namespace> => find(`${specifier}`);
    return record.factory(record.namespace, find, findLater, (from) => exportAll(record.namespace, from), {
      url: `vivarium:${record.name}`,
    });
  }

  #find(specifier: string, importer: string): ModuleRecord {
    const name = resolveSpecifier(specifier, importer, (candidate) => this.has(candidate));
    const record = name === undefined ? undefined : (mapGet(this.#records, name) as ModuleRecord | undefined);
    if (record !== undefined) return record;
    throw new ReferenceError(`Cannot import "${specifier}" into module "${importer}" as the sandbox has no such module`);
  }
}

function exportAll(to: Namespace, from: Namespace): void {
  const names = ownKeys(from);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as PropertyKey;
    if (name === "default" || hasOwn(to, name)) continue;
    defineProperty(to, name, { __proto__: null, enumerable: true, configurable: true, get: () => from[name] } as PropertyDescriptor);
  }
}
