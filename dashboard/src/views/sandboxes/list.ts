// What the list of sandboxes shows: living ones as the server lists them, gone ones as events told, searched and sorted.
import type { AnyEvent } from "../../../../src/index.ts";
import type { SandboxInfo, Status } from "../../../../src/index.ts";

/** One row. Null is unknown. */
export interface SandboxRow {
  readonly id: string;
  readonly status: Status;
  readonly reason: string | null;
  readonly profile: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly generation: number | null;
  readonly score: number | null;
  readonly heapBytes: number | null;
  readonly memoryBytes: number | null;
  readonly runs: number | null;
  readonly cell: number | null;
  readonly restarts: number | null;
  readonly createdAt: number | null;
  /** All that is searched, in lower case. */
  readonly words: string;
}

export const statuses: readonly Status[] = [
  "running",
  "suspended",
  "failed",
  "creating",
  "reloading",
  "stopping",
  "stopped",
];

export function rowOf(info: SandboxInfo): SandboxRow {
  const { id, status, reason, profile, labels, ancestry, fitness, usage, limits, cell, restarts } = info;
  const texts = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return {
    id,
    status,
    reason,
    profile,
    labels,
    generation: ancestry.generation,
    score: fitness?.score ?? null,
    heapBytes: isSampled(info) ? usage.heapBytes + usage.externalBytes : null,
    memoryBytes: limits.memoryBytes,
    runs: usage.runs,
    cell,
    restarts,
    createdAt: info.createdAt,
    words: [id, status, profile, ...texts].join("\n").toLowerCase(),
  };
}

/** Whether there was a sample of its isolate. */
export function isSampled({ usage }: Pick<SandboxInfo, "usage">): boolean {
  return usage.isolate !== 0;
}

/** Those that are gone, newest first, as the events that are kept tell; one that lives again is not among them. */
export function goneRows(
  events: Iterable<AnyEvent>,
  living: ReadonlySet<string>,
  max = 1_000,
): readonly SandboxRow[] {
  const rows = new Map<string, SandboxRow>();
  for (const { name, event } of events) {
    if (rows.size >= max) break;
    if (name !== "sandbox.destroy.stop" || living.has(event.sandboxId) || rows.has(event.sandboxId)) continue;
    const id = event.sandboxId;
    rows.set(id, { ...nothingKnown, id, words: `${id}\nstopped`.toLowerCase() });
  }
  return [...rows.values()];
}

const nothingKnown: Omit<SandboxRow, "id" | "words"> = {
  status: "stopped",
  reason: null,
  profile: null,
  labels: {},
  generation: null,
  score: null,
  heapBytes: null,
  memoryBytes: null,
  runs: null,
  cell: null,
  restarts: null,
  createdAt: null,
};

export type SortKey =
  | "id"
  | "status"
  | "generation"
  | "score"
  | "memory"
  | "runs"
  | "cell"
  | "restarts"
  | "age";

const sortValues: Readonly<Record<SortKey, (row: SandboxRow) => string | number | null>> = {
  id: (row) => row.id,
  status: (row) => statuses.indexOf(row.status),
  generation: (row) => row.generation,
  score: (row) => row.score,
  memory: (row) =>
    row.heapBytes === null || row.memoryBytes === null ? null : row.heapBytes / row.memoryBytes,
  runs: (row) => row.runs,
  cell: (row) => row.cell,
  restarts: (row) => row.restarts,
  // The youngest first.
  age: (row) => (row.createdAt === null ? null : -row.createdAt),
};

export interface Sorting {
  readonly key: SortKey;
  readonly descending: boolean;
}

/** What the address says of the order; null: in the order of creation. */
export function readSorting(query: Readonly<Record<string, string>>): Sorting | null {
  const key = query["sort"];
  if (key === undefined || !Object.hasOwn(sortValues, key)) return null;
  return { key: key as SortKey, descending: query["dir"] === "down" };
}

const texts = new Intl.Collator("en", { numeric: true });

/** What is unknown is last, whichever the direction; what is equal keeps its order. */
export function sortRows(rows: readonly SandboxRow[], sorting: Sorting | null): readonly SandboxRow[] {
  if (sorting === null) return rows;
  const value = sortValues[sorting.key];
  const sign = sorting.descending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return sign * (typeof a === "string" ? texts.compare(a, String(b)) : a - Number(b));
  });
}

/** Those in which all words of the search occur. */
export function searchRows(rows: readonly SandboxRow[], search: string): readonly SandboxRow[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.length === 0 ? rows : rows.filter((row) => words.every((word) => row.words.includes(word)));
}

export function countByStatus(rows: readonly SandboxRow[]): ReadonlyMap<Status, number> {
  const counts = new Map<Status, number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}

/** `name=value` of the address as the server's filter; undefined where it is no label. */
export function readLabel(text: string | undefined): Readonly<Record<string, string>> | undefined {
  const place = text?.indexOf("=") ?? -1;
  return text === undefined || place < 1 ? undefined : { [text.slice(0, place)]: text.slice(place + 1) };
}

export function readStatus(text: string | undefined): Status | undefined {
  return statuses.find((status) => status === text);
}
