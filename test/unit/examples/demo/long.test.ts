// The long run: what its rules are told is what came so far and nothing else, and few instances are tried before many.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unwrap } from "vivarium";
import { poison } from "../../../../examples/demo/hostile.ts";
import { packer, terminals, told } from "../../../../examples/demo/long/packer.ts";
import { binPackingLong, toProgram } from "../../../../examples/demo/long/problem.ts";
import { generateSet } from "../../../../examples/demo/packing.ts";
import { seededRandom } from "../../../../examples/demo/random.ts";
import { mutate, toCode, type Tree } from "../../../../examples/demo/tree.ts";
import { startBuiltRuntime } from "./runtime.ts";

const runtime = await startBuiltRuntime(1);
const { instances, capacity } = generateSet("a", { seed: 7, instances: 5, items: 150 });

interface Told {
  readonly item: number;
  readonly room: number;
  readonly rest: number;
  readonly same: number;
  readonly like: number;
  readonly open: number;
  readonly seen: number;
  readonly fits: number;
}

/** Packs as the packer should, with everything computed anew for each bin. */
function packPlainly(items: readonly number[], priority: (told: Told) => number): readonly number[] {
  const rooms: number[] = [];
  return items.map((item, seen) => {
    const before = items.slice(0, seen);
    const smallest = Math.min(...before);
    const countOf = (room: number): number =>
      room === 0 || room === capacity ? 0 : rooms.filter((other) => other === room).length;
    const value = (room: number): number =>
      priority({
        item,
        room,
        rest: room - item,
        same: countOf(room),
        like: countOf(room - item),
        open: rooms.filter((other) => other > 0 && other >= smallest).length,
        seen,
        fits: seen === 0 ? 0 : before.filter((other) => other <= room - item).length / seen,
      });
    const fitting = [...new Set(rooms)].filter((room) => room > 0 && room >= item).toSorted((a, b) => a - b);
    const best = [...fitting, capacity].reduce((one, other) => (value(other) > value(one) ? other : one));
    const bin = best === capacity ? rooms.length : rooms.lastIndexOf(best);
    rooms[bin] = best - item;
    return best;
  });
}

/** The room of the bin into which each item was put. */
function roomsOf(items: readonly number[], places: readonly number[]): readonly number[] {
  const rooms: number[] = [];
  return places.map((bin, index) => {
    const room = rooms[bin] ?? capacity;
    rooms[bin] = room - (items[index] ?? 0);
    return room;
  });
}

async function pack(expression: string, lists: readonly (readonly number[])[]): Promise<number[][]> {
  await using sandbox = await runtime.create({ modules: { packer, candidate: toProgram(expression) } });
  return unwrap(await sandbox.call<number[][]>("packer.pack", { args: [lists, capacity] }));
}

for (const [expression, priority] of [
  ["-room", ({ room }: Told) => -room],
  ["(same - like)", ({ same, like }: Told) => same - like],
  ["((fits * 50) - rest)", ({ fits, rest }: Told) => fits * 50 - rest],
  [
    "((((same * 3) - (like * 2)) - ((rest * open) / (seen + 1))) + ((fits * item) - (room / 10)))",
    ({ same, like, rest, open, seen, fits, item, room }: Told) =>
      same * 3 - like * 2 - (rest * open) / (seen + 1) + (fits * item - room / 10),
  ],
] as const) {
  test(`a rule is told what came so far: ${expression}`, async () => {
    const packings = await pack(expression, instances);
    for (const [index, items] of instances.entries())
      assert.deepEqual(roomsOf(items, packings[index] ?? []), packPlainly(items, priority));
  });
}

test("a rule is told nothing of what is to come: the first items go where they go without the others", async () => {
  const expression = "((same - like) - ((rest * open) / (seen + (fits * item))))";
  const whole = await pack(expression, instances);
  const some = await pack(
    expression,
    instances.map((items) => items.slice(0, 60)),
  );
  assert.deepEqual(
    some,
    whole.map((places) => places.slice(0, 60)),
  );
});

test("a program of the long run says what it uses, in short lines, and can be made hostile", () => {
  const program = toProgram("(same + (like + (open + (seen + (fits + rest)))))");
  for (const name of [...told, "rest"]) assert.ok(program.includes(` * - ${name}: ${terminals[name]}`), name);
  assert.ok(program.split("\n").every((line) => line.length <= 80));
  assert.ok(poison(program, "forever").includes("{\n  while (true) {}\n"));
  assert.doesNotMatch(toProgram("-room"), /Now|rest/);
});

test("what is hopeless or not promising is tried on few instances, and its score is worse than what is", async () => {
  const problem = binPackingLong({ seed: 1, datasets: [] });
  const runsOf = async (expression: string): Promise<readonly [number, number]> => {
    const spec = {
      modules: { packer, candidate: problem.toProgram(expression) },
      limits: problem.limits,
    };
    const [result] = await runtime.batch.evaluate([spec], problem.train, { fuel: problem.trainFuel });
    assert.ok(result?.ok === true);
    return [result.score, result.usage.runs];
  };
  const [bestFit, all] = await runsOf("-room");
  assert.equal(bestFit, problem.known?.["Best Fit"]);
  const [worst, one] = await runsOf("room");
  const individual = { id: "a", tree: { op: "1", args: [] }, code: "1", parentIds: [], generation: 0 };
  problem.expect?.({ number: 0, islands: [[{ ...individual, mutation: "seed", steps: 0, score: 100 }]] });
  const [early, four] = await runsOf("-room");
  assert.deepEqual([all, one, four], [8, 1, 4]);
  assert.ok(worst > bestFit && worst > early);
});

test("tuning changes numbers and nothing else, and draws nothing where there is none", () => {
  const grammar = { variables: ["x"], numbers: [1], operations: [], tuneShare: 1 };
  const tree: Tree = { op: "+", args: ["x", "20", "0.5"].map((op) => ({ op, args: [] })) };
  const random = seededRandom(4);
  const tuned = Array.from({ length: 50 }, () => mutate(tree, grammar, random));
  for (const { op, args } of tuned) {
    assert.deepEqual([op, args[0]?.op, args.length], ["+", "x", 3]);
    for (const { op: number } of args.slice(1)) assert.ok(String(Number(number)) === number, number);
  }
  assert.ok(new Set(tuned.map((one) => toCode(one.args[1] as Tree, grammar))).size > 5);
});
