// Every size and kind of memory from within the limit to far over it: npm run sweep:memory. Ends with 1 when a run did not
// settle in time as ok or memory, a neighbour did not answer, or a cell was lost.
import { parseArgs } from "node:util";
import { memoryKinds, type MemoryKind } from "../support/memory-guests.ts";
import { stepMemory, type MemoryRow } from "./memory-steps.ts";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "8,16,24,32,64,128,256" },
    kinds: { type: "string", default: memoryKinds.join(",") },
    from: { type: "string", default: "0.8" },
    to: { type: "string", default: "3" },
    step: { type: "string", default: "0.05" },
    "timeout-ms": { type: "string", default: "10000" },
  },
});
const [from, to, step] = [Number(values.from), Number(values.to), Number(values.step)];
const count = Math.round((to - from) / step) + 1;
const startedMs = performance.now();

const report = await stepMemory({
  sizesMiB: values.sizes.split(",").map(Number),
  kinds: values.kinds.split(",") as MemoryKind[],
  shares: Array.from({ length: count }, (_, at) => Number((from + at * step).toFixed(3))),
  timeoutMs: Number(values["timeout-ms"]),
  graceMs: 1_000,
  onRow: (row) => console.log(lineOf(row)),
});
console.log("\n   size  kind       ok  memory  refused  other  longest ms");
for (const row of report.rows) console.log(tableLineOf(row));
const runs = report.rows.reduce((sum, row) => sum + row.runs.length, 0);
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
console.log(`${runs} runs in ${seconds} s; the neighbour answered ${report.neighbourCalls} times`);
for (const fault of report.faults) console.error(fault);
console.log(report.faults.length === 0 ? "all well" : `${report.faults.length} faults`);
process.exit(report.faults.length === 0 ? 0 : 1);

// Where the ends change along the way.
function lineOf({ sizeMiB, kind, runs: all }: MemoryRow): string {
  const changes = all.filter(({ end }, at) => end !== all[at - 1]?.end);
  return `${sizeMiB} MiB of ${kind}: ${changes.map(({ share, end }) => `${end} from ${share} ×`).join(", ")}`;
}

function tableLineOf({ sizeMiB, kind, runs: all }: MemoryRow): string {
  const [ok, memory, refused] = ["ok", "memory", "refused"].map(
    (wanted) => all.filter(({ end }) => end === wanted).length,
  ) as [number, number, number];
  const longest = Math.max(...all.map(({ ms }) => ms)).toFixed(0);
  const columns = [ok, memory, refused, all.length - ok - memory - refused, longest];
  const widths = [5, 8, 9, 7, 12];
  const cells = columns.map((column, at) => String(column).padStart(widths[at] as number));
  return `${String(sizeMiB).padStart(3)} MiB  ${kind.padEnd(8)}${cells.join("")}`;
}
