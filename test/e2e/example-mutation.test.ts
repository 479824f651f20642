// The mutation operators of the examples: children differ, parse, nearly all load and run, and a seed gives the same ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cross, mutate, type Child } from "../../examples/mutation/mutation.ts";
import { createRuntime } from "../../src/index.ts";
import { seededRandom } from "../../src/std/random.ts";

const numeric = `export function f(x: number): number {
  const a = x * x + 3;
  let sum = 0;
  for (let i = 0; i < 5; i++) sum += a / (i + 1);
  return sum > 10 ? sum - 1 : Math.sqrt(sum);
}`;
const general = `const limit = 10;
export function f(x: number): number {
  const words = ["one", "two", "three"];
  let count = 0;
  for (const word of words) {
    if (word.length > 3 && count < limit) count += word.length;
    else count += x;
    count = count % 7;
  }
  return count;
}`;

function litter(parent: string, size: number, isNumeric: boolean): readonly Child[] {
  const random = seededRandom(11);
  return Array.from({ length: size }, () => mutate(parent, { random, isNumeric })).filter(
    (child) => child !== undefined,
  );
}

for (const [what, parent, isNumeric] of [
  ["a numeric program", numeric, true],
  ["a general program", general, false],
] as const) {
  test(`mutate() makes many different children of ${what}, and nearly all load and answer a number`, async () => {
    const children = litter(parent, 120, isNumeric);
    assert.ok(children.length >= 118, `only ${children.length} of 120 could be made`);
    assert.ok(new Set(children.map(({ source }) => source)).size >= 40);
    for (const { source } of children) assert.notEqual(source, parent);
    await using runtime = await createRuntime({
      limits: { memoryBytes: 16 * 2 ** 20, fuel: 10_000, timeoutMs: 5_000 },
    });
    const created = await runtime.batch.create(children.map(({ source }) => ({ modules: { main: source } })));
    const alive = created.filter(({ ok }) => ok).map(({ sandboxId }) => sandboxId);
    const outcomes = await runtime.batch.call(alive, "main.f", { args: [3] });
    const answered = outcomes.filter((outcome) => outcome.ok && typeof outcome.value === "number");
    assert.ok(answered.length >= children.length * 0.9, `${answered.length} of ${children.length} answered`);
  });
}

test("cross() puts an expression of the father into the mother, where its names are known", () => {
  const random = seededRandom(5);
  const father = "export const f = (x: number) => Math.abs(x - 40) * 2;";
  const children = Array.from({ length: 60 }, () => cross(numeric, father, { random, isNumeric: true }));
  const made = children.filter((child) => child !== undefined);
  assert.ok(made.length >= 55);
  assert.ok(made.some(({ source }) => source.includes("Math.abs(x - 40)")));
  assert.ok(made.every(({ mutation }) => mutation.kind === "cross"));
});

test("the same seed gives the same children", () => {
  assert.deepEqual(litter(general, 20, false), litter(general, 20, false));
});

test("mutate() gives nothing for what is no program, and never more than lengthMax", () => {
  const random = seededRandom(1);
  assert.equal(mutate("export const (", { random }), undefined);
  for (let time = 0; time < 50; time++) {
    const child = mutate(numeric, { random, lengthMax: numeric.length });
    assert.ok(child === undefined || child.source.length <= numeric.length);
  }
});
