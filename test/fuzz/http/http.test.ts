// A little of the fuzzing of the HTTP API, always the same. More by `npm run fuzz:http`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { round, type Counts } from "./round.ts";
import { World } from "./world.ts";

const rounds = 6;
const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));
process.on("warning", (warning) => strays.push(warning));

test("generated requests break, leak and leave nothing", async () => {
  const counts: Counts = {};
  await using world = await World.open();
  for (let seed = 1; seed <= rounds; seed++) await round(world, seed, counts);
  assert.ok((counts["2xx"] ?? 0) > 100, "many requests are carried out");
  assert.ok((counts["4xx"] ?? 0) > 50, "many are refused");
  assert.deepEqual(strays, []);
});
