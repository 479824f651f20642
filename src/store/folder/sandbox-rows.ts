// A sandbox as columns, and back. What comes back may be damaged in any way: it is checked, and what is wrong with it becomes
// the reason for which the sandbox is failed.
import { defaultLimits } from "../../model/limits.ts";
import { parseSandboxId } from "../../model/ids.ts";
import { seedAncestry } from "../../model/sandboxes/ancestry.ts";
import { individualFormat, type IndividualVersion } from "../../model/sandboxes/individual.ts";
import { isStateCapture, type StateCapture } from "../../model/sandboxes/process.ts";
import { show } from "../../model/show.ts";
import type { StoredRecord, StoredSandbox, Tombstone } from "../store.ts";
import type { RecordColumns, SandboxColumns, SandboxRow, TombstonePage, VersionRow } from "./requests.ts";

const freshRecord: StoredRecord = {
  status: "running",
  reason: null,
  blameless: false,
  restarts: 0,
  lastError: null,
  fitness: null,
};

export function recordColumns(record: StoredRecord = freshRecord): RecordColumns {
  const { status, reason, blameless, restarts, lastError, fitness } = record;
  return {
    status,
    reason,
    blameless: blameless ? 1 : 0,
    restarts,
    lastError: lastError === null ? null : JSON.stringify(lastError),
    fitness: fitness === null ? null : JSON.stringify(fitness),
  };
}

/** Everything but the record, the versions and the states. What has no column of its own is in `settings`. */
export function sandboxColumns(sandbox: StoredSandbox): SandboxColumns {
  const { id: _, record: __, state, createdAt, format, ...others } = sandbox;
  const { limits, labels, ancestry, revisions, modules, ...settings } = others;
  // The states are rows of their own; that there are none is said here.
  const noState = state === null ? { state } : {};
  return {
    createdAt,
    format,
    limits: JSON.stringify(limits),
    labels: JSON.stringify(labels),
    ancestry: JSON.stringify(ancestry),
    settings: JSON.stringify({ ...settings, ...noState, modules: Object.keys(modules) }),
    revisions: JSON.stringify(revisions),
  };
}

export interface Restored {
  /** Undefined where not even its id can be used. */
  readonly sandbox: StoredSandbox | undefined;
  /** What is wrong with it, as a sentence. */
  readonly damage: string | undefined;
}

export function restoredOf(row: SandboxRow, sources: readonly string[]): Restored {
  const { columns } = row;
  let id: string;
  try {
    id = parseSandboxId(columns["id"]);
  } catch (error) {
    return { sandbox: undefined, damage: `Cannot restore row ${row.number}: ${(error as Error).message}` };
  }
  const reader = new ColumnReader(columns);
  const { modules: names = [], ...settings } = reader.json<Settings>("settings", {}, isRecord);
  const format = columns["format"];
  if (format !== individualFormat)
    reader.note(`its format must be ${individualFormat}: it is ${show(format)}`);
  const body = {
    deterministic: null,
    ...settings,
    format: individualFormat,
    id,
    createdAt: reader.number("created_at"),
    modules: modulesOf(row.versions, { reader, names, sources }),
    revisions: reader.json<StoredSandbox["revisions"]>("revisions", [], Array.isArray),
    limits: reader.json("limits", defaultLimits, isRecord),
    ancestry: reader.json("ancestry", seedAncestry, isRecord),
    labels: reader.json("labels", {}, isRecord),
  } as const;
  noteMissingHeads(body, reader);
  const capture = columns["capture"];
  const state =
    typeof capture === "string"
      ? { state: reader.json<StateCapture | null>("capture", null, isStateCapture) }
      : {};
  const record = recordOf(reader);
  const [problem] = reader.problems;
  if (problem === undefined) return { sandbox: { ...body, ...state, record }, damage: undefined };
  const reason = `Cannot restore sandbox ${show(id)} as ${problem}`;
  const failed = { ...record, status: "failed", blameless: true, reason } as const;
  return { sandbox: { ...body, ...state, record: failed }, damage: reason };
}

/** A tombstone, or what is wrong with it. */
export function tombstoneOf([number, id, info, logs]: TombstonePage["rows"][number]): Tombstone | string {
  const reader = new ColumnReader({ info, logs });
  const tombstone = {
    info: reader.json<Tombstone["info"] | null>("info", null, isRecord),
    logs: reader.json<Tombstone["logs"]>("logs", [], Array.isArray),
  };
  const [problem] = reader.problems;
  if (tombstone.info !== null && problem === undefined) return tombstone as Tombstone;
  return `Cannot restore tombstone ${number}, of sandbox ${show(id)}, as ${problem}`;
}

