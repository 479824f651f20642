// Lineage against a plain model: whatever is born, dies and is forgotten, ancestry is told as it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Tracker } from "../../../src/evolution/index.ts";
import { mistakeOf } from "../../support/errors.ts";
import { turnsDuring } from "../../support/waiting.ts";

const family = (births: Readonly<Record<string, readonly string[]>>, options = {}): Tracker => {
  const tracker = new Tracker(options);
  for (const [id, parentIds] of Object.entries(births)) tracker.lineage.born({ id, parentIds });
  return tracker;
};

test("Lineage tells parents, depth and generation, with several parents", () => {
  const { lineage } = family({ a: [], b: ["a"], c: ["b"], d: ["c", "a"] });
  assert.deepEqual(lineage.origin("d"), {
    id: "d",
    parentIds: ["c", "a"],
    generation: 3,
    depth: 3,
    mutation: null,
    living: true,
    awaited: false,
  });
  assert.deepEqual(lineage.ancestors("d"), ["c", "a", "b"]);
  assert.deepEqual([...lineage.descendants("a")].sort(), ["b", "c", "d"]);
  assert.deepEqual(
    lineage.pathToSeed("d").map(({ id }) => id),
    ["d", "c", "b", "a"],
  );
  assert.deepEqual(lineage.commonAncestors("b", "d"), ["b", "a"]);
});

test("Lineage survives the death of individuals, with mutation records that are short", () => {
  const { lineage } = family({ a: [] }, { mutationBytesMax: 20 });
  lineage.born({ id: "b", parentIds: ["a"], mutation: { kind: "swap" } });
  lineage.born({ id: "c", parentIds: ["b"], mutation: "x".repeat(100) });
  for (const id of ["a", "b", "c"]) lineage.died(id);
  assert.deepEqual(lineage.ancestors("c"), ["b", "a"]);
  assert.deepEqual(
    lineage.pathToSeed("c").map(({ mutation, living }) => [mutation, living]),
    [
      [null, false],
      [{ kind: "swap" }, false],
      [null, false],
    ],
  );
});

test("Lineage remembers a parent whose birth was never told, and takes the birth when it comes", () => {
  const { lineage } = family({ b: ["a"] });
  assert.equal(lineage.origin("a").awaited, true);
  lineage.born({ id: "a", parentIds: ["seed"] });
  assert.deepEqual(lineage.ancestors("b"), ["a", "seed"]);
});

test("Lineage lets nobody be its own ancestor", async () => {
  const { lineage } = family({ b: ["a"], c: ["b"] });
  await mistakeOf(() => lineage.born({ id: "a", parentIds: ["c"] }), "INVALID_OPTIONS");
  await mistakeOf(() => lineage.born({ id: "x", parentIds: ["x"] }), "INVALID_OPTIONS");
  await mistakeOf(() => lineage.born({ id: "c" }), "INVALID_OPTIONS");
  assert.deepEqual(lineage.ancestors("a"), []);
});

test("Lineage tells a new life from an old one of the same id", () => {
  const { lineage } = family({ a: [], b: ["a"] });
  lineage.died("b");
  lineage.born({ id: "b", parentIds: ["b"] });
  assert.deepEqual(lineage.ancestors("b"), ["b", "a"]);
  assert.equal(lineage.descendants("a").length, 2);
});

test("Lineage shows what changed along the path, where sources are still known", async () => {
  const { lineage } = family({ a: [], b: ["a"], c: ["b"], d: ["c"] });
  const sources: Readonly<Record<string, string>> = { a: "one\n", b: "two\n", d: "three\n" };
  const steps = await lineage.diffsAlongPath("d", (id) => sources[id]);
  assert.deepEqual(
    steps.map(({ from, to, diff }) => [from, to, diff === null]),
    [
      ["a", "b", false],
      ["b", "c", true],
      ["c", "d", true],
    ],
  );
  assert.match(steps[0]?.diff ?? "", /-one\n\+two/);
});

