// Any number of hostile runs: npm run soak:hostile -- --runs 100000. Ends with 1 when the host grew, a descriptor
// or thread was left, a neighbour was harmed, or more than one program in a thousand came to an end that does not fit it:
// side by side with bombs, the only sandbox inside a cell that grew too large is blamed for it.
import { parseArgs } from "node:util";
import { loopHostile, type LoopFigures } from "./hostile-loop.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    "at-once": { type: "string", default: "8" },
  },
});
const MiB = 2 ** 20;
const growthBytesMax = 100 * MiB;
const runs = Number(values.runs);
const startedMs = performance.now();
const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));

const line = ({ runs: done, rssBytes, descriptors, threads }: LoopFigures): string =>
  `${String(done).padStart(8)} runs  ${(rssBytes / MiB).toFixed(0).padStart(5)} MiB  ${descriptors} descriptors  ${threads} threads  ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`;
const report = await loopHostile({
  runs,
  seed: Number(values.seed),
  atOnce: Number(values["at-once"]),
  onProgress: (figures) => console.log(line(figures)),
});
const { figures, unfitting, neighbourFailures, neighbourCalls, cellsEnded, ends } = report;
// The first quarter fills what is cached: caches, pools, compiled code.
const settled = figures.slice(Math.floor(figures.length / 4));
const [first, last] = [settled[0], settled.at(-1)];
const growthBytes = (last?.rssBytes ?? 0) - (first?.rssBytes ?? 0);
console.log(
  `ends: ${Object.entries(ends)
    .map(([end, count]) => `${end} ${count}`)
    .join(", ")}`,
);
console.log(
  `${cellsEnded} cells ended; the neighbour answered ${neighbourCalls} times, ${neighbourFailures.length} failures`,
);
console.log(`${unfitting.length} ends that do not fit their program`);
console.log(`the host grew by ${(growthBytes / MiB).toFixed(1)} MiB after warming up`);
for (const each of [...unfitting, ...neighbourFailures].slice(0, 20)) console.error(each);
for (const each of strays) console.error("stray:", each);
const isFlat = growthBytes < growthBytesMax && (last?.descriptors ?? 0) <= (first?.descriptors ?? 0) + 16;
const isStable = unfitting.length <= runs / 1_000;
const isGood = isFlat && isStable && neighbourFailures.length + strays.length === 0;
console.log(isGood ? "all well" : "not well");
process.exit(isGood ? 0 : 1);
