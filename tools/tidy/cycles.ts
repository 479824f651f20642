// Files that import each other in a circle: they can only be read, tested and moved together.
import { importGraph } from "./imports.ts";
import type { SourceTree } from "./source-tree.ts";

/** Groups of files of which each reaches every other by imports of values. These fail in the order of evaluation. */
export function findValueCycles(tree: SourceTree): readonly string[] {
  return cyclesIn(tree, false).map((group) => `import cycle: ${group.join(", ")}`);
}

/** The same with types counted too: nothing fails at run time, but none of the files can be understood alone. */
export function findTypeCycles(tree: SourceTree): readonly string[] {
  return cyclesIn(tree, true).map((group) => `import cycle (counted: types too): ${group.join(", ")}`);
}

export function cyclesIn(tree: SourceTree, areTypesCounted: boolean): readonly (readonly string[])[] {
  const graph = importGraph(tree, { areTypesCounted });
  return stronglyConnected(graph).filter(
    ([first = "", ...rest]) => rest.length > 0 || (graph.get(first) ?? []).includes(first),
  );
}

/** Tarjan's algorithm: every node is in exactly one group, and a group is sorted. */
export function stronglyConnected(
  graph: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const groups: (readonly string[])[] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    lowest.set(node, index);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      const reached = order.has(next) ? (open.includes(next) ? (order.get(next) ?? 0) : index) : visit(next);
      lowest.set(node, Math.min(lowest.get(node) ?? index, reached));
    }
    if (lowest.get(node) === index) groups.push(open.splice(open.indexOf(node)).sort());
    return lowest.get(node) ?? index;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return groups;
}
