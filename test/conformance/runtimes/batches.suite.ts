// Batches of all kinds, as in every runtime.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { BatchSpec, TestSuite } from "../../../src/index.ts";
import { errorOf } from "../../support/errors.ts";
import { newId, type Tried } from "./subject.ts";

const adding = (n: number): string => `export const f = (x) => x + ${n};`;
const spec = (n: number, id?: string): BatchSpec => ({
  modules: { main: adding(n) },
  ...(id === undefined ? {} : { id }),
});
const tests: TestSuite = {
  tests: [
    { name: "small", call: "main.f", args: [1], expected: 2 },
    { name: "large", call: "main.f", args: [1e6], expected: 1_000_001, points: 3, hidden: true },
  ],
};

export function describeBatches(tried: Tried): void {
  suite("batches", () => {
    test("sandboxes are created, forked, reloaded and destroyed, each with a result of its own", async () => {
      const { batch } = tried.runtime;
      const ids = [newId(), newId()];
      const created = await batch.create([
        spec(1, ids[0]),
        spec(1, ids[1]),
        { modules: { main: "export const f = ;" } },
      ]);
      assert.deepEqual(
        created.map(({ ok, index }) => [ok, index]),
        [
          [true, 0],
          [true, 1],
          [false, 2],
        ],
      );
      const [first, , third] = created;
      assert.ok(first?.ok === true && first.value.id === ids[0]);
      assert.ok(third?.ok === false && third.error.code === "PARSE_FAILED" && third.sandboxId !== "");
      const forks = await batch.fork([
        { parentId: ids[0] ?? "" },
        { parentIds: ids, modules: { main: adding(5) } },
      ]);
      assert.ok(forks.every(({ ok }) => ok));
      const reloads = await batch.hotReload(ids, (_, index) => ({ main: adding(10 * (index + 1)) }));
      assert.deepEqual(
        reloads.map((one) => one.ok && one.value.revision),
        [2, 2],
      );
      const values = (await batch.call<number>(ids, "main.f", { args: [1] })).map(
        (one) => one.ok && one.value,
      );
      assert.deepEqual(values, [11, 21]);
      const gone = await batch.destroy([...ids, "nobody"]);
      assert.deepEqual(
        gone.map((one) => (one.ok ? "gone" : one.error.code)),
        ["gone", "gone", "SANDBOX_NOT_FOUND"],
      );
    });

    test("arguments are the same for all, or made for each, and a mistake in one is its own", async () => {
      const { batch } = tried.runtime;
      await using a = await tried.runtime.create({ modules: { main: adding(1) } });
      await using b = await tried.runtime.create({ modules: { main: adding(2) } });
      const ids = [a.id, "nobody", b.id];
      const asked: (readonly [string, number])[] = [];
      const args = (id: string, index: number): unknown[] => {
        asked.push([id, index]);
        if (index === 1) throw new Error("no arguments");
        return [BigInt(index)];
      };
      const results = await batch.call(ids, "main.f", { args });
      assert.deepEqual(
        asked.filter(([id]) => id !== "nobody"),
        [
          [a.id, 0],
          [b.id, 2],
        ],
      );
      assert.deepEqual(
        results.map(({ index, sandboxId, ok }) => [index, sandboxId, ok]),
        ids.map((id, index) => [index, id, false]),
      );
      const ran = await batch.run(
        [a.id, b.id],
        ({ main }, x: number) => (main as { f: (n: number) => number }).f(x),
        {
          args: [40],
        },
      );
      assert.deepEqual(
        ran.map((one) => one.ok && one.value),
        [41, 42],
      );
    });

    test("sandboxes are made for a batch, and are gone after it", async () => {
      const { batch } = tried.runtime;
      const targets = [spec(1), { modules: { main: "export const f = ;" } }, spec(3, newId())];
      const results = await batch.call<number>(targets, "main.f", { args: (_, index) => [index] });
      assert.deepEqual(
        results.map((one) => (one.ok ? one.value : one.error.kind)),
        [1, "compile", 5],
      );
      assert.ok(results.every(({ kept }) => !kept));
      for (const { sandboxId } of results) assert.equal(await tried.runtime.has(sandboxId), false);
    });

    test("a batch is awaited and iterated, by several, and tells its progress", async () => {
      const { batch } = tried.runtime;
      await using a = await tried.runtime.create({ modules: { main: adding(1) } });
      const running = batch.call<number>([a.id, a.id, a.id], "main.f", { args: [1] });
      assert.equal(running.progress.size, 3);
      const seen: number[] = [];
      for await (const { index } of running) seen.push(index);
      assert.deepEqual(
        seen.toSorted((a, b) => a - b),
        [0, 1, 2],
      );
      assert.deepEqual(running.progress, { done: 3, size: 3 });
      assert.deepEqual(
        (await running).map(({ index }) => index),
        [0, 1, 2],
      );
      assert.deepEqual(await batch.call([], "main.f"), []);
    });

    test("suites score candidates, hidden tests tell nothing but whether they passed", async () => {
      const targets = [
        spec(1),
        spec(2),
        { modules: { main: "export const f = () => { throw new Error('no'); };" } },
      ];
      const results = await tried.runtime.batch.evaluate(targets, tests, { population: newId() });
      assert.deepEqual(
        results.map((one) => (one.ok ? one.score : one.error.kind)),
        [1, 0, "crashed"],
      );
      assert.deepEqual(
        results[0]?.tests.map(({ name, hidden, points }) => [name, hidden, points]),
        [
          ["small", false, 1],
          ["large", true, 3],
        ],
      );
      const [mapped] = await tried.runtime.batch.evaluate([targets[2] ?? ""], tests, {
        onFailure: { score: -1 },
      });
      assert.ok(mapped?.ok === true && mapped.score === -1 && mapped.mapped?.kind === "crashed");
    });

    test("values that JSON cannot say are expected as they are", async () => {
      const main = "export const f = (m) => new Map([...m].map(([k, v]) => [v, k]));";
      const wanted = {
        name: "odd",
        call: "main.f",
        args: [new Map([[1n, NaN]])],
        expected: new Map([[NaN, 1n]]),
      } as const;
      const [result] = await tried.runtime.batch.evaluate([{ modules: { main } }], { tests: [wanted] });
      assert.ok(result?.ok === true && result.score === 1);
    });

    test("scorers and cascades measure, and the best so many are kept", async () => {
      const { runtime } = tried;
      const scorer = {
        questions: [{ call: "main.f", args: [1] }],
        scorer: { modules: { judge: "export const score = ([a]) => a * 100;" }, call: "judge.score" },
      } as const;
      const stages = [
        { name: "sane", fitness: tests, atLeast: 0 },
        { name: "judged", fitness: scorer },
      ];
      const population = [1, 2, 3].map((n) => spec(n, newId()));
      const results = await runtime.batch.evaluate(
        population,
        { stages },
        { keep: 1, repeats: 2, summary: "median" },
      );
      assert.deepEqual(
        results.map((one) => one.ok && [one.score, one.kept, one.noise?.constant]),
        [
          [200, false, true],
          [300, false, true],
          [400, true, true],
        ],
      );
      assert.equal(await runtime.has(population[2]?.id ?? ""), true);
      assert.equal(await runtime.has(population[0]?.id ?? ""), false);
      assert.equal((await runtime.info(population[2]?.id ?? "")).fitness?.score, 400);
    });

    test("a batch that is refused as a whole rejects, awaited or iterated", async () => {
      const { batch } = tried.runtime;
      await errorOf(() => batch.call("none" as never, "main.f"), "INVALID_OPTIONS");
      await errorOf(() => batch.call([], "nothing" as never), "INVALID_OPTIONS");
      const refused = batch.evaluate(["a"], {} as never);
      await errorOf(async () => {
        for await (const _ of refused) assert.fail("there is no result");
      }, "INVALID_OPTIONS");
      await errorOf(() => batch.call(["a"], "main.f", { concurrency: 0 }), "INVALID_OPTIONS");
    });
  });
}
