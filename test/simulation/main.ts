// Simulates the runtime: npm run simulate -- --seeds 100000 --seed 1. A seed alone is replayed, with all that happened.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { runSeeds } from "./crowd.ts";
import { planOf, type OperationName, type Plan } from "./plan.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";
import type { TroubleName } from "./trouble.ts";
import type { Finding } from "./worker.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    seed: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    /** Troubles that are left out, by name. */
    without: { type: "string", default: "" },
    /** Rules that are not looked at. */
    ignore: { type: "string", default: "" },
    /** How many failing seeds are enough. */
    failures: { type: "string", default: "1" },
    lines: { type: "string", default: "60" },
    callers: { type: "string" },
    steps: { type: "string" },
    skipped: { type: "string" },
    troubles: { type: "string" },
    operations: { type: "string" },
    "no-shrink": { type: "boolean", default: false },
    /** Prints the findings as data, and nothing else. */
    json: { type: "boolean", default: false },
  },
});

const listOf = (text: string): string[] => text.split(",").filter((part) => part !== "");
const without = listOf(values.without) as TroubleName[];
const ignored = listOf(values.ignore);
const first = Number(values.seed ?? 1);

if (values.seed !== undefined && values.seeds === undefined) await replay(planFor(first));
else await search(Number(values.seeds ?? 2_000));
process.exit();

/** The plan of a seed, with what the arguments say instead. */
function planFor(seed: number): Plan {
  const plan = planOf(seed, without);
  const { callers, steps, skipped, troubles, operations } = values;
  return {
    ...plan,
    ...(callers === undefined ? {} : { callers: Number(callers) }),
    ...(steps === undefined ? {} : { steps: Number(steps) }),
    ...(skipped === undefined ? {} : { skipped: listOf(skipped) }),
    ...(troubles === undefined ? {} : { troubles: listOf(troubles) as TroubleName[] }),
    ...(operations === undefined ? {} : { operations: listOf(operations) as OperationName[] }),
  };
}

async function search(seeds: number): Promise<void> {
  const startedMs = performance.now();
  const jobs = Number(values.jobs);
  const findings: Finding[] = [];
  const { count, timers } = await runSeeds({ first, seeds, jobs, without, ignored }, (finding) => {
    findings.push(finding);
    return findings.length < Number(values.failures);
  });
  if (values.json) return console.log(JSON.stringify(findings));
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const [rule, found] of Object.entries(Object.groupBy(findings, ({ rule }) => rule))) {
    const [one] = found ?? [];
    const list = found
      ?.map(({ seed }) => seed)
      .slice(0, 12)
      .join(" ");
    console.log(`${rule}: ${found?.length} seeds (${list})\n  ${one?.what.slice(0, 500)}`);
  }
  const speed = `${(count / seconds).toFixed(0)} a second, ${(timers / count).toFixed(0)} timers each`;
  console.log(`${count} seeds from ${first}, ${findings.length} failed, ${seconds.toFixed(1)} s (${speed})`);
  process.exitCode = findings.length > 0 ? 1 : 0;
  const [finding] = findings.toSorted((a, b) => a.seed - b.seed);
  if (finding !== undefined) await replay(planFor(finding.seed));
}

async function replay(plan: Plan): Promise<void> {
  const { violations } = await simulate(plan, { ignored });
  const [violation] = violations;
  if (violation === undefined) return console.log(`seed ${plan.seed}: nothing is wrong`);
  const smallest = values["no-shrink"] ? plan : await shrink(plan, { rule: violation.rule, ignored });
  const result = await simulate(smallest, { isTraced: true, ignored });
  const lines = Number(values.lines);
  if (lines > 0) console.log(result.trace.slice(-lines).join("\n"));
  for (const { rule, what, atMs } of result.violations) console.log(`${atMs}  ${rule}: ${what}`);
  console.log(`again: npm run simulate -- ${flagsOf(smallest)}`);
  process.exitCode = 1;
}

function flagsOf({ seed, callers, steps, troubles, operations, skipped }: Plan): string {
  const lists = `--troubles ${troubles.join(",") || ","} --operations ${operations.join(",")}`;
  const counts = `--seed ${seed} --callers ${callers} --steps ${steps}`;
  return `${counts} ${lists} --skipped ${skipped.join(",") || ","} --no-shrink`;
}
