// Fuzzes the HTTP API for any time: npm run fuzz:http -- --minutes 10 --seed 7
import { parseArgs } from "node:util";
import { round, type Counts } from "./round.ts";
import { World } from "./world.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } },
});
const seed = values.seed === undefined ? Date.now() >>> 0 : Number(values.seed);
const endMs = performance.now() + Number(values.minutes) * 60_000;
const tellMs = 10_000;
const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));
// One listener too many of a signal is one that nobody took away.
process.on("warning", (warning) => strays.push(warning));
console.log(`seed ${seed}`);

const counts: Counts = {};
let rounds = 0;
const tell = (): void => {
  const answers = Object.entries(counts).sort(([one], [other]) => one.localeCompare(other));
  const told = answers.map(([name, count]) => `${name} ${count}`).join(", ");
  const host = (process.memoryUsage.rss() / 2 ** 20).toFixed(0);
  console.log(`${rounds} rounds: ${told}; host ${host} MiB`);
};

await using world = await World.open();
let toldMs = performance.now();
try {
  for (; performance.now() < endMs && strays.length === 0; rounds++) {
    await round(world, (seed + rounds) >>> 0, counts);
    if (performance.now() - toldMs < tellMs) continue;
    toldMs = performance.now();
    tell();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
tell();
for (const error of strays) console.error(`stray, with seed ${seed + rounds - 1}:`, error);
if (strays.length > 0) process.exitCode = 1;
