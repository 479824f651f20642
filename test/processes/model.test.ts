// Random trees, exits and messages: after each of them the running tree is as in a simple model.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as fc from "fast-check";
import { valueOf } from "../support/outcomes.ts";
import { startRuntime } from "../support/runtimes.ts";
import { ModelTree, leavesOf, type Branch, type Happening, type Plant } from "./supervisor-model.ts";

const runtime = await startRuntime();
const runs = Number(process.env["MODEL_RUNS"] ?? 150);

const main = `
import { ask, cast, children, exit, server, startChild, stopChild, supervisor, whereis } from "vivarium/guest";
let trees = 0;
let begun = {};
const Leaf = server({
  name: "leaf",
  init: (path) => { begun[path] = (begun[path] ?? 0) + 1; return 0; },
  handleCall(message, state) {
    if (message === "error") throw new Error("error");
    return message === "message" ? { reply: null, state: state + 1 } : { reply: state, state, stop: message };
  },
});
function define(plant, path) {
  if (plant.kind === "leaf") return Leaf;
  const { strategy, restartsMax } = plant;
  const specs = plant.children.map((child, at) => spec(child, path + "." + at));
  return supervisor({ name: trees + " " + path, strategy, restartsMax, windowMs: 3_600_000, children: specs });
}
const spec = (plant, path) => ({ id: path, start: define(plant, path), args: path, restart: plant.restart });
// A supervisor answers when it has done with all that came before; from the bottom up, as that is how ends travel.
async function settle(path) {
  for (let at = path; at.includes("."); ) {
    at = at.slice(0, at.lastIndexOf("."));
    const pid = whereis(at);
    if (pid !== null) await children(pid).catch(() => {});
  }
  await children("lab");
}
async function happen(path, what) {
  const pid = whereis(path);
  if (pid === null) return;
  if (what === "killed") exit(pid, "kill");
  else await ask(pid, what).catch(() => {});
  await settle(path);
}
export async function grow(plant, happenings, leaves) {
  trees++;
  begun = {};
  const tree = { ...spec(plant, "t"), restart: "temporary" };
  await startChild("lab", tree);
  const snapshots = [];
  for (const { leaf, what } of happenings) {
    await happen(leaves[leaf % leaves.length], what);
    snapshots.push(await Promise.all(leaves.map((path) => whereis(path) === null ? null : ask(path, undefined))));
  }
  const isAlive = whereis("t") !== null;
  if (isAlive) await stopChild("lab", "t");
  return { snapshots, begun, isAlive, left: leaves.filter((path) => whereis(path) !== null) };
}
export default supervisor({ name: "root", children: [{ id: "lab", start: supervisor({ name: "lab", children: [] }) }] });`;

const restart = fc.constantFrom(
  "permanent" as const,
  "permanent" as const,
  "transient" as const,
  "temporary" as const,
);
const leaf: fc.Arbitrary<Plant> = fc.record({ kind: fc.constant("leaf" as const), restart });
const branchOf = (child: fc.Arbitrary<Plant>): fc.Arbitrary<Branch> =>
  fc.record({
    kind: fc.constant("branch" as const),
    restart,
    strategy: fc.constantFrom("one-for-one" as const, "one-for-all" as const, "rest-for-one" as const),
    restartsMax: fc.integer({ min: 0, max: 3 }),
    children: fc.array(child, { minLength: 1, maxLength: 4 }),
  });
const trees = branchOf(fc.oneof(leaf, leaf, branchOf(fc.oneof(leaf, leaf, branchOf(leaf)))));
const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.record({
    leaf: fc.nat({ max: 100 }),
    what: fc.constantFrom("message", "message", "error", "error", "normal", "shutdown", "killed"),
  }),
  { minLength: 1, maxLength: 20 },
);

suite("supervisors against a model", () => {
  test(`${runs} random trees do what the model does`, async () => {
    await using sandbox = await runtime.create({
      modules: { main },
      supervisor: "main",
      limits: { processes: 500 },
    });
    const seen = { restarts: 0, givenUp: 0 };
    await fc.assert(
      fc.asyncProperty(trees, happenings, async (plant, events) => {
        const leaves = leavesOf(plant);
        const model = new ModelTree(plant);
        const expected = events.map(({ leaf: number, what }) => {
          const path = leaves[number % leaves.length] as string;
          if (what === "message") model.message(path);
          else model.end(path, what);
          return model.snapshot(leaves);
        });
        const grown = valueOf(await sandbox.call("main.grow", { args: [plant, events, leaves] }));
        const begun = Object.fromEntries(model.begun);
        assert.deepEqual(grown, { snapshots: expected, begun, isAlive: model.isAlive, left: [] });
        seen.restarts += [...model.begun.values()].reduce((sum, times) => sum + times - 1, 0);
        if (!model.isAlive) seen.givenUp++;
      }),
      { numRuns: runs, seed: 20_260_101 },
    );
    // The cases must be worth something.
    assert.ok(seen.restarts > runs && seen.givenUp > runs / 10, JSON.stringify(seen));
    assert.equal((await sandbox.usage()).processes, 2);
  });
});
