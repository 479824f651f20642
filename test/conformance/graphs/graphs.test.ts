// Random module graphs mean in a sandbox what they mean in Node, when they are loaded and after each reload. SEED=N repeats a
// run, GRAPHS=N sets how many graphs are tried.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import { createRuntime, type Runtime, type Sandbox } from "../../../src/index.ts";
import { anyGraph, anyStep, type Step } from "./arbitrary.ts";
import { dependenciesOf, nameOf, sourcesOf, type Graph } from "./graph.ts";
import { NodeReference } from "./node-reference.ts";
import { isLinkable } from "./specification.ts";
import type { Observation, Seen } from "./observation.ts";
import { bump, load, reload, see } from "./sandbox-subject.ts";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const graphs = Number(process.env["GRAPHS"] ?? 60);
const stepsMax = 4;
const timeout = 1_200_000;
// On a slow machine fewer graphs are tried. It also ends the search for a smaller graph that fails.
const interruptAfterTimeLimit = 120_000;
const opened = new AsyncDisposableStack();
let runtime: Runtime;
let node: NodeReference;

before(async () => {
  console.log(`seed ${seed} (SEED=${seed} repeats it), ${graphs} graphs`);
  node = opened.use(new NodeReference());
  runtime = opened.use(await createRuntime({ cells: { count: 1 } }));
});

after(() => opened.disposeAsync());

const textOf = (sources: Readonly<Record<string, string>>): string =>
  Object.entries(sources)
    .map(([name, text]) => `// ${name}\n${text}`)
    .join("\n");

test(
  "a graph is evaluated in Node's order, with Node's values, or fails with Node's error",
  { timeout },
  async () => {
    const tally = { evaluated: 0, failed: 0 };
    const property = fc.asyncProperty(anyGraph({ bumps: true }), async (graph) => {
      const sources = sourcesOf(graph);
      const all = graph.map((_, index) => index);
      const expected = await node.observe(sources, all);
      const observed = await observe(sources, all);
      if (isRefusedByFault(expected, graph)) return assert.ok(!isRefusal(observed), textOf(sources));
      assert.deepEqual(observed, expected, textOf(sources));
      tally[expected.ok ? "evaluated" : "failed"]++;
    });
    await fc.assert(property, { seed, numRuns: graphs, interruptAfterTimeLimit });
    console.log(`${tally.evaluated} evaluated, ${tally.failed} failed alike`);
    assert.ok(tally.evaluated > 0, "some graphs must be evaluated");
  },
);

const isRefusal = (seen: Observation): boolean => !seen.ok && seen.type === "SyntaxError";

// Then Node says nothing about what the graph means.
const isRefusedByFault = (seen: Observation, graph: Graph): boolean => isRefusal(seen) && isLinkable(graph);

async function observe(
  sources: Readonly<Record<string, string>>,
  bumps: readonly number[],
): Promise<Observation> {
  const loaded = await load(runtime, sources);
  if ("failure" in loaded) return loaded.failure;
  await using sandbox = loaded.sandbox;
  for (const index of bumps) await bump(sandbox, index);
  return { ok: true, ...(await see(sandbox, bumps.length)) };
}

// A graph in a sandbox that is reloaded step by step. What its modules see must be what they see in Node when the present graph
// is evaluated afresh and the variables are changed again that were changed since their module was last evaluated.
class Reloaded {
  readonly #sandbox: Sandbox;
  #graph: Graph;
  #bumps: readonly number[] = [];
  #version = 1;

  constructor(sandbox: Sandbox, graph: Graph) {
    this.#sandbox = sandbox;
    this.#graph = graph;
  }

  /** Returns whether the new modules were taken. */
  async take({ bumped, replaced }: Step): Promise<boolean> {
    const count = this.#graph.length;
    for (const index of bumped.map((number) => number % count)) {
      await bump(this.#sandbox, index);
      this.#bumps = [...this.#bumps, index];
    }
    const version = ++this.#version;
    const changes = new Map(replaced.map(([number, spec]) => [number % count, { ...spec, version }]));
    const next = this.#graph.map((spec, index) => changes.get(index) ?? spec);
    const sources = sourcesOf(next);
    const changed = this.#changedBy(sources);
    const before = await see(this.#sandbox, count);
    const failure = await reload(
      this.#sandbox,
      Object.fromEntries(changed.map((index) => [nameOf(index), sources[nameOf(index)] as string])),
    );
    const bumps = this.#bumps.filter((index) => !changed.includes(index));
    const fresh = await node.observe(sources, bumps);
    fc.pre(!isRefusedByFault(fresh, next));
    const explain = `${textOf(sourcesOf(this.#graph))}\n\nthen ${changed.join()}:\n\n${textOf(sources)}`;
    assert.equal(failure === undefined, fresh.ok, `${JSON.stringify(failure ?? fresh)}\n${explain}`);
    const now = await see(this.#sandbox, count);
    if (!fresh.ok) {
      assert.deepEqual(now.peeks, before.peeks, explain);
      return false;
    }
    assert.deepEqual(now.peeks, fresh.peeks, explain);
    checkOrder(next, changed, now.log.slice(before.log.length));
    this.#graph = next;
    this.#bumps = bumps;
    return true;
  }

  // The text of a module may follow what another one exports, so that it changes with that.
  #changedBy(sources: Readonly<Record<string, string>>): readonly number[] {
    const old = sourcesOf(this.#graph);
    return this.#graph
      .map((_, index) => index)
      .filter((index) => old[nameOf(index)] !== sources[nameOf(index)]);
  }
}

// Each changed module is evaluated once, no other is, and each after those that it imports other than through its own cycle.
function checkOrder(graph: Graph, changed: readonly number[], log: Seen["log"]): void {
  const placeOf = (mark: string, index: number): readonly number[] =>
    log.flatMap((entry, place) => (entry.startsWith(`${mark} ${index}.`) ? [place] : []));
  for (const index of graph.keys())
    assert.equal(placeOf("begin", index).length, changed.includes(index) ? 1 : 0, log.join("\n"));
  for (const index of changed)
    for (const other of reachedFrom(graph, index, (through) => !reachedFrom(graph, through).has(index)))
      if (changed.includes(other))
        assert.ok(Number(placeOf("end", other)[0]) < Number(placeOf("begin", index)[0]), log.join("\n"));
}

function reachedFrom(
  graph: Graph,
  start: number,
  isEntered: (index: number) => boolean = () => true,
): ReadonlySet<number> {
  const reached = new Set<number>();
  const queue = [...dependenciesOf(graph, start)];
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    if (reached.has(index) || !isEntered(index)) continue;
    reached.add(index);
    queue.push(...dependenciesOf(graph, index));
  }
  return reached;
}

test(
  "after each reload the modules see what they see in the graph evaluated afresh, or all is as before",
  { timeout },
  async () => {
    const tally = { taken: 0, refused: 0 };
    const steps = fc.array(anyStep, { minLength: 1, maxLength: stepsMax, size: "max" });
    const property = fc.asyncProperty(anyGraph({ bumps: false }), steps, async (graph, all) => {
      const loaded = await load(runtime, sourcesOf(graph));
      fc.pre("sandbox" in loaded);
      await using sandbox = loaded.sandbox;
      const reloaded = new Reloaded(sandbox, graph);
      for (const step of all) tally[(await reloaded.take(step)) ? "taken" : "refused"]++;
    });
    await fc.assert(property, { seed, numRuns: Math.ceil(graphs / 2), interruptAfterTimeLimit });
    console.log(`${tally.taken} reloads, ${tally.refused} refused`);
    assert.ok(tally.taken > 0, "some reloads must be taken");
  },
);
