// The modules of one sandbox and how they import each other. Pure, linear in modules and imports; cycles are allowed.
import { resolveSpecifier } from "../../model/code/specifier.ts";
import type { Artifact } from "./artifact.ts";

export interface MissingImport {
  readonly importer: string;
  readonly specifier: string;
}

/** Modules by name, and by importer the modules that its specifiers mean. */
export interface ModuleGraph {
  /** Names in the order of evaluation: dependencies first. */
  readonly order: readonly string[];
  /** Whether one module imports another, or itself, in a cycle. */
  readonly isCyclic: (importer: string, specifier: string) => boolean;
  /** The module that a specifier means; undefined for one of the runtime. */
  readonly targetOf: (importer: string, specifier: string) => string | undefined;
}

export type LinkPlan =
  | { readonly ok: true; readonly graph: ModuleGraph }
  | { readonly ok: false; readonly missing: readonly MissingImport[] };

type Modules = ReadonlyMap<string, Pick<Artifact, "imports">>;

/** The order in which to evaluate the modules, or the imports that are missing. */
export function planLinking(modules: Modules, builtins: readonly string[] = []): LinkPlan {
  const missing: MissingImport[] = [];
  const targets = new Map<string, Map<string, string>>();
  for (const [importer, { imports }] of modules) {
    const found = new Map<string, string>();
    for (const specifier of imports) {
      if (builtins.includes(specifier)) continue;
      const name = resolveSpecifier(specifier, importer, (candidate) => modules.has(candidate));
      if (name === undefined) missing.push({ importer, specifier });
      else found.set(specifier, name);
    }
    targets.set(importer, found);
  }
  return missing.length > 0 ? { ok: false, missing } : { ok: true, graph: graphOf(targets) };
}

function graphOf(targets: ReadonlyMap<string, ReadonlyMap<string, string>>): ModuleGraph {
  const dependencies = new Map([...targets].map(([name, found]) => [name, [...found.values()]]));
  const order = postOrder(dependencies.keys(), dependencies);
  const groups = groupsOf(order, dependencies);
  const targetOf = (importer: string, specifier: string): string | undefined =>
    targets.get(importer)?.get(specifier);
  const isCyclic = (importer: string, specifier: string): boolean => {
    const target = targetOf(importer, specifier);
    return target !== undefined && groups.get(target) === groups.get(importer);
  };
  return { order, isCyclic, targetOf };
}

// Depth first without recursion, so that a chain of any length is as safe as a short one.
function postOrder(
  roots: Iterable<string>,
  dependencies: ReadonlyMap<string, readonly string[]>,
  visited = new Set<string>(),
): string[] {
  const order: string[] = [];
  for (const root of roots) {
    if (visited.has(root)) continue;
    visited.add(root);
    const stack = [{ name: root, next: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const child = dependencies.get(top.name)?.[top.next++];
      if (child === undefined) {
        order.push(top.name);
        stack.pop();
      } else if (!visited.has(child)) {
        visited.add(child);
        stack.push({ name: child, next: 0 });
      }
    }
  }
  return order;
}

// Which modules reach each other (Kosaraju): against the order, what reaches a module is all of its group.
function groupsOf(
  order: readonly string[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const importers = new Map<string, string[]>(order.map((name) => [name, []]));
  for (const [importer, found] of dependencies) for (const name of found) importers.get(name)?.push(importer);
  const groups = new Map<string, number>();
  const visited = new Set<string>();
  for (const root of order.toReversed()) {
    const group = groups.size;
    for (const name of postOrder([root], importers, visited)) groups.set(name, group);
  }
  return groups;
}
