// The orchestrator on simulated time: many runs from seeds, none of which may break a rule, and each of which can be had
// again exactly as it was. More of them: npm run simulate -- --seeds 100000
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runSeeds } from "./crowd.ts";
import { planOf } from "./plan.ts";
import { misfitOf, plants } from "./plants.ts";
import { simulate } from "./simulate.ts";
import type { Finding } from "./worker.ts";

const seeds = 2_000;

suite("a simulated runtime", () => {
  test(`breaks no rule in ${seeds} runs`, async () => {
    const findings: Finding[] = [];
    await runSeeds({ first: 1, seeds, jobs: 1, without: [], ignored: [] }, (finding) => {
      findings.push(finding);
      return findings.length < 10;
    });
    assert.deepEqual(
      findings.map(({ seed, rule, what }) => `seed ${seed}: ${rule}: ${what}`),
      [],
    );
  });

  test("runs the same way each time that it is given the same seed", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const first = await simulate(planOf(seed), { isTraced: true });
      const second = await simulate(planOf(seed), { isTraced: true });
      assert.deepEqual(second, first, `seed ${seed}`);
    }
  });

  test("has a place in the sources for every bug that is planted to try it", () => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    assert.deepEqual(
      plants.flatMap((plant) => misfitOf(plant, root) ?? []),
      [],
    );
  });
});
