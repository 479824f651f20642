// Metrics in the text format that Prometheus reads.

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly samples: readonly { readonly labels: Labels; readonly value: number }[];
}

/** What is told, as `runtime.metrics()` gives it. */
export interface PrometheusSource {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly killed: Readonly<Record<string, number | undefined>>;
  readonly created: number;
  readonly stillborn: number;
  readonly destroyed: number;
  readonly restarts: number;
  readonly rebuilds: number;
  readonly collected: number;
  readonly quarantined: number;
  readonly cellsStarted: number;
  readonly cellsExited: Readonly<Record<string, number>>;
  readonly sandboxes: Readonly<Record<string, number | undefined>>;
  readonly tombstones: number;
  readonly runsUnderway: number;
  readonly cells: readonly {
    readonly number: number;
    readonly rssBytes: number;
    readonly sandboxes: number;
  }[];
  readonly subscriberFailures: number;
}

/** The text of one scrape. Serve it as `text/plain; version=0.0.4`. */
export function toPrometheus(metrics: PrometheusSource): string {
  return familiesOf(metrics)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`);
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
    })
    .join("");
}

function familiesOf(metrics: PrometheusSource): readonly Family[] {
  const counter = (name: string, help: string, value: number): Family => ({
    name: `vivarium_${name}_total`,
    help,
    type: "counter",
    samples: [{ labels: {}, value }],
  });
  const gauge = (name: string, help: string, value: number): Family => ({
    name: `vivarium_${name}`,
    help,
    type: "gauge",
    samples: [{ labels: {}, value }],
  });
  const cellsBy = (of: "rssBytes" | "sandboxes"): Family["samples"] =>
    metrics.cells.map((cell) => ({ labels: { cell: String(cell.number) }, value: cell[of] }));
  return [
    { ...counter("runs", "Runs ended, by outcome.", 0), samples: labelled("outcome", metrics.outcomes) },
    {
      ...counter("killed", "Runs ended by enforcement, by reason.", 0),
      samples: labelled("reason", metrics.killed),
    },
    counter("sandboxes_created", "Sandboxes created.", metrics.created),
    counter("sandboxes_stillborn", "Sandboxes whose code failed to load.", metrics.stillborn),
    counter("sandboxes_destroyed", "Sandboxes destroyed.", metrics.destroyed),
    counter("sandboxes_restarted", "Sandboxes restarted by their owners.", metrics.restarts),
    counter("sandboxes_rebuilt", "Isolates that were lost and made anew.", metrics.rebuilds),
    counter("sandboxes_collected", "Sandboxes taken by the collector.", metrics.collected),
    counter("sandboxes_quarantined", "Sandboxes that were set apart.", metrics.quarantined),
    counter("cells_started", "Cell processes started.", metrics.cellsStarted),
    {
      ...counter("cells_exited", "Cell processes ended, by cause.", 0),
      samples: labelled("cause", metrics.cellsExited),
    },
    counter("subscriber_failures", "Event subscribers that threw.", metrics.subscriberFailures),
    { ...gauge("sandboxes", "Sandboxes, by status.", 0), samples: labelled("status", metrics.sandboxes) },
    gauge("tombstones", "Sandboxes that are gone and still known.", metrics.tombstones),
    gauge("runs_underway", "Runs accepted and not ended.", metrics.runsUnderway),
    { ...gauge("cell_rss_bytes", "Resident memory of each cell.", 0), samples: cellsBy("rssBytes") },
    { ...gauge("cell_sandboxes", "Sandboxes in each cell.", 0), samples: cellsBy("sandboxes") },
  ];
}

function labelled(name: string, values: Readonly<Record<string, number | undefined>>): Family["samples"] {
  return Object.entries(values).map(([word, value]) => ({ labels: { [name]: word }, value: value ?? 0 }));
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escape(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
