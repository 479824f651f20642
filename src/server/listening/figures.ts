// What a server counts: requests by operation and status, how long they took, what is open and what was refused.
import { operationList, type OperationId } from "../../contract/operations.ts";
import type { RefusalReason } from "../guard/guard.ts";

const boundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000];

type Labels = Readonly<Record<string, string>>;

/** Figures of a whole server, in the form that Prometheus reads. Names of operations and reasons are ours, so that they are few. */
export class Figures {
  readonly #requests = new Map<string, number>();
  readonly #refused = new Map<RefusalReason, number>();
  readonly #counts: number[] = Array.from({ length: boundsMs.length + 1 }, () => 0);
  #sumMs = 0;

  /** A request was answered, or its connection was closed before that: then its status is 0. */
  answered(operation: string, status: number, durationMs: number): void {
    const key = `${operation} ${status}`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    const place = boundsMs.findIndex((bound) => durationMs <= bound);
    const bucket = place < 0 ? boundsMs.length : place;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sumMs += durationMs;
  }

  refused(reason: RefusalReason): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  /** As text, beside what is open just now. */
  text(open: { readonly connections: number; readonly requests: number; readonly streams: number }): string {
    return [
      ...family("connections", "Open connections", [[{}, open.connections]]),
      ...family("requests_underway", "Requests that are not answered yet", [[{}, open.requests]]),
      ...family("streams_open", "Answers that are streamed just now", [[{}, open.streams]]),
      ...family(
        "requests_total",
        "Requests by operation and status; 0 where the connection broke",
        [...this.#requests].map(([key, count]) => {
          const [operation = "", status = ""] = key.split(" ");
          return [{ operation, status }, count];
        }),
      ),
      ...family(
        "refused_total",
        "Requests and connections that were refused, by reason",
        [...this.#refused].map(([reason, count]) => [{ reason }, count]),
      ),
      ...this.#durations(),
      "",
    ].join("\n");
  }

  #durations(): readonly string[] {
    const name = "vivarium_http_request_duration_seconds";
    let below = 0;
    const buckets = this.#counts.map((count, index) => {
      below += count;
      const bound = boundsMs[index];
      return `${name}_bucket{le="${bound === undefined ? "+Inf" : bound / 1_000}"} ${below}`;
    });
    return [
      `# HELP ${name} Time from a request's headers to the end of its answer`,
      `# TYPE ${name} histogram`,
      ...buckets,
      `${name}_sum ${this.#sumMs / 1_000}`,
      `${name}_count ${below}`,
    ];
  }
}

function family(
  name: string,
  help: string,
  samples: readonly (readonly [Labels, number])[],
): readonly string[] {
  const full = `vivarium_http_${name}`;
  const type = name.endsWith("_total") ? "counter" : "gauge";
  const lines = samples.map(([labels, value]) => {
    const shown = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    return `${full}${shown.length === 0 ? "" : `{${shown.join(",")}}`} ${value}`;
  });
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines];
}

interface Route {
  readonly id: OperationId;
  readonly method: string;
  readonly segments: readonly string[];
}

const routes: readonly Route[] = operationList.map(([id, { method, path }]) => ({
  id,
  method,
  segments: path.split("/"),
}));

/** Which operation a request names by its method and path; null for none. */
export function operationOf(method: string, path: string): OperationId | null {
  const given = path.split("/");
  const found = routes.find(
    (route) =>
      route.method === method &&
      route.segments.length === given.length &&
      route.segments.every((segment, index) => segment.startsWith("{") || segment === given[index]),
  );
  return found?.id ?? null;
}
