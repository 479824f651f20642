// A little of every kind of fuzzing, each run with another seed, which is printed. More by `npm run fuzz`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { subjects } from "./subjects.ts";

const seed = Date.now() >>> 0;
const ms = 1_500;
const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));

for (const [name, subject] of Object.entries(subjects)) {
  test(`fuzzing ${name} crashes, hangs and leaks nothing`, async () => {
    const count = await subject({ seed, ms });
    console.log(`${name}: ${count} with seeds from ${seed}`);
    assert.ok(count > 0);
    assert.deepEqual(strays, []);
  });
}
