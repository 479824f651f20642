// Checks before any code is sent that every name which a module imports or re-exports exists, and is one variable.
import { resolveExport, type ExportTable } from "../../model/code/resolve-export.ts";
import type { Artifact } from "./artifact.ts";
import type { ModuleGraph } from "./module-graph.ts";

/** An import whose name means nothing, or more than one variable. */
export interface UnboundImport {
  readonly importer: string;
  readonly specifier: string;
  readonly name: string;
  readonly why: "missing" | "ambiguous";
  /** The names that the other module exports. */
  readonly exports: readonly string[];
}

type Modules = ReadonlyMap<string, Pick<Artifact, "linkage">>;

interface Surface {
  readonly own: ReadonlyMap<string, object>;
  readonly reexports: ReadonlyMap<string, readonly [specifier: string, name: string | null]>;
  readonly stars: readonly string[];
  readonly name: string;
  readonly namespace: object;
}

/**
 * Modules that are asked for a name, in all. A name may lead through every `export *` of every module: sources of 100 KB can
 * have a billion such steps.
 */
const stepsMax = 100_000;

/**
 * The imports that cannot be bound, at most `countMax` of them. Names of the runtime's own modules are not checked here, nor
 * those that are left when the work has become too much for the host's thread: the isolate checks every name when it loads.
 */
export function unboundImports(modules: Modules, graph: ModuleGraph, countMax: number): UnboundImport[] {
  const surfaces = new Map([...modules].map(([name, { linkage }]) => [name, surfaceOf(name, linkage)]));
  const table = tableOf(surfaces, graph);
  const unbound: UnboundImport[] = [];
  for (const [importer, { linkage }] of modules) {
    for (const { specifier, name } of [...linkage.imports, ...linkage.reexports]) {
      const target = surfaces.get(graph.targetOf(importer, specifier) ?? "");
      if (target === undefined || name === null) continue;
      if (table.steps > stepsMax) return unbound;
      const why = resolveExport(table, target, name);
      if (typeof why === "object") continue;
      unbound.push({ importer, specifier, name, why, exports: namesOf(table, target, surfaces) });
      if (unbound.length >= countMax) return unbound;
    }
  }
  return unbound;
}

function surfaceOf(name: string, { locals, reexports, stars }: Artifact["linkage"]): Surface {
  return {
    name,
    own: new Map(
      locals.flatMap((names) => {
        const variable = {};
        return names.map((exported) => [exported, variable] as const);
      }),
    ),
    reexports: new Map(reexports.map((entry) => [entry.exported, [entry.specifier, entry.name]])),
    stars,
    namespace: {},
  };
}

// Whatever a module of the runtime is asked for is taken to exist.
const runtimeSurface: Surface = {
  name: "",
  own: new Map(),
  reexports: new Map(),
  stars: [],
  namespace: {},
};

/** Counts how often a module is asked for a name. */
interface CountingTable extends ExportTable<Surface, object> {
  steps: number;
}

function tableOf(surfaces: ReadonlyMap<string, Surface>, graph: ModuleGraph): CountingTable {
  const starsOf = new Map<Surface, readonly Surface[]>();
  const find = (importer: Surface, specifier: string): Surface =>
    surfaces.get(graph.targetOf(importer.name, specifier) ?? "") ?? runtimeSurface;
  const table: CountingTable = {
    steps: 0,
    own: (module, name) => {
      table.steps++;
      return module.own.get(name) ?? (module === runtimeSurface ? module.namespace : undefined);
    },
    reexport: (module, name) => {
      const from = module.reexports.get(name);
      return from === undefined ? undefined : [find(module, from[0]), from[1]];
    },
    stars: (module) => {
      const stars =
        starsOf.get(module) ??
        module.stars.map((from) => find(module, from)).filter((from) => from !== runtimeSurface);
      starsOf.set(module, stars);
      table.steps += stars.length;
      return stars;
    },
    namespace: ({ namespace }) => namespace,
  };
  return table;
}

// The names that can be imported from a module; where that takes too long, also those that are ambiguous.
function namesOf(table: CountingTable, module: Surface, surfaces: ReadonlyMap<string, Surface>): string[] {
  const names = new Set<string>();
  const queue = new Set([module]);
  for (const next of queue) {
    for (const name of [...next.own.keys(), ...next.reexports.keys()])
      if (next === module || name !== "default") names.add(name);
    for (const star of table.stars(next)) if (queue.size <= surfaces.size) queue.add(star);
  }
  const isBound = (name: string): boolean =>
    table.steps > stepsMax || typeof resolveExport(table, module, name) === "object";
  return [...names].filter(isBound).toSorted();
}
