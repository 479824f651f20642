// Everything at once, for a short time: calls, reloads, suspensions, limits, restarts, imports and ends from several
// callers, while cells are killed and stopped. `npm run chaos` goes on for longer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runMixed } from "./mixed/run.ts";

const seed = Number(process.env["CHAOS_SEED"] ?? 20_260_101);
const operationsMin = 1_500;

test("sandboxes that are changed concurrently while their cells are killed give right answers, and nothing hangs or is left", async () => {
  const { text, faults } = await runMixed({
    seed,
    callers: 6,
    sandboxes: [12, 24],
    isEnough: (operations) => operations >= operationsMin,
  });
  console.log(text);
  assert.deepEqual(faults, []);
});
