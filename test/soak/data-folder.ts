// A soak of a runtime with a data folder: npm run soak:data -- --minutes 60 [--seed N] [--data DIR] [--report FILE]. Ends with 1
// when something grew, failed or was lost.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Folder } from "../support/folders.ts";
import { lineOf, reportOf } from "./data-folder/report.ts";
import { soak } from "./data-folder/run.ts";
import { judge } from "./data-folder/verdict.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string" },
    data: { type: "string" },
    report: { type: "string" },
  },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? Date.now() % 100_000 : Number(values.seed);
/** From here on a run is long enough for everything that is bounded to have reached its bound. */
const longMinutes = 4;
const strays: string[] = [];
process.on("unhandledRejection", (error) => strays.push(`stray: ${String(error)}`));
process.on("uncaughtException", (error) => strays.push(`stray: ${String(error)}`));

using folder = new Folder();
const data = values.data ?? folder.at("run");
if (existsSync(data) && readdirSync(data).length > 0)
  throw new Error(`Cannot soak in ${data} as it must be a new or an empty folder: got one with files`);
console.log(`seed ${seed}, ${minutes} minutes`);
const end = await soak({
  data,
  seed,
  durationMs: minutes * 60_000,
  sampleMs: minutes >= 20 ? 60_000 : 10_000,
  onSample: (sample) => console.log(lineOf(sample)),
  onFault: (text) => console.log(`FAULT ${text}`),
});
const rulings = judge({ ...end, faults: [...end.faults, ...strays] }, { isShort: minutes < longMinutes });
const { operations, hostileRuns, lost, cellsEnded, openMs, samples } = end;
const remarks = [
  `${operations} honest operations and ${hostileRuns} hostile runs; ${cellsEnded} cells ended, which cost ${lost} honest operations that were not repeatable. The folder was opened again in ${openMs.toFixed(0)} ms.`,
];
const report = reportOf({ seed, minutes, samples, rulings, remarks });
console.log(`\n${report}`);
for (const text of [...strays, ...end.losses, ...end.problems].slice(0, 50)) console.log(`FAULT ${text}`);
for (const text of end.unfitting.slice(0, 20)) console.log(`UNFITTING ${text}`);
if (values.report !== undefined) writeFileSync(values.report, report);
process.exitCode = rulings.every(({ isKept }) => isKept) ? 0 : 1;
