// Mixed chaos for any time: npm run chaos -- --minutes 5 --seed 7
import { parseArgs } from "node:util";
import { runMixed } from "./run.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } },
});
const seed = values.seed === undefined ? Date.now() >>> 0 : Number(values.seed);
const strays: unknown[] = [];
process.on("unhandledRejection", (error) => strays.push(error));
process.on("uncaughtException", (error) => strays.push(error));
console.log(`seed ${seed}, ${values.minutes} minutes`);
const endMs = performance.now() + Number(values.minutes) * 60_000;
const { text, faults, hangs } = await runMixed({
  seed,
  callers: 8,
  sandboxes: [30, 60],
  isEnough: () => performance.now() > endMs,
});
console.log(text);
const told = [...faults, ...strays.map((error) => `stray: ${String(error)}`)];
for (const fault of told.slice(0, 100)) console.log(`FAULT ${fault}`);
console.log(`${told.length} faults, ${hangs} of them hangs`);
process.exit(told.length > 0 ? 1 : 0);
