// Results as text for people and as JSON for programs.
import { cpus, loadavg, totalmem } from "node:os";
import { createRequire } from "node:module";
import type { Result } from "./measure.ts";
import { processKinds, type ProcessorTimes } from "./processor-time.ts";
import { ours } from "./row.ts";
import { ratio } from "./target.ts";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  readonly isolatedVm: string;
  readonly load: number;
}

export function machine(): Machine {
  const { version } = createRequire(import.meta.url)("isolated-vm/package.json") as { version: string };
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    isolatedVm: version,
    load: loadavg()[0] ?? NaN,
  };
}

export function machineLine(of: Machine): string {
  const { cpu, cores, memoryGiB, platform, node, isolatedVm, load } = of;
  return `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, isolated-vm ${isolatedVm}, load ${load.toFixed(1)}`;
}

const nameWidth = 34;
const cellWidth = 12;
/** Less is only what the kernel rounds, and not shown. */
export const shownMsMin = 0.001;

/** One row as a few aligned lines. */
export function rowText({ name, unit, summaries, processorMs, verdicts }: Result): string {
  const head = [
    `${name} [${unit}]`.padEnd(nameWidth),
    ...["p50", "p10", "p90", "p99", "max"].map(right),
  ].join("");
  const lines = Object.entries(summaries).map(([entrant, { p50, p10, p90, p99, max }]) => {
    const figures = [p50, p10, p90, p99, max].map((value) => right(figure(value))).join("");
    const comparison = entrant === ours ? "" : `   ${ours} is ${figure(ratio(summaries, ours, entrant))} ×`;
    return `  ${entrant.padEnd(nameWidth - 2)}${figures}${summaries[ours] === undefined ? "" : comparison}`;
  });
  const targets = verdicts.map(
    ({ level, text, isMet }) => `  ${isMet ? "met   " : "MISSED"} ${level}: ${text}`,
  );
  const times = Object.entries(processorMs).map(([entrant, of]) => processorText(entrant, of));
  return [head, ...lines, ...times, ...targets].join("\n");
}

function processorText(entrant: string, times: ProcessorTimes): string {
  const used = processKinds.filter((kind) => times[kind] >= shownMsMin);
  const parts = used.map((kind) => `${kind} ${duration(times[kind])}`);
  const all = duration(used.reduce((sum, kind) => sum + times[kind], 0));
  return `  processor time per operation, ${entrant}: ${all}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
}

function duration(ms: number): string {
  return ms < 1 ? `${figure(ms * 1_000)} µs` : `${figure(ms)} ms`;
}

/** How many targets were met, by level. */
export function closing(results: readonly Result[]): string {
  const verdicts = results.flatMap((result) => result.verdicts);
  const levels = ["floor", "aim", "stretch"] as const;
  const counts = levels.map((level) => {
    const ofLevel = verdicts.filter((verdict) => verdict.level === level);
    return `${level} ${ofLevel.filter(({ isMet }) => isMet).length} of ${ofLevel.length}`;
  });
  return `${results.length} rows; targets met: ${counts.join(", ")}`;
}

/** A number with as many digits as say something. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1_000) return Math.round(value).toLocaleString("en-US");
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(size >= 1 ? 2 : 3);
}

function right(text: string): string {
  return text.padStart(cellWidth);
}
