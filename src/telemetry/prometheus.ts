// The state of a runtime as Prometheus reads it: text, version 0.0.4.
import type { Runtime, RuntimeMetrics } from "../api/runtime.ts";

/** What `contentType` of an answer must be. */
export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [labels: Labels, value: number];

/** All figures of a runtime, as they are now. */
export async function prometheusText(runtime: Pick<Runtime, "metrics" | "health">): Promise<string> {
  const [metrics, health] = await Promise.all([runtime.metrics(), runtime.health()]);
  return [
    ...gauges(metrics, health.status === "ok" ? 1 : 0),
    ...counters(metrics),
    histogram("vivarium_run_duration_seconds", "Time from a run's acceptance to its outcome", metrics),
    "",
  ].join("\n");
}

function gauges(metrics: RuntimeMetrics, isHealthy: number): string[] {
  const { sandboxes, cells, compile } = metrics;
  const perCell = (of: (cell: RuntimeMetrics["cells"][number]) => number): Sample[] =>
    cells.map((cell) => [{ cell: cell.number }, of(cell)] as const);
  return [
    family("vivarium_healthy", "Whether all wanted cells are up", [[{}, isHealthy]]),
    family("vivarium_sandboxes", "Sandboxes by status", byLabel("status", sandboxes)),
    family("vivarium_tombstones", "Destroyed sandboxes that are remembered", [[{}, metrics.tombstones]]),
    family("vivarium_runs_underway", "Runs accepted and not ended", [[{}, metrics.runsUnderway]]),
    family("vivarium_cells", "Cell processes", [[{}, cells.length]]),
    family(
      "vivarium_cell_resident_memory_bytes",
      "Memory of a cell",
      perCell(({ rssBytes }) => rssBytes),
    ),
    family(
      "vivarium_cell_sandboxes",
      "Sandboxes in a cell",
      perCell((cell) => cell.sandboxes),
    ),
    family("vivarium_compile_cache_bytes", "Compiled modules that are kept", [[{}, compile.bytes]]),
  ];
}

function counters(metrics: RuntimeMetrics): string[] {
  const { compile } = metrics;
  const total = (name: string, help: string, value: number): string =>
    family(`vivarium_${name}_total`, help, [[{}, value]]);
  return [
    family("vivarium_runs_total", "Runs ended, by outcome", byLabel("result", metrics.outcomes)),
    family("vivarium_killed_total", "Runs and turns ended by enforcement", byLabel("reason", metrics.killed)),
    family("vivarium_cells_exited_total", "Cells that ended", byLabel("cause", metrics.cellsExited)),
    total("created", "Sandboxes created", metrics.created),
    total("stillborn", "Sandboxes whose code failed at creation", metrics.stillborn),
    total("destroyed", "Sandboxes destroyed", metrics.destroyed),
    total("restarts", "Restarts", metrics.restarts),
    total("rebuilds", "Sandboxes that lost their isolate and stand again", metrics.rebuilds),
    total("cells_started", "Cells started", metrics.cellsStarted),
    total("quarantined", "Sandboxes set apart", metrics.quarantined),
    total("collected", "Sandboxes taken away by the collector", metrics.collected),
    total("compile_hits", "Compilations found in the cache", compile.hits),
    total("compile_misses", "Compilations done", compile.misses),
    total("subscriber_failures", "Subscribers of events that threw", metrics.subscriberFailures),
  ];
}

function histogram(name: string, help: string, { runDurations }: RuntimeMetrics): string {
  const { bounds, counts, sumMs } = runDurations;
  let below = 0;
  const buckets = counts.map((count, index) => {
    below += count;
    const bound = bounds[index];
    return line(`${name}_bucket`, [{ le: bound === undefined ? "+Inf" : bound / 1_000 }, below]);
  });
  const sums = [line(`${name}_sum`, [{}, sumMs / 1_000]), line(`${name}_count`, [{}, below])];
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...buckets, ...sums].join("\n");
}

function byLabel(label: string, values: Readonly<Record<string, number | undefined>>): Sample[] {
  return Object.entries(values).map(([name, value]) => [{ [label]: name }, value ?? 0] as const);
}

function family(name: string, help: string, samples: readonly Sample[]): string {
  const type = name.endsWith("_total") ? "counter" : "gauge";
  const lines = samples.map((sample) => line(name, sample));
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
}

function line(name: string, [labels, value]: Sample): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(String(text))}"`);
  return `${name}${shown.length === 0 ? "" : `{${shown.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
