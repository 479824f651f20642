// The figures of the load as text for people.
import type { Measured, Series } from "./measure.ts";
import { countOf, growthOf, verdictsOf } from "./verdict.ts";

const nameWidth = 34;
const cellWidth = 12;

export function tableOf(of: Measured): string {
  const { settings, vivarium, echo, streams, calm, annoyed, nuisance, single, memory } = of;
  const { concurrency, streams: streamCount, slowReaders, halfOpen } = settings;
  const overheadMs = single.http.p50 - single.local.p50;
  const growth = (["rssBytes", "heapBytes", "cellBytes"] as const).map((what) => {
    const { first, last } = growthOf(memory, what);
    return line(memoryNames[what], [mebibytes(first), mebibytes(last)]);
  });
  return [
    line(`${concurrency} requests at a time`, ["requests", "per s", "p50 ms", "p99 ms", "errors"]),
    seriesLine(`  vivarium, ${streamCount} event streams`, vivarium),
    seriesLine("  bare hono, echo", echo),
    "",
    line(`${streamCount} event streams`, ["events", "received", "wrong", "p50 ms", "p99 ms", "broken"]),
    line("  vivarium", [
      String(streams.published),
      String(streams.received),
      String(streams.wrong),
      figure(streams.latencyMs.p50),
      figure(streams.latencyMs.p99),
      String(streams.broken),
    ]),
    "",
    line("memory, MiB", ["first third", "last third"]),
    ...growth,
    "",
    line("100 requests at a time", ["requests", "per s", "p50 ms", "p99 ms", "errors"]),
    seriesLine("  alone", calm),
    seriesLine(`  ${slowReaders} slow readers, ${halfOpen} half-open`, annoyed),
    `  the server ended ${nuisance.ended} of their ${nuisance.connections} connections`,
    "",
    line("one request at a time, ms", ["p50", "p99"]),
    line("  local API", [figure(single.local.p50), figure(single.local.p99)]),
    line("  HTTP", [figure(single.http.p50), figure(single.http.p99)]),
    line("  bare hono, echo", [figure(single.echo.p50), figure(single.echo.p99)]),
    `  HTTP costs ${figure(overheadMs)} ms per call: ${figure(single.http.p50 / single.local.p50)} × the local API, ${figure(single.http.p50 / single.echo.p50)} × bare hono`,
    "",
    ...verdictsOf(of).map(({ text, isMet }) => `  ${isMet ? "met   " : "MISSED"} ${text}`),
    ...errorLines(of),
  ].join("\n");
}

const memoryNames = {
  rssBytes: "  server, resident memory",
  heapBytes: "  server, heap after a collection",
  cellBytes: "  cells, resident memory",
};

function seriesLine(name: string, { requests, perSecond, p50Ms, p99Ms, errors }: Series): string {
  return line(name, [
    String(requests),
    String(Math.round(perSecond)),
    figure(p50Ms),
    figure(p99Ms),
    String(countOf(errors)),
  ]);
}

function errorLines({ vivarium, echo, calm, annoyed, streams }: Measured): readonly string[] {
  return Object.entries({
    vivarium,
    "bare hono": echo,
    alone: calm,
    "beside bad clients": annoyed,
    streams,
  }).flatMap(([name, { errors }]) =>
    Object.entries(errors).map(([kind, count]) => `  ${name}: ${count} × ${kind}`),
  );
}

function line(name: string, cells: readonly string[]): string {
  return `${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(cellWidth)).join("")}`;
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
