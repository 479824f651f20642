// The modules of one sandbox and how they import each other. Pure, linear in modules and imports; cycles are allowed.
import { resolveSpecifier } from "../../model/code/specifier.ts";
import type { Artifact } from "./artifact.ts";

export interface MissingImport {
  readonly importer: string;
  readonly specifier: string;
}

export type LinkPlan =
  | {
      readonly ok: true;
      /** Names in the order of evaluation: dependencies first. */ readonly order: readonly string[];
    }
  | { readonly ok: false; readonly missing: readonly MissingImport[] };

/** The order in which to evaluate the modules, or the imports that are missing. */
export function planLinking(
  modules: ReadonlyMap<string, Artifact>,
  builtins: readonly string[] = [],
): LinkPlan {
  const missing: MissingImport[] = [];
  const dependencies = new Map<string, string[]>();
  for (const [importer, { imports }] of modules) {
    const found: string[] = [];
    for (const specifier of imports) {
      if (builtins.includes(specifier)) continue;
      const name = resolveSpecifier(specifier, importer, (candidate) => modules.has(candidate));
      if (name === undefined) missing.push({ importer, specifier });
      else found.push(name);
    }
    dependencies.set(importer, found);
  }
  return missing.length > 0 ? { ok: false, missing } : { ok: true, order: postOrder(dependencies) };
}

// Depth first without recursion, so that a chain of any length is as safe as a short one.
function postOrder(dependencies: ReadonlyMap<string, readonly string[]>): string[] {
  const order: string[] = [];
  const visited = new Set<string>();
  for (const root of dependencies.keys()) {
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
