// Which variable an imported name means, through any number of re-exports: the language's ResolveExport, without recursion.
// It runs in the host and in isolates, so it uses saved intrinsics only.
import { append, at, make, mapGet, mapSet, setAdd, setHas } from "../wire/intrinsics.ts";

/** The exports of a table of modules. A variable is compared by identity. */
export interface ExportTable<M extends object, V extends object> {
  /** The variable that a module itself exports under a name. */
  own(module: M, name: string): V | undefined;
  /** Where a name is re-exported from; a name of null means the namespace. */
  reexport(module: M, name: string): readonly [module: M, name: string | null] | undefined;
  /** The modules of its `export *`. */
  stars(module: M): readonly M[];
  namespace(module: M): V;
}

export type Resolution<V> = { readonly variable: V } | "missing" | "ambiguous";

/** The variable that a name means in a module; null asks for its namespace. */
export function resolveExport<M extends object, V extends object>(
  table: ExportTable<M, V>,
  module: M,
  name: string | null,
): Resolution<V> {
  const queue: (readonly [module: M, name: string | null])[] = [[module, name]];
  const search = { queue, asked: new make.Map() as Map<M, Set<string>> };
  if (name !== null) isFirst(search.asked, module, name);
  let found: V | undefined;
  for (let i = 0; i < queue.length; i++) {
    // By index: the iterator of lists may be a guest's.
    const asking = at(queue, i);
    const next = asking[0];
    const wanted = asking[1];
    const variable = wanted === null ? table.namespace(next) : table.own(next, wanted);
    if (variable !== undefined) {
      if (found !== undefined && found !== variable) return "ambiguous";
      found = variable;
      continue;
    }
    lookFurther(table, asking as readonly [M, string], search);
  }
  return found === undefined ? "missing" : { variable: found };
}

interface Search<M> {
  readonly queue: (readonly [module: M, name: string | null])[];
  readonly asked: Map<M, Set<string>>;
}

// Whom to ask next. What was asked already is not queued: modules may pass on each other's exports in thousands of ways.
function lookFurther<M extends object, V extends object>(
  table: ExportTable<M, V>,
  asking: readonly [module: M, name: string],
  { queue, asked }: Search<M>,
): void {
  const module = asking[0];
  const name = asking[1];
  const from = table.reexport(module, name);
  if (from !== undefined) {
    if (from[1] === null || isFirst(asked, from[0], from[1])) append(queue, from);
    return;
  }
  // A default export is never among those of `export *`.
  if (name === "default") return;
  const stars = table.stars(module);
  for (let i = 0; i < stars.length; i++) {
    if (isFirst(asked, at(stars, i), name)) append(queue, [at(stars, i), name] as const);
  }
}

function isFirst<M extends object>(asked: Map<M, Set<string>>, module: M, name: string): boolean {
  let names = mapGet(asked, module) as Set<string> | undefined;
  if (names === undefined) mapSet(asked, module, (names = new make.Set() as Set<string>));
  if (setHas(names, name)) return false;
  setAdd(names, name);
  return true;
}
