// Kills for any number of times: npm run kills -- --kills 200 --seed 7
import { parseArgs } from "node:util";
import { Folder } from "../../support/folders.ts";
import { killAgainAndAgain } from "./kills.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string" },
    durability: { type: "string", default: "process" },
  },
});
const seed = values.seed === undefined ? Date.now() % 100_000 : Number(values.seed);
const durability = values.durability === "power" ? "power" : "process";
using folder = new Folder();
console.log(`seed ${seed}, ${values.kills} kills, durability ${durability}`);
const { kills, acknowledged, faults, openMs } = await killAgainAndAgain({
  data: `${folder.path}/run`,
  seed,
  kills: Number(values.kills),
  durability,
  onKill: (count, expected) => {
    if (count % 20 === 0)
      console.log(`${count} kills, ${expected.acknowledged} acknowledged, ${expected.faults.length} faults`);
  },
});
for (const fault of faults.slice(0, 100)) console.log(`FAULT ${fault}`);
const count = (word: string): number => faults.filter((fault) => fault.startsWith(word)).length;
const median = openMs.toSorted((a, b) => a - b)[openMs.length >> 1] ?? 0;
console.log(
  `${kills} kills, ${acknowledged} acknowledged steps: ${count("lost") + count("changed")} lost, ` +
    `${count("doubled")} doubled, ${count("orphan")} orphans, ${faults.length} faults in all; start ${median.toFixed(0)} ms`,
);
process.exitCode = faults.length > 0 ? 1 : 0;