type Settings = Partial<Omit<StoredSandbox, "modules">> & { readonly modules?: readonly string[] };

const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads columns, and notes what is wrong with them. */
class ColumnReader {
  readonly #columns: Readonly<Record<string, unknown>>;
  readonly problems: string[] = [];

  constructor(columns: Readonly<Record<string, unknown>>) {
    this.#columns = columns;
  }

  note(problem: string): void {
    this.problems.push(problem);
  }

  json<T>(name: string, instead: T, isRight: (value: unknown) => boolean): T {
    const text = this.#columns[name];
    try {
      const value: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
      if (isRight(value)) return value as T;
      this.note(`the column "${name}" is damaged in the store: got ${show(text)}`);
    } catch (error) {
      this.note(`the column "${name}" is damaged in the store: ${(error as Error).message}`);
    }
    return instead;
  }

  jsonOrNull<T>(name: string): T | null {
    return this.#columns[name] === null ? null : this.json<T | null>(name, null, isRecord);
  }

  number(name: string): number {
    const value = this.#columns[name];
    if (typeof value === "number" && Number.isFinite(value)) return value;
    this.note(`the column "${name}" is damaged in the store: got ${show(value)}`);
    return 0;
  }

  one<T extends string>(name: string, allowed: readonly T[], instead: T): T {
    const value = this.#columns[name];
    if (allowed.includes(value as T)) return value as T;
    this.note(`the column "${name}" is damaged in the store: got ${show(value)}`);
    return instead;
  }

  textOrNull(name: string): string | null {
    const value = this.#columns[name];
    if (value === null || typeof value === "string") return value;
    this.note(`the column "${name}" is damaged in the store: got ${show(value)}`);
    return null;
  }
}

function recordOf(reader: ColumnReader): StoredRecord {
  return {
    status: reader.one("status", ["creating", "running", "suspended", "failed"], "failed"),
    reason: reader.textOrNull("reason"),
    blameless: reader.number("blameless") !== 0,
    restarts: reader.number("restarts"),
    lastError: reader.jsonOrNull("last_error"),
    fitness: reader.jsonOrNull("fitness"),
  };
}

interface VersionsAt {
  readonly reader: ColumnReader;
  /** Of the modules, in their order. */
  readonly names: readonly string[];
  readonly sources: readonly string[];
}

function modulesOf(
  rows: readonly VersionRow[],
  { reader, names, sources }: VersionsAt,
): Readonly<Record<string, readonly IndividualVersion[]>> {
  const modules = new Map<string, IndividualVersion[]>();
  if (Array.isArray(names)) for (const name of names) modules.set(String(name), []);
  for (const { columns, source } of rows) {
    const name = String(columns["module"]);
    const version = columns["version"];
    if (typeof source === "string")
      reader.note(
        `the source of module ${show(name)}, version ${String(version)}, is damaged in the store: ${source}`,
      );
    const own = new ColumnReader(columns);
    const parent = columns["parent"];
    const entry: IndividualVersion = {
      version: own.number("version"),
      source: typeof source === "string" ? "" : (sources[source] ?? ""),
      checksum: own.textOrNull("checksum") ?? "",
      parent: parent === null ? null : own.number("parent"),
      mutation: own.json<unknown>("mutation", null, (value) => value !== undefined),
      createdAt: own.number("created_at"),
    };
    for (const problem of own.problems)
      reader.note(`of module ${show(name)}, version ${String(version)}, ${problem}`);
    const others = modules.get(name);
    if (others === undefined) modules.set(name, [entry]);
    else others.push(entry);
  }
  // A module may have any name, and an object literal gives one of them a meaning.
  return Object.fromEntries(modules);
}

function noteMissingHeads(body: Pick<StoredSandbox, "revisions" | "modules">, reader: ColumnReader): void {
  // The last one is current; it may be damaged.
  const heads = body.revisions.at(-1)?.heads as Readonly<Record<string, unknown>> | undefined;
  for (const [name, head] of Object.entries(heads ?? {}))
    if (!(Object.hasOwn(body.modules, name) && body.modules[name]?.some(({ version }) => version === head)))
      reader.note(`module ${show(name)}, version ${String(head)}, is missing in the store`);
}
