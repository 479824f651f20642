// The soak in words: one line per sample, and the report of a whole run as Markdown.
import { cpus, release, totalmem } from "node:os";
import type { Figures } from "./figures.ts";
import type { Ruling } from "./verdict.ts";

const rowsMax = 13;
const GiB = 2 ** 30;

interface Column {
  readonly name: string;
  readonly of: keyof Figures;
  readonly digits?: number;
}

const columns: readonly Column[] = [
  { name: "minute", of: "minutes", digits: 1 },
  { name: "host RSS, MiB", of: "hostRssMiB" },
  { name: "host heap, MiB", of: "hostHeapMiB", digits: 1 },
  { name: "descriptors", of: "descriptors" },
  { name: "threads", of: "threads" },
  { name: "cells", of: "cells" },
  { name: "cells RSS, MiB", of: "cellsRssMiB" },
  { name: "db, MiB", of: "databaseMiB", digits: 1 },
  { name: "wal, MiB", of: "walMiB", digits: 1 },
  { name: "used, MiB", of: "usedMiB", digits: 1 },
  { name: "blobs", of: "blobs" },
  { name: "tombstones", of: "tombstones" },
  { name: "journal", of: "journal" },
  { name: "documents", of: "documents" },
  { name: "sandboxes", of: "sandboxes" },
  { name: "operations", of: "operations" },
  { name: "hostile runs", of: "hostileRuns" },
  { name: "failures", of: "faults" },
  { name: "ask p50, ms", of: "askMsMedian", digits: 1 },
  { name: "ask p99, ms", of: "askMs99", digits: 1 },
  { name: "write p50, ms", of: "writeMsMedian", digits: 1 },
  { name: "write p99, ms", of: "writeMs99", digits: 1 },
  { name: "loop delay max, ms", of: "loopDelayMsMax" },
];

/** One line per sample. */
export function lineOf(sample: Figures): string {
  return columns.map((column) => `${column.name.split(",")[0]} ${cellOf(sample, column)}`).join("  ");
}

export interface ReportParts {
  readonly seed: number;
  readonly minutes: number;
  readonly samples: readonly Figures[];
  readonly rulings: readonly Ruling[];
  /** What happened beside that, one sentence each. */
  readonly remarks: readonly string[];
}

export function reportOf({ seed, minutes, samples, rulings, remarks }: ReportParts): string {
  const isGood = rulings.every(({ isKept }) => isKept);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${(totalmem() / GiB).toFixed(0)} GiB, Linux ${release()}, Node ${process.version}`;
  const date = new Date().toISOString().slice(0, 10);
  return [
    "# Soak of a data folder",
    "One runtime with a data folder under a mixed load of honest and hostile guests: creations, calls, batches, evaluations by tests, hot reloads, asks with a checkpoint after every message, suspensions, forks, documents, an evolution with a tracker and retention, and destructions, beside endless loops, full memory, long output, crashes of cells and costly sources. Cells are killed from outside as well.",
    `\`npm run soak:data -- --minutes ${minutes} --seed ${seed} --report docs/soak.md\`, ${date}, ${machine}.`,
    `## Verdict: ${isGood ? "all rules are kept" : "a rule is broken"}`,
    table([
      ["rule", "found", "kept"],
      ...rulings.map(({ rule, found, isKept }) => [rule, found, isKept ? "yes" : "**no**"]),
    ]),
    rulings.some(({ rule }) => rule.includes(": grows by"))
      ? "Growth is the median of the last quarter of the run beside that of its second quarter; the first one is the warm-up."
      : "The run was too short to judge growth.",
    ...remarks,
    "## Over time",
    table([
      columns.map(({ name }) => name),
      ...thinned(samples).map((sample) => columns.map((column) => cellOf(sample, column))),
    ]),
    "Asks are answered after the new state of the process was stored. Heap is measured after a collection. Documents are the rows of all collections, the journal and the tracker included. The loop is that of the host; on a machine that others use as well it waits for a processor, too.",
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

function cellOf(sample: Figures, { of, digits = 0 }: Column): string {
  return sample[of].toFixed(digits);
}

// In the form that the formatter gives it.
function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")));
  const [head = [], ...others] = cells;
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, at) => (row[at] ?? "").padEnd(width)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n");
}

// The first, the last, and some between them.
function thinned(samples: readonly Figures[]): readonly Figures[] {
  if (samples.length <= rowsMax) return samples;
  const step = (samples.length - 1) / (rowsMax - 1);
  return Array.from({ length: rowsMax }, (_, at) => samples[Math.round(at * step)] as Figures);
}
