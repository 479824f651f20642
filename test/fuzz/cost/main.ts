// Searches for guest programs and values that cost the host most: npm run fuzz:cost -- --minutes 30 --seed 7
import { parseArgs } from "node:util";
import { reportOf } from "./report.ts";
import { bar, isExcess, searchCosts } from "./search.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } },
});
const seed = values.seed === undefined ? Date.now() >>> 0 : Number(values.seed);
console.log(`seed ${seed}`);
const search = await searchCosts({ seed, ms: Number(values.minutes) * 60_000 });
console.log(reportOf(search));
process.exitCode = search.worst.some((find) => isExcess(find, bar)) ? 1 : 0;
