// Fuzzes everything in turn for any time: npm run fuzz -- --minutes 10 --seed 7 --only "large functions"
import { parseArgs } from "node:util";
import { subjects } from "./subjects.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const seed = values.seed === undefined ? Date.now() >>> 0 : Number(values.seed);
const endMs = performance.now() + Number(values.minutes) * 60_000;
const chosen = Object.entries(subjects).filter(([name]) => name.includes(values.only));
const turnMs = Math.min(20_000, (Number(values.minutes) * 60_000) / chosen.length);
const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));
console.log(`seed ${seed}`);
for (let turn = 0; performance.now() < endMs && strays.length === 0; turn++) {
  for (const [name, subject] of chosen) {
    const own = (seed + turn * 1_000_003) >>> 0;
    const count = await subject({ seed: own, ms: turnMs });
    console.log(
      `${name}: ${count} with seeds from ${own}, host ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`,
    );
  }
}
for (const error of strays) console.error("stray:", error);
process.exitCode = strays.length > 0 ? 1 : 0;