test("Lineage makes diffs of long sources while other work goes on", async () => {
  const { lineage } = family({ a: [], b: ["a"], c: ["b"] });
  const sourceOf = (id: string): string =>
    Array.from({ length: 6_000 }, (_, n) => `line ${n} of ${id}\n`).join("");
  const { value: steps, turns } = await turnsDuring(() => lineage.diffsAlongPath("c", sourceOf));
  assert.deepEqual(
    steps.map(({ to, diff }) => [to, diff?.match(/^[+-]line/gm)?.length]),
    [
      ["b", 12_000],
      ["c", 12_000],
    ],
  );
  assert.ok(turns >= 2, `the event loop had ${turns} turns`);
});

test("Lineage agrees with a model of sets, whatever is born of whom", () => {
  const births = fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(births, fc.nat(), (choices, pick) => {
      const { lineage } = new Tracker();
      const ancestors: Set<string>[] = [];
      const depths: number[] = [];
      for (const [index, choice] of choices.entries()) {
        const parents = index === 0 ? [] : [...new Set(choice.map((number) => number % index))];
        lineage.born({ id: `${index}`, parentIds: parents.map(String) });
        ancestors.push(new Set(parents.flatMap((parent) => [`${parent}`, ...(ancestors[parent] ?? [])])));
        depths.push(Math.max(0, ...parents.map((parent) => (depths[parent] ?? 0) + 1)));
      }
      const chosen = pick % choices.length;
      const id = `${chosen}`;
      assert.deepEqual(new Set(lineage.ancestors(id)), ancestors[chosen]);
      const below = ancestors.flatMap((above, index) => (above.has(id) ? [`${index}`] : []));
      assert.deepEqual(new Set(lineage.descendants(id)), new Set(below));
      assert.equal(lineage.origin(id).depth, depths[chosen]);
      const path = lineage.pathToSeed(id);
      assert.deepEqual(path.at(-1)?.parentIds, []);
      for (const [index, step] of path.entries())
        if (index > 0) assert.equal(path[index - 1]?.parentIds[0], step.id);
    }),
  );
});

test("Lineage forgets the oldest dead at its bound, keeps all living, and what it still tells is true", () => {
  const tracker = new Tracker({ individualsMax: 50 });
  const { lineage } = tracker;
  lineage.born({ id: "elder" });
  for (let number = 0; number < 500; number++) {
    lineage.born({ id: `n${number}`, parentIds: number === 0 ? ["elder"] : [`n${number - 1}`] });
    if (number >= 5) lineage.died(`n${number - 5}`);
    assert.ok(tracker.size().individuals <= 50);
  }
  assert.deepEqual(tracker.size().living, 6);
  assert.equal(tracker.size().individuals + tracker.size().forgotten, 501);
  assert.equal(lineage.origin("elder").living, true);
  const path = lineage.pathToSeed("n499");
  assert.ok(path.length >= 40);
  for (const [index, { id, depth }] of path.entries())
    assert.deepEqual([id, depth], [`n${499 - index}`, 500 - index]);
});

test("Lineage refuses to forget the living", async () => {
  const tracker = new Tracker({ individualsMax: 10 });
  for (let number = 0; number < 10; number++) tracker.lineage.born({ id: `${number}` });
  await mistakeOf(() => tracker.lineage.born({ id: "one too many" }), "INVALID_OPTIONS");
  tracker.lineage.died("3");
  tracker.lineage.born({ id: "in its place" });
  assert.equal(tracker.size().living, 10);
});

test("who has no place as all are living is refused fast, however many there are", () => {
  const individualsMax = 50_000;
  const { lineage, table } = new Tracker({ individualsMax });
  const cpuMs = (act: () => void): number => {
    const before = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const fillMs = cpuMs(() => {
    for (let index = 0; index < individualsMax; index++) lineage.born({ id: `i${index}` });
  });
  const refuseMs = cpuMs(() => {
    for (let index = 0; index < 5_000; index++)
      assert.throws(() => lineage.born({ id: `more${index}` }), { code: "INVALID_OPTIONS" });
  });
  assert.equal(table.size, individualsMax);
  assert.ok(refuseMs < 3 * fillMs, `${refuseMs} ms of ${fillMs}`);
  lineage.died("i7");
  lineage.born({ id: "another" });
  assert.equal(table.size, individualsMax);
});
