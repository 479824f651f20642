// All of the lineage at one moment, in arrays of its own: the model may be cleared and filled again while this is still drawn.
import type { Individuals } from "../../model/individuals.ts";

/** Rows are of this scene only; what is kept from one scene to the next is an id. */
export interface Scene {
  readonly size: number;
  readonly ids: readonly string[];
  readonly direction: "maximise" | "minimise";
  /** Of one that was only named as a parent, the one before its first child's. */
  readonly generation: Int32Array;
  /** NaN where it has none. */
  readonly score: Float64Array;
  /** Places in `kinds`. */
  readonly kind: Uint8Array;
  readonly kinds: readonly string[];
  /** Places in `populations`; -1 where it has none. */
  readonly population: Int32Array;
  readonly populations: readonly string[];
  /** Edges in the order of their children: those of a row are from `edgeStart[row]` up to `edgeStart[row + 1]`. */
  readonly edgeStart: Int32Array;
  readonly edgeChild: Int32Array;
  readonly edgeParent: Int32Array;
  /** 1 where child and parent are of different populations. */
  readonly migration: Uint8Array;
  readonly migrations: number;
  /** The children of a row: from `childStart[row]` up to `childStart[row + 1]` of `children`. */
  readonly childStart: Int32Array;
  readonly children: Int32Array;
  /** -1 where nobody has a score. */
  readonly best: number;
  /** From a seed, by first parents, to the best. */
  readonly path: readonly number[];
  readonly generationMax: number;
  /** How many there are in the largest generation. */
  readonly crowd: number;
  readonly components: readonly Readonly<Record<string, number>>[];
  readonly componentNames: readonly string[];
}

/** Kinds of those that have no score and no failure. */
export const notEvaluated = "not evaluated";
export const notKnown = "not known";

export function sceneOf(individuals: Individuals): Scene {
  const { size, populations } = individuals;
  const ids: string[] = [];
  const components: Readonly<Record<string, number>>[] = [];
  const kinds: string[] = [];
  const score = new Float64Array(size);
  const kind = new Uint8Array(size);
  const population = new Int32Array(size);
  for (let row = 0; row < size; row++) {
    ids.push(individuals.id(row));
    components.push(individuals.components(row));
    score[row] = individuals.score(row);
    population[row] = individuals.populationNumber(row);
    const name = kindOf(individuals, row);
    let place = kinds.indexOf(name);
    // There are a dozen of kinds; what a document of others makes up beyond that is one kind.
    if (place < 0) place = kinds.length < 250 ? kinds.push(name) - 1 : 0;
    kind[row] = place;
  }
  const edges = edgesOf(individuals, population);
  const families = childrenOf(edges, size);
  const generation = generationsOf(individuals, families);
  return {
    size,
    ids,
    direction: individuals.direction,
    generation,
    score,
    kind,
    kinds,
    population,
    populations,
    ...edges,
    ...families,
    best: individuals.best,
    path: individuals.best < 0 ? [] : individuals.path(individuals.best),
    ...crowdOf(generation),
    components,
    componentNames: individuals.componentNames,
  };
}

function kindOf(individuals: Individuals, row: number): string {
  if (individuals.state(row) === "awaited") return notKnown;
  const result = individuals.result(row);
  return result === "none" ? notEvaluated : result;
}

function edgesOf(
  individuals: Individuals,
  population: Int32Array,
): Pick<Scene, "edgeStart" | "edgeChild" | "edgeParent" | "migration" | "migrations"> {
  const { size } = individuals;
  const edgeStart = new Int32Array(size + 1);
  for (let row = 0; row < size; row++)
    edgeStart[row + 1] = (edgeStart[row] ?? 0) + individuals.parents(row).length;
  const count = edgeStart[size] ?? 0;
  const edgeChild = new Int32Array(count);
  const edgeParent = new Int32Array(count);
  const migration = new Uint8Array(count);
  let migrations = 0;
  let edge = 0;
  for (let row = 0; row < size; row++)
    for (const parent of individuals.parents(row)) {
      edgeChild[edge] = row;
      edgeParent[edge] = parent;
      const [here = -1, there = -1] = [population[row], population[parent]];
      if (here >= 0 && there >= 0 && here !== there) {
        migration[edge] = 1;
        migrations++;
      }
      edge++;
    }
  return { edgeStart, edgeChild, edgeParent, migration, migrations };
}

function childrenOf(
  { edgeChild, edgeParent }: Pick<Scene, "edgeChild" | "edgeParent">,
  size: number,
): Pick<Scene, "childStart" | "children"> {
  const childStart = new Int32Array(size + 1);
  for (const parent of edgeParent) childStart[parent + 1] = (childStart[parent + 1] ?? 0) + 1;
  for (let row = 0; row < size; row++)
    childStart[row + 1] = (childStart[row + 1] ?? 0) + (childStart[row] ?? 0);
  const next = childStart.slice();
  const children = new Int32Array(edgeParent.length);
  for (let edge = 0; edge < edgeParent.length; edge++) {
    const parent = edgeParent[edge] ?? 0;
    const place = next[parent] ?? 0;
    children[place] = edgeChild[edge] ?? 0;
    next[parent] = place + 1;
  }
  return { childStart, children };
}

function generationsOf(
  individuals: Individuals,
  { childStart, children }: Pick<Scene, "childStart" | "children">,
): Int32Array {
  const { size } = individuals;
  const generation = new Int32Array(size);
  for (let row = 0; row < size; row++) {
    if (individuals.state(row) === "awaited") {
      let first = Infinity;
      for (let place = childStart[row] ?? 0; place < (childStart[row + 1] ?? 0); place++)
        first = Math.min(first, individuals.generation(children[place] ?? 0));
      generation[row] = Number.isFinite(first) ? Math.max(0, first - 1) : 0;
    } else generation[row] = individuals.generation(row);
  }
  return generation;
}

function crowdOf(generation: Int32Array): Pick<Scene, "generationMax" | "crowd"> {
  const counts = new Map<number, number>();
  let generationMax = 0;
  for (const of of generation) {
    counts.set(of, (counts.get(of) ?? 0) + 1);
    generationMax = Math.max(generationMax, of);
  }
  let crowd = 0;
  for (const count of counts.values()) crowd = Math.max(crowd, count);
  return { generationMax, crowd };
}
