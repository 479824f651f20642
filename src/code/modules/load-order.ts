// The modules of a sandbox in the order of evaluation, and their texts as they are sent to a cell.
import type { Artifact } from "./artifact.ts";
import type { ModuleGraph } from "./module-graph.ts";
import { wrapModule } from "./wrapper.ts";

export interface OrderedModule {
  readonly name: string;
  /** Its specifiers of modules that import it in turn, directly or not. */
  readonly cyclic: readonly string[];
}

/** Dependencies first. */
export type LoadOrder = readonly OrderedModule[];

// Most modules are in no cycle, and there are many sandboxes.
const none: readonly string[] = [];

export function loadOrder(
  modules: ReadonlyMap<string, Pick<Artifact, "imports">>,
  { order, isCyclic }: ModuleGraph,
): LoadOrder {
  return order.map((name) => {
    const cyclic = modules.get(name)?.imports.filter((specifier) => isCyclic(name, specifier)) ?? none;
    return { name, cyclic: cyclic.length === 0 ? none : cyclic };
  });
}

/** Modules as they are sent: each with its text. */
export function moduleTexts(
  order: LoadOrder,
  modules: ReadonlyMap<string, Artifact>,
): (readonly [name: string, text: string])[] {
  return order.flatMap(({ name, cyclic }) => {
    const artifact = modules.get(name);
    if (artifact === undefined) return [];
    const text =
      cyclic.length === 0
        ? textOf(artifact)
        : wrapModule(artifact, (specifier) => cyclic.includes(specifier));
    return [[name, text] as const];
  });
}

/** Modules that were sent, and the texts of those that were sent again: what many sandboxes share is wrapped once. */
const sent = new WeakSet<Artifact>();
const texts = new WeakMap<Artifact, string>();

function textOf(artifact: Artifact): string {
  const known = texts.get(artifact);
  if (known !== undefined) return known;
  const text = wrapModule(artifact);
  if (sent.has(artifact)) texts.set(artifact, text);
  else sent.add(artifact);
  return text;
}
