// The state of a runtime as Prometheus reads it: text, version 0.0.4.
import type { Runtime, RuntimeMetrics } from "../api/types/runtime.ts";
import type { Histogram } from "../observability/score-histogram.ts";

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
    ...histograms(metrics),
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
    family("vivarium_evaluations_total", "Evaluations ended, by population", evaluations(metrics)),
    total("created", "Sandboxes created", metrics.created),
    total("load_errors", "Sandboxes whose code failed at creation", metrics.loadErrors),
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

function histograms({ runDurations, fitness }: RuntimeMetrics): string[] {
  const { bounds, counts, sumMs } = runDurations;
  const seconds = { bounds: bounds.map((bound) => bound / 1_000), counts, sum: sumMs / 1_000 };
  const scores = Object.entries(fitness).map(([population, { scores }]) => [{ population }, scores] as const);
  return [
    histogram("vivarium_run_duration_seconds", "Time from a run's acceptance to its outcome", [
      [{}, seconds],
    ]),
    histogram("vivarium_fitness", "Scores that were reached, by population", scores),
  ];
}

type Distribution = readonly [labels: Labels, values: Histogram & { readonly sum: number }];

function histogram(name: string, help: string, distributions: readonly Distribution[]): string {
  const lines = distributions.flatMap(([labels, { bounds, counts, sum }]) => {
    let below = 0;
    const buckets = counts.map((count, index) => {
      below += count;
      return line(`${name}_bucket`, [{ ...labels, le: bounds[index] ?? "+Inf" }, below]);
    });
    return [...buckets, line(`${name}_sum`, [labels, sum]), line(`${name}_count`, [labels, below])];
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines].join("\n");
}

function evaluations({ fitness }: RuntimeMetrics): Sample[] {
  return Object.entries(fitness).flatMap(([population, { results }]) =>
    Object.entries(results).map(([result, count]) => [{ population, result }, count] as const),
  );
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
