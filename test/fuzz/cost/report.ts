// The finds of a search as a table: what each cost the host, for each millisecond of the guest and for each KiB.
import { nameOf } from "./candidates.ts";
import { bar, isExcess, type Find, type Search } from "./search.ts";

const shown = 10;

const fixed = (value: number | undefined, digits: number): string =>
  value === undefined || !Number.isFinite(value) ? "–" : value.toFixed(digits);

function lineOf(find: Find): string {
  const { candidate, longestMs, totalMs, guestMs, bytes, plainMs, end } = find;
  const kib = bytes === undefined ? undefined : bytes / 1_024;
  const cells = [
    fixed(longestMs, 1),
    fixed(totalMs, 1),
    fixed(guestMs > 0 ? totalMs / guestMs : undefined, 2),
    fixed(kib === undefined ? undefined : totalMs / kib, 4),
    fixed(kib, 1),
    fixed(plainMs === undefined ? undefined : totalMs / plainMs, 1),
    isExcess(find, bar) ? "ABOVE" : "within",
    end,
    `${nameOf(candidate)} (n ${candidate.n}, k ${candidate.k})`,
  ];
  return `| ${cells.join(" | ")} |`;
}

export function reportOf({ tried, worst }: Search): string {
  return [
    `${tried} candidates; allowed: ${bar.longestMs} ms of the host's thread at a stretch, or ${bar.plainFactor} × a plain value of the same size`,
    "| longest ms | total ms | per guest ms | per KiB | KiB | × plain | bar | end | what |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...worst.slice(0, shown).map(lineOf),
  ].join("\n");
}
